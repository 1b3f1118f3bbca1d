"""What goes on in a hub, as one stream of events: a sentence for people, the facts for programs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from queue import SimpleQueue

from arena.store.rows import QuarantineRow
from arena.types import GameResult, MatchPlan

# How long the end waits for a reader of the last events.
LAST_WORDS_S = 0.5


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: what kind of thing, in words, and as plain values."""

    kind: str
    text: str
    facts: dict[str, object] = field(default_factory=dict)
    time: datetime = field(default_factory=lambda: datetime.now(UTC))


class News:
    """Passes events on to whoever shows them, in order; any thread may tell, and none waits for that."""

    def __init__(
        self,
        show: Callable[[Event], None],
        finished: Callable[[str, MatchPlan, GameResult], None] = lambda *_: None,
    ) -> None:
        """`show` is called with each event, on a thread of its own; an OSError of it ends the showing.

        `finished` is called with every game of a committed match and its tournament, one at a time.
        """
        self._show = show
        self._finished = finished
        self._lock = threading.Lock()
        self._events: SimpleQueue[Event | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="news", daemon=True)
        self._thread.start()

    def tell(self, kind: str, text: str, **facts: object) -> None:
        """Something happened."""
        self._events.put(Event(kind, text, facts))

    def close(self) -> None:
        """Show what was told so far, unless nobody takes it any more."""
        self._events.put(None)
        self._thread.join(LAST_WORDS_S)

    def _run(self) -> None:
        with suppress(OSError):  # such as a pipe whose reader has gone: play on
            for event in iter(self._events.get, None):
                self._show(event)

    def tell_begun(self, tournament: str, plan: MatchPlan) -> None:
        """A match has begun."""
        names = [player.name for player in plan.players]
        text = f"{tournament}: match {plan.sequence} begins, {plan.setup.variant}: {' - '.join(names)}"
        self.tell("match_begun", text, tournament=tournament, match=plan.sequence, players=names)

    def tell_done(self, tournament: str, plan: MatchPlan, games: Sequence[GameResult]) -> None:
        """A match was committed: the points each player made in its games, and the faults there were."""
        with self._lock:
            for game in games:
                self._finished(tournament, plan, game)
        points = dict.fromkeys((player.name for player in plan.players), 0.0)
        faults = []
        for game in games:
            names = [plan.players[index].name for index in game.players]
            for name, score in zip(names, game.scores, strict=True):
                points[name] += score
            faults += [f"{names[fault.seat]} {fault.kind}" for fault in game.faults]
        shown = ", ".join(f"{name} {made:g}" for name, made in points.items())
        text = f"{tournament}: match {plan.sequence} is done: {shown}"
        text += f" (faults: {', '.join(faults)})" if faults else ""
        self.tell(
            "match_done", text, tournament=tournament, match=plan.sequence, points=points, faults=faults
        )

    def tell_quarantine(self, tournament: str, row: QuarantineRow) -> None:
        """A player is out until its next version."""
        text = f"{tournament}: {row.player} is quarantined: its last {row.games} games each ended by a fault "
        text += f"of it, the last by {row.kind} (`arena fault {row.fault}`)"
        self.tell("quarantined", text, tournament=tournament, player=row.player, fault=row.fault)
