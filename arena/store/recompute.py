"""Recomputing ratings from the committed games, and telling whether the stored ones were equal to the bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from arena.ratings import OnlineRatingSystem
from arena.store import rating_log, released, tournaments
from arena.store.models import MatchModel, RatingChangeModel

_MAX_LINES = 50

_Figures = Mapping[tuple[int, int], tuple[float | int, ...]]


@dataclass(slots=True)
class _Differences:
    """What differed, in words; the first lines only, since one wrong score changes all that follows."""

    labels: Mapping[int, str]
    lines: list[str] = field(default_factory=list)
    more: int = 0

    def add(self, line: str) -> None:
        if len(self.lines) < _MAX_LINES:
            self.lines.append(line)
        else:
            self.more += 1

    def compare(self, where: str, stored: _Figures, fresh: _Figures) -> None:
        """Compare figures by (number of the place, player)."""
        for place, player in sorted(stored.keys() | fresh.keys()):
            before, now = stored.get((place, player)), fresh.get((place, player))
            if before != now:
                self.add(
                    f"{where} {place}, {self.labels[player]}: stored {_text(before)}, computed {_text(now)}"
                )

    def all(self) -> list[str]:
        return [*self.lines, f"and {self.more} more"] if self.more else self.lines


def recompute(session: Session, tournament_id: int, system: OnlineRatingSystem) -> tuple[int, list[str]]:
    """Rewrite a tournament's ratings and history; return the number of matches and what had differed.

    Matches released since the last update are rated too and are no difference.
    """
    tournaments.require(session, tournament_id, lock=True)
    mark = rating_log.mark(session, tournament_id, system)
    entries = tournaments.entries(session, tournament_id)
    differences = _Differences({entry.id: entry.label for entry in entries})
    if mark.settings != system.settings:
        differences.add(f"stored with {mark.settings}, computed with {system.settings}")
    end = released.first_open(session, tournament_id)
    if mark.next_sequence > end:
        differences.add(f"rated up to match {mark.next_sequence - 1}, but only {end} are released")
    rated = min(mark.next_sequence, end)
    board = rating_log.Board()
    for low, high in rating_log.windows(0, rated):
        stored = _take(session, tournament_id, system, low, high)
        differences.compare("match", stored, _rate(session, tournament_id, system, board, low, high))
    stored_board = rating_log.stored_board(session, tournament_id, system)
    differences.compare("pool", stored_board.rows(), board.rows())
    differences.compare("match", _take(session, tournament_id, system, rated, None), {})
    for low, high in rating_log.windows(rated, end):
        _rate(session, tournament_id, system, board, low, high)
    rating_log.replace_board(session, tournament_id, system, board)
    mark.next_sequence, mark.settings = end, system.settings
    return end, differences.all()


def _rate(
    session: Session,
    tournament_id: int,
    system: OnlineRatingSystem,
    board: rating_log.Board,
    low: int,
    high: int,
) -> _Figures:
    """Write the history of matches low..high-1 anew and return it in the form of `_take`."""
    made = rating_log.rate(session, tournament_id, system, board, low, high)
    return {
        (match.sequence, change.player): (
            *(change.before, change.after),
            *(change.expected, change.actual, change.games),
        )
        for match, change in made
    }


def _take(
    session: Session, tournament_id: int, system: OnlineRatingSystem, low: int, high: int | None
) -> _Figures:
    """Read and delete the history of matches low..high-1."""
    own = RatingChangeModel
    window = [MatchModel.tournament_id == tournament_id, MatchModel.sequence >= low]
    if high is not None:
        window.append(MatchModel.sequence < high)
    query = (
        select(
            *(MatchModel.sequence, own.player_id),
            *(own.before, own.after, own.expected, own.actual, own.games),
        )
        .join(MatchModel, MatchModel.id == own.match_id)
        .where(own.system == system.id, *window)
    )
    found = {(row[0], row[1]): tuple(row[2:]) for row in session.execute(query)}
    matches = select(MatchModel.id).where(*window)
    session.execute(delete(own).where(own.system == system.id, own.match_id.in_(matches)))
    return found


def _text(figures: tuple[float | int, ...] | None) -> str:
    return "nothing" if figures is None else " ".join(map(repr, figures))
