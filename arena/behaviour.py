"""What a seat does in a game of the conquest family, as numbers: regions, borders, and whom it attacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from arena.record import Record, walk
from arena.tactics import Situation, terrain_of
from engine_core import Event, Game, State


@dataclass(slots=True)
class Behaviour:
    """One seat's sums over its turns; the properties are the measures, each 0 where there was nothing to see.

    A turn is looked at when the next seat's begins. A target is a territory attacked at least once in a turn.
    Only what happens while the game is open counts, while no colour holds more than half of the board:
    whoever sweeps the rest holds everything and attacks everybody.
    """

    turns: int = 0
    regions: int = 0
    bonus: int = 0
    border_shares: float = 0.0
    guarded_shares: float = 0.0
    colours_attacked: int = 0
    targets: int = 0
    targets_with_choice: int = 0
    targets_of_strongest: int = 0

    def add(self, other: Behaviour) -> None:
        """Take in the sums of another game."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    @property
    def regions_held(self) -> float:
        """Whole regions held at the end of a turn."""
        return self.regions / max(1, self.turns)

    @property
    def bonus_held(self) -> float:
        """Troops a turn that the regions held at its end bring."""
        return self.bonus / max(1, self.turns)

    @property
    def border_share(self) -> float:
        """Share of all own troops that stand on territories with an enemy neighbour at the end of a turn."""
        return self.border_shares / max(1, self.turns)

    @property
    def guarded_share(self) -> float:
        """Share of these territories that match the largest stack of a rival beside them."""
        return self.guarded_shares / max(1, self.turns)

    @property
    def neighbours_attacked(self) -> float:
        """Different colours attacked in a turn."""
        return self.colours_attacked / max(1, self.turns)

    @property
    def strongest_share(self) -> float:
        """Share of targets that belong to the rival with the most troops beside the own borders.

        Only targets chosen while two or more rivals stand there count.
        """
        return self.targets_of_strongest / max(1, self.targets_with_choice)


def behaviour(record: Record) -> list[Behaviour]:
    """The behaviour of every seat of a recorded game; RecordError when it cannot be replayed."""
    return behaviour_of(record.game(), walk(record))


def behaviour_of(game: Game, steps: Iterable[tuple[State, Sequence[Event]]]) -> list[Behaviour]:
    """The behaviour of every seat, from the state after each step of a game and what happened in the step."""
    observer = _Observer(game)
    for state, events in steps:
        observer.observe(state, events)
    return observer.seats


def is_open(owner: Sequence[int]) -> bool:
    """Whether no colour holds more than half of the territories."""
    return 2 * max(Counter(owner).values()) <= len(owner)


class _Observer:
    """Follows one game; it keeps the board before each step, for an attack may change it at once."""

    def __init__(self, game: Game) -> None:
        described = game.description
        kinds = [kind.name for kind in described.events]
        self.turn, self.attacked = kinds.index("turn"), kinds.index("attacked")
        self.terrain = terrain_of(game.ruleset)
        self.colour_of = [described.colour_seat.index(seat) for seat in range(game.seats)]
        self.passive = frozenset({-1, *(c for c, seat in enumerate(described.colour_seat) if seat < 0)})
        self.seats = [Behaviour() for _ in range(game.seats)]
        self.on_turn: int | None = None
        self.attacked_now: dict[int, int] = {}
        self.board: tuple[Sequence[int], Sequence[int]] = (), ()

    def observe(self, state: State, events: Sequence[Event]) -> None:
        if self.on_turn is None and not events and state.lap > 0:  # what is watched begins in mid-game
            self.on_turn = self.colour_of.index(state.turn_colour)
        for event in events:
            if event.kind == self.attacked and event.b not in self.attacked_now and is_open(self.board[0]):
                self.see_target(self.situation(event.seat, *self.board), event.seat, event.b)
            elif event.kind == self.turn:
                if self.on_turn is not None and is_open(state.owner):
                    self.see_turn(self.situation(self.on_turn, state.owner, state.troops), self.on_turn)
                self.on_turn = event.seat
        self.board = state.owner, state.troops

    def situation(self, seat: int, owner: Sequence[int], troops: Sequence[int]) -> Situation:
        return Situation(self.terrain, self.colour_of[seat], owner, troops, self.passive)

    def see_target(self, now: Situation, seat: int, target: int) -> None:
        colour = now.owner[target]
        self.attacked_now[target] = colour
        seen = self.seats[seat]
        seen.targets += 1
        if len(now.beside) > 1:
            beside = {rival: sum(now.troops[t] for t in near) for rival, near in now.beside.items()}
            seen.targets_with_choice += 1
            seen.targets_of_strongest += beside.get(colour) == max(beside.values())

    def see_turn(self, now: Situation, seat: int) -> None:
        """Count a turn just ended, unless the seat has fallen or holds everything."""
        seen = self.seats[seat]
        seen.colours_attacked += len(set(self.attacked_now.values()))
        self.attacked_now.clear()
        if not now.fronts:
            return
        seen.turns += 1
        seen.regions += len(now.regions)
        seen.bonus += sum(now.terrain.bonus[region] for region in now.regions)
        on_borders = sum(now.troops[territory] for territory in now.fronts)
        seen.border_shares += on_borders / sum(now.troops[territory] for territory in now.own)
        guarded = (
            now.troops[front] >= max((now.troops[near] for near in now.rivals_near(front)), default=0)
            for front in now.fronts
        )
        seen.guarded_shares += sum(guarded) / len(now.fronts)
