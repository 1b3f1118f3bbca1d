"""The endor family: three battles at once, and what each of them came to."""

from __future__ import annotations

from collections import Counter

from arena.record import Record, walk
from engine_core.facts import words

REBELS, EMPIRE = range(2)
IMPERIAL = ("tie", "executor")
GOALS = ("the Death Star was destroyed", "no Rebel ship and no fleet marker was left")


class Chronicle:
    """Walks a record and counts by side: losses, orders, and what ended a battle."""

    def __init__(self, record: Record) -> None:
        game = record.game()
        description = game.description
        self.teams = description.teams
        self.meanings = words(game.ruleset)
        self.losses: list[Counter[str]] = [Counter(), Counter()]
        self.orders: list[Counter[str]] = [Counter(), Counter()]
        self.turning: list[str] = []  # what both sides are told
        kinds = [kind.name for kind in description.events]
        ships, heroes, orders = (description.names(kind) for kind in ("ship", "hero", "order"))
        for state, events in walk(record):
            lap = state.result().lap
            for event in events:
                kind = kinds[event.kind]
                if kind == "destroyed":
                    side = EMPIRE if ships[event.a] in IMPERIAL else REBELS
                    self.losses[side][self._word("ship", ships[event.a])] += event.n
                elif kind == "ordered":
                    self.orders[self.teams[event.seat]][self._word("order", orders[event.a])] += 1
                elif kind == "shield_down":
                    self.turning.append(f"the shield went down in round {lap}")
                elif kind == "fell":
                    self.turning.append(f"{self._word('hero', heroes[event.a])} fell in round {lap}")
        self.final = state.public_view()

    def _word(self, kind: str, name: str) -> str:
        return self.meanings.get(kind, {}).get(name, name.replace("_", " "))


def sentences(record: Record) -> tuple[tuple[str, ...], ...]:
    """For each seat what decided its side's game."""
    chronicle = Chronicle(record)
    winning = {chronicle.teams[seat] for seat in record.facts.winners}
    told = [_side(chronicle, side, won=side in winning, record=record) for side in (REBELS, EMPIRE)]
    return tuple(tuple(told[team]) for team in chronicle.teams)


def goal(record: Record) -> str:
    """By which goal a side won."""
    return GOALS[record.game().description.teams[record.facts.winners[0]]]


def _side(chronicle: Chronicle, side: int, *, won: bool, record: Record) -> list[str]:
    told = []
    if record.facts.termination == "rules" and record.facts.winners:
        told.append(GOALS[side if won else 1 - side])
    told += chronicle.turning
    if not any("shield" in text for text in chronicle.turning):
        gone = int(chronicle.final.shield)
        told.append(f"the shield stood to the end, {gone} spaces of its track gone")
    told.append(
        f"its losses: {_list(chronicle.losses[side])}; the other side's: {_list(chronicle.losses[1 - side])}"
    )
    told.append(f"its orders: {_list(chronicle.orders[side])}")
    told.append(f"in the duel Luke had {chronicle.final.luke} hits left and Vader {chronicle.final.vader}")
    return told


def _list(counts: Counter[str]) -> str:
    return ", ".join(f"{count} x {name}" for name, count in counts.most_common()) or "none"
