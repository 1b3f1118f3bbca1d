"""What goes on in a hub, as one stream of events: a sentence for people, the facts for programs."""

from __future__ import annotations

import shlex
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from queue import SimpleQueue

from arena.store.rows import QuarantineRow
from arena.types import BotSpec, FaultKind, GameResult, MatchPlan, Player

# How long the end waits for a reader of the last events.
LAST_WORDS_S = 0.5
# How many events wait for a reader that is slow or gone; further ones are lost to it.
MOST_UNREAD = 10_000


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: what kind of thing, in words, and as plain values."""

    kind: str
    text: str
    facts: dict[str, object] = field(default_factory=dict)
    time: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(slots=True)
class Tally:
    """What a bot that dials in has done since the server's start: games, points, faults, its last match."""

    games: int = 0
    points: float = 0.0
    faults: int = 0
    last: str = ""


def shown(bot: BotSpec) -> str:
    """A bot that dials in, for people: its account, and its version as such."""
    return f"{bot.target} v{bot.version.removeprefix('v')}"


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
        self.tallies: defaultdict[BotSpec, Tally] = defaultdict(Tally)
        self._lock = threading.Lock()
        self._events: SimpleQueue[Event | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="news", daemon=True)
        self._thread.start()

    def tell(self, kind: str, text: str, **facts: object) -> None:
        """Something happened."""
        if self._events.qsize() < MOST_UNREAD:
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
        against = " against ".join(_label(player) for player in plan.players)
        text = f"{tournament}: match {plan.sequence} of {plan.setup.variant} begins: {against}"
        self.tell("match_begun", text, tournament=tournament, match=plan.sequence, players=names)

    def tell_done(self, tournament: str, plan: MatchPlan, games: Sequence[GameResult]) -> None:
        """A match was committed: the points each player made in its games, and the faults there were."""
        with self._lock:
            for game in games:
                self._finished(tournament, plan, game)
        points = [0.0] * len(plan.players)
        faults: list[int] = []
        kinds: list[FaultKind] = []
        for game in games:
            for index, score in zip(game.players, game.scores, strict=True):
                points[index] += score
            faults += [game.players[fault.seat] for fault in game.faults]
            kinds += [fault.kind for fault in game.faults]
        self._count(plan, games, points, faults)
        names = [player.name for player in plan.players]
        self.tell(
            "match_done",
            _result_text(tournament, plan, points, Counter(zip(faults, kinds, strict=True))),
            tournament=tournament,
            match=plan.sequence,
            points=dict(zip(names, points, strict=True)),
            faults=[f"{names[index]} {kind}" for index, kind in zip(faults, kinds, strict=True)],
        )

    def _count(
        self,
        plan: MatchPlan,
        games: Sequence[GameResult],
        points: Sequence[float],
        faults: Sequence[int],
    ) -> None:
        with self._lock:
            for index, player in enumerate(plan.players):
                if player.bot.kind == "remote":
                    tally = self.tallies[player.bot]
                    tally.games += len(games)
                    tally.points += points[index]
                    tally.faults += faults.count(index)
                    tally.last = f"{points[index]:g} of {len(games)}"

    def tell_quarantine(self, tournament: str, row: QuarantineRow, database: str) -> None:
        """A player is out until its next version; the database's URL is for the command that shows more."""
        text = f"{tournament}: {row.player} is quarantined: its last {row.games} games each ended by a fault "
        text += f"of it, the last by {row.kind} (`arena fault {row.fault} --db {shlex.quote(database)}`)"
        self.tell("quarantined", text, tournament=tournament, player=row.player, fault=row.fault)


def _label(player: Player) -> str:
    """A player for people; the lobby labels it with a bare version, which would look like a score."""
    return shown(player.bot) if player.name == f"{player.bot.target} {player.bot.version}" else player.name


def _result_text(
    tournament: str, plan: MatchPlan, points: Sequence[float], faults: Counter[tuple[int, FaultKind]]
) -> str:
    """How a match ended: points of how many games, and how often each fault happened."""
    labels = [_label(player) for player in plan.players]
    first, *others = [f"{label} scored {made:g}" for label, made in zip(labels, points, strict=True)]
    games = len(plan.setup.rotations)
    text = f"{tournament}: match {plan.sequence} is over: {first} of {games}"
    text += "".join(f", {other}" for other in others)
    told = [f"{kind} of {labels[index]}{f' ({n} times)' * (n > 1)}" for (index, kind), n in faults.items()]
    return text + (f"; faults: {', '.join(told)}" if told else "")
