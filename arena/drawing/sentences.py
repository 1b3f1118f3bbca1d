"""Events as sentences for people: what repeats is told once, as one battle or one round of placing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine_core.facts import words
from engine_core.registry import options_of
from engine_core.text import NO_OPERAND

if TYPE_CHECKING:
    from engine_core import Event, Game

TURN_WORD = "Lap "  # what the sentence starts with that opens a turn
TERMINATIONS = {1: "by the rules", 2: "at the turn cap", 3: "since the others left"}
# What one event says: {a}, {b}, {c} are its operands in words, {n} its amount, {troops} that many troops.
# An event that another one tells as well says nothing.
SENTENCES = {
    "rolled_first": "",
    "turn": TURN_WORD + "{n}, {who} ({player})",
    "reinforced": "{who} gets {troops}",
    "traded": "{who} trades {a}, {b} and {c} for {troops}",
    "bonus": "{who} gets {troops} in {a} for its card",
    "attacked": "",
    "rolled": "",
    "occupied": "",
    "eliminated": "{b} has lost its last territory",
    "cards_taken": "{who} takes {cards} of {b}",
    "card_taken": "",
    "drew": "{who} draws a card",
    "reshuffled": "the discards are shuffled: a deck of {cards}",
    "fortified": "{who} moves {troops} from {a} to {b}",
    "retired": "{who} leaves the game",
    "over": "the game is over, {how}",
    "mission": "",
    "mission_changed": "",
    "fulfilled": "{who} has fulfilled its mission: {a}",
    "objective_drawn": "on the board: {a}{with_b}",
    "capital": "{who} has its capital in {a}",
    "headquarters_picked": "",
    "headquarters": "{who} has its headquarters in {a}",
    "stars": "{who} turns in {a} one-star and {b} two-star cards for {troops}",
    "objective": "{who} claims an objective: {a}",
    "objective_taken": "{who} takes over an objective of {b}: {a}",
    "reward": "{who} gets the reward {a}",
    "reward_lost": "{who} loses the reward {a}",
    "airfield": "{who} builds an airfield in {a}",
    "airfield_lost": "{who} loses the airfield in {a}",
    "rerolled": "{who} rolls a die again",
    "commanded": "{who} turns a die to 6",
    "lost_troops": "{who} has no room for {troops}",
    "conquered": "{who} holds {goal}",
}
# Events that are counted over a whole run of them, by the operand that is counted.
COUNTED = {"city": "a", "dealt": "b", "claimed": "b", "placed": "b", "deployed": "a"}
COUNTS = {
    "city": "cities are in {list}",
    "dealt": "the territories are dealt: {list}",
    "claimed": "territories are claimed: {list}",
    "placed": "troops are placed: {list}",
    "deployed": "{who} deploys {list}",
}
BATTLE = {"attacked", "rolled", "rerolled", "commanded", "battle", "captured", "occupied"}


@dataclass
class _Run:
    """Events that make one sentence: all of one kind and seat, or all of one attack."""

    key: tuple[str, int, int, int]
    counts: Counter[int] = field(default_factory=Counter)
    rolls: int = 0
    killed: int = 0
    lost: int = 0
    moved: int = 0
    ended: str = ""


class Teller:
    """Turns events into sentences about the colours that the board shows; `players` are named by seat."""

    def __init__(self, game: Game, players: Sequence[str] = ()) -> None:
        self.game = game
        self.players = players
        self.kinds = game.description.events
        self.words = words(game.ruleset)
        self.run: _Run | None = None
        self.troops: Sequence[int] = ()
        self.changed: Sequence[int] = ()

    def tell(self, events: Iterable[Event], troops: Sequence[int], changed: Sequence[int] = ()) -> list[str]:
        """The sentences that these events complete.

        After them, `troops` stand on each territory, and `changed` is 1 for a colour whose mission became
        the fallback.
        """
        told: list[str] = []
        self.changed = changed
        events = list(events)
        names = [self._name(event) for event in events]
        for event, name in zip(events, names, strict=True):
            if name == "claimed" and "capital" in names:
                continue  # the capital's own sentence tells it
            key = self._key(event)
            if self.run is not None and self.run.key != key:
                told += self.rest()
            if key is None:
                told += filter(None, [self._sentence(event)])
            else:
                self.run = self.run or _Run(key)
                self._add(self.run, event)
        self._losses(names, troops)
        self.troops = troops
        return told

    def rest(self) -> list[str]:
        """What is being told and not complete yet, as if it were; it is told then."""
        run, self.run = self.run, None
        text = self._run_text(run) if run else ""
        return [text] if text else []

    def _key(self, event: Event) -> tuple[str, int, int, int] | None:
        """What the run that an event belongs to has in common, None when it stands alone."""
        name = self._name(event)
        if name in COUNTED:
            return name, event.seat if name == "deployed" else -1, 0, 0
        if name in BATTLE and self.kinds[event.kind].operands[0] == "territory":
            return "battle", event.seat, event.a, event.b
        return self.run.key if self.run and name in BATTLE and self.run.key[0] == "battle" else None

    def _name(self, event: Event) -> str:
        return self.kinds[event.kind].name if event.kind < len(self.kinds) else ""

    def _add(self, run: _Run, event: Event) -> None:
        name = self.kinds[event.kind].name
        if name in COUNTED:
            run.counts[getattr(event, COUNTED[name])] += event.n if name == "deployed" else 1
        elif name == "battle":
            run.rolls += 1
            run.killed += event.n
        elif name == "captured":
            run.ended = self._colour(event.c)
        elif name == "occupied":
            run.moved = event.n

    def _losses(self, names: Sequence[str], troops: Sequence[int]) -> None:
        """The attacker's losses: what its territory has less after a roll; a capturing roll costs none."""
        if self.run and self.run.key[0] == "battle" and "battle" in names and "captured" not in names:
            source = self.run.key[2]
            if self.troops:
                self.run.lost += self.troops[source] - troops[source]

    def _run_text(self, run: _Run) -> str:
        kind, seat, source, target = run.key
        if kind == "battle":
            return self._battle_text(run, self._who(seat), self._place(source), self._place(target))
        if kind == "deployed":
            parts = [f"{count} in {self._place(place)}" for place, count in run.counts.items()]
        elif kind == "city":
            parts = [self._place(place) for place in run.counts]
        else:
            parts = [f"{self._colour(colour)} {count}" for colour, count in sorted(run.counts.items())]
        return _capital(COUNTS[kind].format(who=self._who(seat), list=", ".join(parts)))

    def _battle_text(self, run: _Run, who: str, source: str, target: str) -> str:
        if not run.rolls and not run.moved:
            return ""
        if not run.rolls:
            return _capital(f"{who} moves {run.moved} into {target}")
        times = f" ({run.rolls} rolls)" if run.rolls > 1 else ""
        text = f"{who} attacks {target} from {source}{times}: kills {run.killed}, loses {run.lost}"
        if run.ended:
            text += f", and takes it from {run.ended}" + (f" with {run.moved}" if run.moved else "")
        return _capital(text)

    def _sentence(self, event: Event) -> str:
        if event.kind >= len(self.kinds) or self.kinds[event.kind].name not in SENTENCES:
            return self.game.event_text(event)
        kind = self.kinds[event.kind]
        a, b, c = (
            self._operand(of, value)
            for of, value in zip(kind.operands, (event.a, event.b, event.c), strict=True)
        )
        if kind.name == "fulfilled" and self._has_changed(event.seat):
            a = self._operand("changed_mission", event.a)
        return _capital(
            SENTENCES[kind.name].format(
                who=self._who(event.seat),
                player=self.players[event.seat] if 0 <= event.seat < len(self.players) else "",
                a=a,
                b=b,
                c=c,
                n=event.n,
                troops=_many(event.n, "troop"),
                cards=_many(event.n, "card"),
                with_b=f", with {b}" if b else "",
                how=TERMINATIONS.get(event.n, "as it is"),
                goal=self._goal() if kind.name == "conquered" else "",
            )
        )

    def _goal(self) -> str:
        """What a seat holds that wins by the board alone."""
        if options_of(self.game.ruleset)["headquarters"] != "none":
            return "the headquarters that it needs to win"
        return "its capital and the objectives that it needs to win"

    def _has_changed(self, seat: int) -> bool:
        """Whether the mission of a seat's colour became the fallback."""
        return any(
            flag > 0 and owner == seat
            for flag, owner in zip(self.changed, self.game.description.colour_seat, strict=False)
        )

    def _operand(self, of: str, value: int) -> str:
        """An operand in words; empty when there is none."""
        if not of or value == NO_OPERAND:
            return ""
        if of == "territory":
            return self._place(value)
        if of == "colour":
            return self._colour(value)
        names = self.game.description.names("mission" if of == "changed_mission" else of)
        name = names[value] if value < len(names) else str(value)
        if of == "card":
            return self._card(value, name)
        return self.words.get(of, {}).get(name, name)

    def _card(self, number: int, name: str) -> str:
        cards = self.game.ruleset.deck.cards
        place = cards[number].territory if number < len(cards) else -1
        return self._place(place) if place >= 0 else "a wild" if name.startswith("wild") else name

    def _place(self, index: int) -> str:
        names = self.game.description.territory_names
        return names[index] if 0 <= index < len(names) else str(index)

    def _colour(self, colour: int) -> str:
        names = self.game.description.colours
        return names[colour] if 0 <= colour < len(names) else "nobody"

    def _who(self, seat: int) -> str:
        """The seat's colour, or its number when it commands several or none."""
        own = [c for c, owner in enumerate(self.game.description.colour_seat) if owner == seat >= 0]
        return self._colour(own[0]) if len(own) == 1 else f"seat {seat}" if seat >= 0 else "neutral"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
