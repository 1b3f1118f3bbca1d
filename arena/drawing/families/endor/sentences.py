"""Events of the endor family as sentences: all that comes of one card is told as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from arena.drawing.sentences import TERMINATIONS
from engine_core.endor.describe import cards
from engine_core.endor.tables import SPECIAL_SHIPS
from engine_core.facts import words
from engine_core.text import NO_OPERAND

if TYPE_CHECKING:
    from engine_core import Event, Game

ROUND_WORD = "Round "  # what the sentence starts with that opens a round
# {who} is the seat, {a} and {b} the operands in words, {n} the amount, {ships} that many ships.
ALONE = {
    "round": ROUND_WORD + "{n}",
    "retired": "{who} leaves the game",
    "won": "the game is won by {a}",
    "over": "the game is over, {how}",
}
PARTS = {
    "flipped": "",  # opens the sentence
    "drew": "{who} {n}",
    "picked": "{a}",
    "useless": "no order of it can be given",
    "passed": "none of them",
    "ordered": "{a}",
    "deployed": "{ships} out of the Executor at {a}",
    "moved": "{ships} from {a} to {b}",
    "attacked": "attack on {b} from {a} with {dice}",
    "hit": "{n} on the {a}",
    "wasted": "{n} without effect",
    "fired": "fire at {a} with {dice}: {struck}",
    "destroyed": "{ships} destroyed at {b}",
    "cleared": "{a} cleared",
    "ambushed": "{troopers} in ambush",
    "assaulted": "{dice} take {spaces} of the shield track",
    "shield_down": "the shield is down",
    "duelled": "{dice}{hits} on {foe}",
    "fell": "{a} is out",
    "bonus": "{bonus}",
    "reshuffled": "discards of {a} shuffled, {n} cards",
}
HEADS = {"drew": "cards drawn", "picked": "{who} chooses"}  # of the runs that do not start with a card
COUNTED = {"drew", "hit", "wasted", "destroyed"}  # told once with their number
FOES = {"luke": "Vader", "vader": "Luke", "emperor": "Luke"}


@dataclass
class _Run:
    """Events that make one sentence, the repeated ones counted; `kind` is that of the first."""

    kind: str
    head: str
    parts: dict[tuple[object, ...], tuple[Event, int]] = field(default_factory=dict)


class Teller:
    """Turns events into sentences."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.kinds = game.description.events
        self.words = words(game.ruleset)
        self.orders = [orders for _, _, orders in cards(game.ruleset.tables["game"])]
        self.run: _Run | None = None

    def tell(self, events: Iterable[Event]) -> list[str]:
        """The sentences that these events complete."""
        told: list[str] = []
        for event in events:
            name = self.kinds[event.kind].name
            if name in ALONE:
                told += [*self.rest(), _capital(ALONE[name].format(**self._values(event, event.n)))]
            elif name in PARTS:
                told += self._add(name, event)
            else:
                told += [*self.rest(), self.game.event_text(event)]
        return told

    def rest(self) -> list[str]:
        """What is being told and not complete yet, as if it were; it is told then."""
        run, self.run = self.run, None
        if run is None:
            return []
        texts = [
            PARTS[self.kinds[event.kind].name].format(**self._values(event, count))
            for event, count in run.parts.values()
        ]
        body = ", ".join(text for text in texts if text)
        return [_capital(": ".join(text for text in (run.head, body) if text))]

    def _add(self, name: str, event: Event) -> list[str]:
        """Put an event to the run it belongs to; what an earlier run said, if this one starts a new one."""
        starts = name == "flipped" or (name in HEADS and (self.run is None or self.run.kind != name))
        told = self.rest() if starts else []
        if self.run is None:
            self.run = _Run(name, self._head(name, event))
        if name == "hit" and self._name("ship", event.a) not in SPECIAL_SHIPS:
            return told  # that it is destroyed is told
        key: tuple[object, ...] = (name, event.seat, event.a, event.b)
        if name not in COUNTED:
            key = (*key, len(self.run.parts))
        elif name == "wasted":
            key = (name,)
        amount = event.n if name not in COUNTED or name == "destroyed" else 1
        first, count = self.run.parts.get(key, (event, 0))
        self.run.parts[key] = first, count + amount
        return told

    def _head(self, name: str, event: Event) -> str:
        if name == "flipped":
            return f"{self._who(event.seat)} with {self._card(event.a)}"
        return HEADS.get(name, "").format(who=self._who(event.seat))

    def _values(self, event: Event, count: int) -> dict[str, object]:
        """Everything that a sentence may name."""
        kind = self.kinds[event.kind]
        a, b, c = (
            self._operand(of, value)
            for of, value in zip(kind.operands, (event.a, event.b, event.c), strict=True)
        )
        ship = next(
            (
                self._name("ship", value)
                for of, value in zip(kind.operands, (event.a, event.b, event.c), strict=True)
                if of == "ship"
            ),
            "tie",
        )
        dice = " ".join(str(die) for die in event.dice)
        return {
            "who": self._who(event.seat),
            "a": a,
            "b": b,
            "c": c,
            "n": _many(count, "hit")
            if kind.name == "hit"
            else _dice(count)
            if kind.name == "wasted"
            else count,
            "ships": self._ships(ship, count),
            "dice": f"{dice}: " if kind.name == "duelled" and dice else dice,
            "hits": _many(count, "hit"),
            "foe": FOES.get(self._name("order", event.a), "") if kind.name == "duelled" else "",
            "struck": "a hit" if count else "a miss",
            "bonus": _many(count, "bonus card"),
            "troopers": _many(count, "more storm trooper"),
            "spaces": _many(count, "space"),
            "how": TERMINATIONS.get(event.n, "as it is"),
        }

    def _operand(self, of: str, value: int) -> str:
        if not of or value == NO_OPERAND:
            return ""
        name = self._name(of, value)
        return self._card(value) if of == "card" else self.words.get(of, {}).get(name, name)

    def _name(self, of: str, value: int) -> str:
        names: Sequence[str] = self.game.description.names(of)
        return names[value] if 0 <= value < len(names) else str(value)

    def _card(self, card: int) -> str:
        return " or ".join(self.words["order"][order] for order in self.orders[card])

    def _ships(self, ship: str, count: int) -> str:
        text = self.words["ship"].get(ship, ship)
        return f"the {text}" if ship in SPECIAL_SHIPS else _many(count, text)

    def _who(self, seat: int) -> str:
        colours = self.game.description.colours
        return colours[seat] if 0 <= seat < len(colours) else ""


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _dice(count: int) -> str:
    return "1 die" if count == 1 else f"{count} dice"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
