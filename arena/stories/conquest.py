"""The conquest family: land, eliminations, cards and dice decide."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from arena.record import Record, walk
from arena.stories import counted, listed, seat_names
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
    missions: list[tuple[int, str]] = field(default_factory=list)  # fulfilled
    mission: str = ""  # its own, as it read at the end
    objectives: list[tuple[int, str, int]] = field(default_factory=list)  # and from whom, -1: claimed
    capital: str = ""  # where it stood: its headquarters, where those are played for
    capital_falls: list[tuple[int, int]] = field(default_factory=list)  # lap, captor
    capital_holder: int = -1  # at the end
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
        self.leaver = -1  # the seat that this step takes out of the game: nobody eliminates that one
        self.captures: list[tuple[int, Event]] = []
        self.held: list[int] = [-1] * len(self.game.description.territories)  # the seat on each territory
        for state, events in walk(record):
            self.leaver = -1
            for event in events:
                self._note(self.names[event.kind], event, state)
            self.held = [self._seat(owner) for owner in state.public_view().owner]
        fields = {each.name for each in self.game.description.fields}
        if "capital" in fields:
            self._capitals(state)
        if "mission" in fields:
            self._missions(state)

    def _capitals(self, final: State) -> None:
        """Where every seat's capital or headquarters stood, who took it, and who had it in the end."""
        for colour, territory in enumerate(final.field("capital")):
            seat = self._seat(colour)
            if territory < 0 or seat < 0:
                continue
            own = self.ledgers[seat]
            own.capital = self.game.description.territory_names[territory]
            own.capital_holder = self.held[territory]
            taken = [
                (lap, each.seat) for lap, each in self.captures if (each.b, each.c) == (territory, colour)
            ]
            own.capital_falls += taken

    def _missions(self, final: State) -> None:
        """Every seat's own mission; a game that is over shows them."""
        changed = final.field("mission_void")
        for colour, number in enumerate(final.field("mission")):
            if number >= 0 and (seat := self._seat(colour)) >= 0:
                kind = "changed_mission" if changed[colour] > 0 else "mission"
                self.ledgers[seat].mission = self._goal("mission", number, kind)

    def _note(self, name: str, event: Event, state: State) -> None:
        own = self.ledgers[event.seat] if 0 <= event.seat < len(self.ledgers) else None
        if name == "turn":
            self.lap = event.n  # the state is already in the next turn when a step ends one
            self._count(state)
            self.captor = -1
        elif name in ("rerolled", "commanded", "reward"):
            self.plain_dice = False
        elif name == "retired":
            self.leaver = event.seat
        elif name == "conquered":
            self.conquered = True
        elif own is None:
            return
        elif name == "captured":
            self.captor = event.seat
            self.captures.append((self.lap, event))
            own.taken[self.lap] += 1
            victim = self._seat(event.c)
            if victim >= 0:
                self.ledgers[victim].lost[self.lap][event.seat] += 1
        elif name == "eliminated":
            own.fell_to = self.lap, -1 if event.seat == self.leaver else self.captor
            if own.fell_to[1] >= 0:
                self.ledgers[own.fell_to[1]].victims.append((self.lap, event.seat))
        elif name in ("traded", "stars"):
            own.trades.append((self.lap, event.n))
        elif name == "bonus" and own.trades:  # the troops on a card's own territory are of its trade
            own.trades[-1] = (own.trades[-1][0], own.trades[-1][1] + event.n)
        elif name == "reinforced":
            own.reinforced.append(event.n)
        elif name == "fulfilled":
            kind = "changed_mission" if self._has_changed(event.seat, state) else "mission"
            own.missions.append((self.lap, self._goal("mission", event.a, kind)))
        elif name in ("objective", "objective_taken"):
            source = self._seat(event.b) if name == "objective_taken" else -1
            own.objectives.append((self.lap, self._goal("objective", event.a), source))
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


_chronicle = lru_cache(maxsize=1)(Chronicle)  # one game is told seat by seat


def sentences(record: Record) -> tuple[tuple[str, ...], ...]:
    """For each seat what decided its game, most telling first."""
    chronicle = _chronicle(record)
    seats = range(record.game().seats)
    names = seat_names(record)
    tell = [_winner if seat in record.facts.winners else _loser for seat in seats]
    return tuple(tuple(tell[seat](chronicle, seat, names)) for seat in seats)


def goal(record: Record, who: str = "") -> str:
    """By which goal the winner, called `who`, won: a mission, headquarters, objectives; "" if none."""
    options = options_of(record.game().ruleset)
    if not any(options[name] not in (0, "none") for name in GOALS):
        return ""
    chronicle = _chronicle(record)
    winner = record.facts.winners[0]
    own = chronicle.ledgers[winner]
    who = who or "it"
    if own.missions:
        lap, mission = own.missions[-1]
        return f"{who} fulfilled its mission in lap {lap}: {mission}"
    if not chronicle.conquered:
        return ""
    if options["headquarters"] != "none":
        return f"{who} held {_headquarters(chronicle, winner, seat_names(record))}"
    held = ", ".join(objective for _, objective, _ in own.objectives)
    return f"{who} held its capital and {counted(len(own.objectives), 'objective')}: {held}"


def _headquarters(chronicle: Chronicle, winner: int, names: list[str]) -> str:
    """Whose headquarters a seat had in the end, and where they are."""
    others = [
        f"{_name(names, seat)} ({each.capital})"
        for seat, each in enumerate(chronicle.ledgers)
        if seat != winner and each.capital and each.capital_holder == winner
    ]
    those = "that" if len(others) == 1 else "those"
    return f"its own headquarters ({chronicle.ledgers[winner].capital}) and {those} of {listed(others)}"


def _winner(chronicle: Chronicle, seat: int, names: list[str]) -> list[str]:
    own = chronicle.ledgers[seat]
    told = [*_objectives(own, names), *_capital(chronicle, seat, names), *_victims(own, names)]
    led = _lead(chronicle, seat)
    if led is not None:
        land = counted(own.land[led], "territory", "territories")
        later = " and of every later one" if led < max(own.land) else ""
        told.append(
            f"at the start of lap {led}{later} it held more land than any other player ({land} in lap {led})"
        )
    return told + _growth(own) + _income(chronicle, seat, names) + _dice(chronicle, own)


def _loser(chronicle: Chronicle, seat: int, names: list[str]) -> list[str]:
    own = chronicle.ledgers[seat]
    told = []
    if own.fell_to is not None and own.fell_to[1] >= 0:
        told.append(f"in lap {own.fell_to[0]} {_name(names, own.fell_to[1])} eliminated it")
    if own.mission:
        told.append(f"its own mission was: {own.mission}")
    told += [*_objectives(own, names), *_capital(chronicle, seat, names), *_victims(own, names)]
    if own.land:
        best = max(own.land, key=lambda lap: own.land[lap])
        land = counted(own.land[best], "territory", "territories")
        more = _had_more([ledger.land.get(best, 0) for ledger in chronicle.ledgers], own.land[best], names)
        told.append(f"at the start of lap {best} it held {land}, its most at the start of any lap ({more})")
    if own.lost:
        worst = max(own.lost, key=lambda lap: own.lost[lap].total())
        robber, most = own.lost[worst].most_common(1)[0]
        total = own.lost[worst].total()
        share = "" if total == 1 else " all of them" if most == total else f" {most} of them"
        lost = counted(total, "territory", "territories")
        told.append(f"in lap {worst} it lost {lost},{share} to {_name(names, robber)}")
    return told + _growth(own) + _income(chronicle, seat, names) + _dice(chronicle, own)


def _objectives(own: Ledger, names: list[str]) -> list[str]:
    return [
        f"it claimed an objective in lap {lap}: {objective}"
        if source < 0
        else f"it took an objective of {_name(names, source)} in lap {lap}: {objective}"
        for lap, objective, source in own.objectives
    ]


def _victims(own: Ledger, names: list[str]) -> list[str]:
    return [f"it eliminated {_name(names, victim)} in lap {lap}" for lap, victim in own.victims]


def _capital(chronicle: Chronicle, seat: int, names: list[str]) -> list[str]:
    """That its capital or headquarters fell, to whom the last time, and who had it in the end."""
    own = chronicle.ledgers[seat]
    if not own.capital_falls:
        return []
    lap, captor = own.capital_falls[-1]
    kind = "capital" if options_of(chronicle.game.ruleset)["headquarters"] == "none" else "headquarters"
    told = f"its {kind} ({own.capital}) fell to {_name(names, captor)} in lap {lap}"
    if own.capital_holder == seat:
        return [f"{told}, but in the end it held it again"]
    if own.capital_holder != captor:
        return [f"{told}; in the end {_name(names, own.capital_holder)} held it"]
    return [told]


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
    total, best = own.taken.total(), max(own.taken, key=lambda lap: own.taken[lap])
    share = (
        "" if total == 1 else " all of them" if own.taken[best] == total else f" {own.taken[best]} of them"
    )
    return [f"it captured {counted(total, 'territory', 'territories')},{share} in lap {best}"]


def _income(chronicle: Chronicle, seat: int, names: list[str]) -> list[str]:
    own = chronicle.ledgers[seat]
    told = []
    if own.reinforced:
        means = [sum(each.reinforced) / max(1, len(each.reinforced)) for each in chronicle.ledgers]
        more = _had_more(means, means[seat], names)
        told.append(f"it got {means[seat]:.1f} troops a turn besides its trades ({more})")
    if own.trades:
        lap, troops = max(own.trades, key=lambda trade: trade[1])
        total = sum(troops for _, troops in own.trades)
        if len(own.trades) == 1:
            told.append(f"it traded once, in lap {lap}, for {counted(troops, 'troop')}")
        else:
            largest = f"the largest trade in lap {lap} ({troops})"
            told.append(f"it traded {len(own.trades)} times for {total} troops in all, {largest}")
    return told


def _dice(chronicle: Chronicle, own: Ledger) -> list[str]:
    if not chronicle.plain_dice or own.rolls < LEAST_ROLLS or abs(own.luck) < NOTABLE_LUCK:
        return []
    side = "for" if own.luck > 0 else "against"
    return [f"the dice were {side} it by {abs(own.luck):.1f} troops over {own.rolls} rolls"]


def _had_more(figures: Sequence[float], own: float, names: list[str]) -> str:
    """Which players a figure of whom, by seat, is above one's own."""
    above = [name for name, figure in zip(names, figures, strict=True) if figure > own]
    return f"{listed(above)} had more" if above else "no other player had more"


def _name(names: list[str], seat: int) -> str:
    return names[seat] if 0 <= seat < len(names) else "the neutral"
