"""Tournaments of a hub: taken up where an earlier process left them, played with who is here, and told of."""

from __future__ import annotations

import shlex
from threading import Event

from arena.errors import PlatformFault, SpecError, StoreRefusal
from arena.hub.guests import Guests
from arena.hub.news import News
from arena.hub.runner import GuestRunner
from arena.hub.tables import Tables
from arena.runners import Problem
from arena.spec import TournamentSpec
from arena.store import Store
from arena.store.rows import QuarantineRow, TournamentRow
from arena.tournament import Progress, Tournament, create, reopen
from arena.types import GameResult, MatchPlan, MatchResult


class ServedTournament:
    """One tournament of `arena serve`; `run` is one thread's work. Implements arena.tournament.Listener."""

    def __init__(
        self, store: Store, spec: TournamentSpec, guests: Guests, tables: Tables, news: News, stopping: Event
    ) -> None:
        """Start its players of this host; SpecError names those that cannot be, or cannot dial in."""
        self.name = spec.name
        self._store, self._spec, self._news = store, spec, news
        self._row = _earlier(store, spec)
        self.identity = self._row.id if self._row is not None else None
        self._games: dict[int, list[GameResult]] = {}
        self._runner = GuestRunner(spec.name, spec.players, guests, tables, news, stopping)
        problems = [] if self._row else _without_token(store, spec)
        problems = problems or self._runner.check(spec.limits, spec.isolation)
        if problems:
            raise SpecError([(f"players ({name})", message) for name, message in problems], source=spec.name)

    def run(self) -> None:
        """Play what is missing, to its end or until the hub stops."""
        row, facts = self._row, {"tournament": self.name}
        if row is not None and row.state == "finished":
            self._news.tell("tournament_done", f"{self.name}: was finished before", **facts)
            return
        tournament = self._take_up()
        self.identity = tournament.identity
        total, done = tournament.format.total(), len(self._store.done_sequences(tournament.identity))
        text = f"{self.name}: {done} of {total} matches are done"
        self._news.tell("tournament_begun", text, **facts, done=done, total=total)
        self._runner.idle = tournament.flush
        try:
            finished, why = tournament.play(self._runner, self), ""
        except (PlatformFault, StoreRefusal) as error:  # of this tournament; the others and the lobby go on
            finished, why = False, f": {error}"
        kind, how = ("tournament_done", "is finished") if finished else ("tournament_stopped", "is stopped")
        self._news.tell(kind, f"{self.name}: {how}{why}", **facts)

    def _take_up(self) -> Tournament:
        if self._row is None:
            return create(self._store, self._spec)
        return reopen(self._store, self._spec, self._row.id)

    # ---- arena.tournament.Listener

    def progressed(self, progress: Progress) -> None:
        """Nothing beyond the matches themselves."""

    def voided(self, result: MatchResult) -> None:
        """An attempt does not count."""
        text = f"{self.name}: match {result.sequence} is played again: {result.error}"
        self._news.tell("match_voided", text, tournament=self.name, match=result.sequence, error=result.error)

    def quarantined(self, row: QuarantineRow) -> None:
        """A player is out."""
        self._news.tell_quarantine(self.name, row, self._store.url)

    def game_finished(self, plan: MatchPlan, game: GameResult) -> None:
        """Tell of a match when its last game is here."""
        games = self._games.setdefault(plan.sequence, [])
        games.append(game)
        if len(games) == len(plan.setup.rotations):
            self._news.tell_done(self.name, plan, self._games.pop(plan.sequence))


def _without_token(store: Store, spec: TournamentSpec) -> list[Problem]:
    """The players that dial in but cannot, each with the command that lets them."""
    accounts = [(player.name, player.bot.target) for player in spec.players if player.bot.kind == "remote"]
    working, problems = store.tokens.working(name for _, name in accounts), []
    place = f"--db {shlex.quote(store.url)}"
    for label, account in accounts:
        if account not in working:
            message = f"no such player; create it with `arena player add {account} {place}`"
        elif not working[account]:
            message = f"all its tokens are revoked; make one with `arena player token {account} {place}`"
        else:
            continue
        problems.append((label, message))
    return problems


def _earlier(store: Store, spec: TournamentSpec) -> TournamentRow | None:
    """The tournament of that name in the database; SpecError when it was begun from another file."""
    for row in store.tournaments():
        if row.name == spec.name:
            if row.spec != spec.stored():
                message = "was begun from another text; put the file back, or give it another name"
                raise SpecError([("name", f"{spec.name!r} {message}")], source=spec.name)
            return row
    return None
