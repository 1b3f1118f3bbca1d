"""The endor family: three battles at once, and what each of them came to."""

from __future__ import annotations

from collections import Counter

from arena.record import Record, walk
from arena.stories import counted
from engine_core.facts import words

REBELS, EMPIRE = range(2)
IMPERIAL = ("tie", "executor")
SIDES = ("the Rebels", "the Empire")
GOALS = ("the Death Star was destroyed", "no Rebel ship and no fleet marker was left")
DEEDS = ("destroyed the Death Star", "left no Rebel ship and no fleet marker")


class Chronicle:
    """Walks a record and notes the losses of each side, the orders of each seat, and what ended a battle."""

    def __init__(self, record: Record) -> None:
        game = record.game()
        description = game.description
        self.teams = description.teams
        self.meanings = words(game.ruleset)
        self.losses: list[Counter[str]] = [Counter(), Counter()]
        self.orders: list[Counter[str]] = [Counter() for _ in range(game.seats)]  # by seat
        self.turning: list[str] = []  # what both sides are told
        kinds = [kind.name for kind in description.events]
        ships, heroes, orders = (description.names(kind) for kind in ("ship", "hero", "order"))
        lap = 1
        for state, events in walk(record):
            self.final = state
            for event in events:
                kind = kinds[event.kind]
                if kind == "round":
                    lap = event.n  # the state is already in the next round when a step ends one
                elif kind == "destroyed":
                    side = EMPIRE if ships[event.a] in IMPERIAL else REBELS
                    self.losses[side][self._word("ship", ships[event.a])] += event.n
                elif kind == "ordered":
                    self.orders[event.seat][self._word("order", orders[event.a])] += 1
                elif kind == "shield_down":
                    self.turning.append(f"the shield went down in round {lap}")
                elif kind == "fell":
                    self.turning.append(f"{self._word('hero', heroes[event.a])} fell in round {lap}")

    def _word(self, kind: str, name: str) -> str:
        return self.meanings.get(kind, {}).get(name, name.replace("_", " "))


def sentences(record: Record) -> tuple[tuple[str, ...], ...]:
    """For each seat what decided its side's game, and what the seat itself did."""
    chronicle = Chronicle(record)
    return tuple(
        (*_battles(chronicle, side), _orders(chronicle.orders[seat]))
        for seat, side in enumerate(chronicle.teams)
    )


def goal(record: Record, who: str = "") -> str:
    """By which goal a side won; `who` was on it, where that must be said."""
    if record.facts.termination != "rules":
        return ""
    side = record.game().description.teams[record.facts.winners[0]]
    return f"{SIDES[side]} ({who}) {DEEDS[side]}" if who else GOALS[side]


def _battles(chronicle: Chronicle, side: int) -> list[str]:
    """What became of both sides, a seat's own side first."""
    told = list(chronicle.turning)
    if not any("shield" in text for text in chronicle.turning):
        gone = counted(int(chronicle.final.shield), "space")
        told.append(f"the shield stood to the end, {gone} of its track gone")
    told += [f"{SIDES[each]} lost {_list(chronicle.losses[each])}" for each in (side, 1 - side)]
    luke = counted(int(chronicle.final.luke), "hit")
    told.append(f"in the duel Luke had {luke} left and Vader {chronicle.final.vader}")
    return told


def _orders(own: Counter[str]) -> str:
    if not own:
        return "it gave no order"
    return f"it gave {counted(own.total(), 'order')}: {_list(own)}"


def _list(counts: Counter[str]) -> str:
    return ", ".join(f"{count} x {name}" for name, count in counts.most_common()) or "nothing"
