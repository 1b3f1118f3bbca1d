"""The conquest family: land, eliminations, cards and dice decide."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from arena.record import Record, walk
from arena.tactics.odds import ATTACK_DICE, DEFENCE_DICE, roll_outcomes
from engine_core import Event, Game, State
from engine_core.facts import words
from engine_core.registry import options_of

LEAST_ROLLS = 10  # fewer say nothing about luck
NOTABLE_LUCK = 1.0  # troops
GOALS = ("missions", "headquarters", "objectives")  # the options that bring goals


@dataclass(slots=True)
class Ledger:
    """What a seat did and suffered; counters are by lap."""

    land: dict[int, int] = field(default_factory=dict)
    troops: dict[int, int] = field(default_factory=dict)
    taken: Counter[int] = field(default_factory=Counter)
    lost: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    fell_to: tuple[int, int] | None = None
    victims: list[tuple[int, int]] = field(default_factory=list)
    trades: list[tuple[int, int]] = field(default_factory=list)
    reinforced: list[int] = field(default_factory=list)
    missions: list[tuple[int, str]] = field(default_factory=list)
    objectives: list[tuple[int, str]] = field(default_factory=list)
    rolls: int = 0
    luck: float = 0.0


class Chronicle:
    """Walks a record and keeps a ledger a seat."""

    def __init__(self, record: Record) -> None:
        self.game: Game = record.game()
        self.names = [kind.name for kind in self.game.description.events]
        self.words = words(self.game.ruleset)
        self.ledgers = [Ledger() for _ in range(self.game.seats)]
        self.owners = self.game.description.colour_seat
        self.plain_dice = True  # extra dice and changed ones have other odds
        self.conquered = False  # won by objectives or headquarters
        self.lap = 1
        self.captor = -1  # who took the last territory of this turn: an elimination is that seat's
        self.held: list[int] = [-1] * len(self.game.description.territories)  # the seat on each territory
        for state, events in walk(record):
            self.lap = state.result().lap
            for event in events:
                self._note(self.names[event.kind], event, state)
            self.held = [self._seat(owner) for owner in state.public_view().owner]

    def _note(self, name: str, event: Event, state: State) -> None:
        own = self.ledgers[event.seat] if 0 <= event.seat < len(self.ledgers) else None
        if name == "turn":
            self._count(state)
            self.captor = -1
        elif name in ("rerolled", "commanded", "reward"):
            self.plain_dice = False
        elif name == "retired":
            self.captor = -1
        elif name == "conquered":
            self.conquered = True
        elif own is None:
            return
        elif name == "captured":
            self.captor = event.seat
            own.taken[self.lap] += 1
            victim = self._seat(event.c)
            if victim >= 0:
                self.ledgers[victim].lost[self.lap][event.seat] += 1
        elif name == "eliminated":
            own.fell_to = self.lap, self.captor
            if self.captor >= 0:
                self.ledgers[self.captor].victims.append((self.lap, event.seat))
        elif name in ("traded", "stars"):
            own.trades.append((self.lap, event.n))
        elif name == "reinforced":
            own.reinforced.append(event.n)
        elif name == "fulfilled":
            kind = "changed_mission" if self._has_changed(event.seat, state) else "mission"
            own.missions.append((self.lap, self._goal("mission", event.a, kind)))
        elif name in ("objective", "objective_taken"):
            own.objectives.append((self.lap, self._goal("objective", event.a)))
        elif name == "battle":
            self._battle(own, event)

    def _count(self, state: State) -> None:
        result = state.result()
        for seat, ledger in enumerate(self.ledgers):
            ledger.land.setdefault(self.lap, result.territories[seat])
            ledger.troops.setdefault(self.lap, result.troops[seat])

    def _battle(self, own: Ledger, event: Event) -> None:
        """Compare the defender's losses with their mean: what is more is the attacker's luck."""
        attack, defence = event.c, len(event.dice) - event.c
        if not (1 <= attack <= ATTACK_DICE and 1 <= defence <= DEFENCE_DICE):
            return
        mean = sum(chance * theirs for _, theirs, chance in roll_outcomes(attack, defence))
        own.rolls += 1
        own.luck += event.n - mean
        if (defender := self.held[event.b]) >= 0:
            self.ledgers[defender].rolls += 1
            self.ledgers[defender].luck -= event.n - mean

    def _seat(self, colour: int) -> int:
        return self.owners[colour] if 0 <= colour < len(self.owners) else -1

    def _goal(self, kind: str, number: int, words: str = "") -> str:
        name = self.game.description.names(kind)[number]
        return self.words.get(words or kind, {}).get(name, name)

    def _has_changed(self, seat: int, state: State) -> bool:
        """Whether the mission of a seat's colour became the fallback."""
        flags = state.public_view().mission_void
        return any(flag > 0 and owner == seat for flag, owner in zip(flags, self.owners, strict=False))


def sentences(record: Record) -> tuple[tuple[str, ...], ...]:
    """For each seat what decided its game, most telling first."""
    chronicle = Chronicle(record)
    seats = range(record.game().seats)
    names = list(record.players) or [f"seat {seat}" for seat in seats]
    tell = [_winner if seat in record.facts.winners else _loser for seat in seats]
    return tuple(tuple(tell[seat](chronicle, seat, names)) for seat in seats)


def goal(record: Record) -> str:
    """By which goal the winner won: a mission, headquarters, or objectives with its capital; "" if none."""
    options = options_of(record.game().ruleset)
    if not any(options[name] not in (0, "none") for name in GOALS):
        return ""
    chronicle = Chronicle(record)
    own = chronicle.ledgers[record.facts.winners[0]]
    if own.missions:
        return f"its mission was fulfilled: {own.missions[-1][1]}"
    if not chronicle.conquered:
        return ""
    if options["headquarters"] != "none":
        return "it held the headquarters that it needed"
    claimed = ", ".join(objective for _, objective in own.objectives)
    return f"it held its capital and {len(own.objectives)} objectives: {claimed}"


def _winner(chronicle: Chronicle, seat: int, names: list[str]) -> list[str]:
    own = chronicle.ledgers[seat]
    told = [f"it fulfilled its mission in lap {lap}: {mission}" for lap, mission in own.missions]
    told += _objectives(own)
    told += [f"it eliminated {_name(names, victim)} in lap {lap}" for lap, victim in own.victims]
    led = _lead(chronicle, seat)
    if led is not None:
        land = own.land[led]
        told.append(f"from lap {led} on it held more land than anybody ({land} territories at its start)")
    return told + _growth(own) + _income(chronicle, seat) + _dice(chronicle, own)


def _loser(chronicle: Chronicle, seat: int, names: list[str]) -> list[str]:
    own = chronicle.ledgers[seat]
    told = []
    if own.fell_to is not None and own.fell_to[1] >= 0:
        told.append(f"{_name(names, own.fell_to[1])} eliminated it in lap {own.fell_to[0]}")
    told += _objectives(own)
    if own.land:
        best = max(own.land, key=lambda lap: own.land[lap])
        others = [ledger.land.get(best, 0) for other, ledger in enumerate(chronicle.ledgers) if other != seat]
        rank = 1 + sum(land > own.land[best] for land in others)
        place = "nobody had more" if rank == 1 else f"{rank - 1} had more"
        told.append(f"it stood best in lap {best} with {own.land[best]} territories ({place})")
    if own.lost:
        worst = max(own.lost, key=lambda lap: own.lost[lap].total())
        robber, most = own.lost[worst].most_common(1)[0]
        total = own.lost[worst].total()
        share = "all of them" if most == total else f"{most} of them"
        told.append(f"in lap {worst} it lost {total} territories, {share} to {_name(names, robber)}")
    return told + _growth(own) + _income(chronicle, seat) + _dice(chronicle, own)


def _objectives(own: Ledger) -> list[str]:
    return [f"it claimed an objective in lap {lap}: {objective}" for lap, objective in own.objectives]


def _lead(chronicle: Chronicle, seat: int) -> int | None:
    """The lap from which on the seat had the most land."""
    own = chronicle.ledgers[seat].land
    since = None
    for lap in sorted(own):
        others = [ledger.land.get(lap, 0) for other, ledger in enumerate(chronicle.ledgers) if other != seat]
        leads = own[lap] > max(others, default=0)
        since = (since or lap) if leads else None
    return since


def _growth(own: Ledger) -> list[str]:
    if not own.taken:
        return ["it captured nothing"]
    best = max(own.taken, key=lambda lap: own.taken[lap])
    return [f"it captured {own.taken.total()} territories, {own.taken[best]} of them in lap {best}"]


def _income(chronicle: Chronicle, seat: int) -> list[str]:
    own = chronicle.ledgers[seat]
    told = []
    if own.reinforced:
        means = [sum(each.reinforced) / len(each.reinforced) for each in chronicle.ledgers if each.reinforced]
        mean = sum(own.reinforced) / len(own.reinforced)
        rank = sum(other > mean for other in means)
        place = "the most" if rank == 0 else "the least" if rank == len(means) - 1 else f"{rank} had more"
        told.append(f"it got {mean:.1f} troops a turn for its land ({place})")
    if own.trades:
        lap, troops = max(own.trades, key=lambda trade: trade[1])
        total = sum(troops for _, troops in own.trades)
        times = "once" if len(own.trades) == 1 else f"{len(own.trades)} times"
        told.append(f"it traded {times} for {total} troops, the largest trade in lap {lap} ({troops})")
    return told


def _dice(chronicle: Chronicle, own: Ledger) -> list[str]:
    if not chronicle.plain_dice or own.rolls < LEAST_ROLLS or abs(own.luck) < NOTABLE_LUCK:
        return []
    side = "for" if own.luck > 0 else "against"
    return [f"the dice were {side} it by {abs(own.luck):.1f} troops over {own.rolls} rolls"]


def _name(names: list[str], seat: int) -> str:
    return names[seat] if 0 <= seat < len(names) else "the neutral"
