"""The order of a turn, and who is asked what."""

from __future__ import annotations

from engine_core import Game
from reference.cards import Cards
from reference.combat import Combat
from reference.goals import Goals
from reference.moves import Moves
from reference.opening import Opening
from reference.table import Table
from reference.words import Luck, Move, Ranges, Start


class Turn(Table):
    """A turn from its reinforcements to its card."""

    def begin(self, seat: int) -> None:
        self.turn = seat
        self.phase = "stars" if self.options["trade_values"] == "stars" else "trade"
        self.at_start = set(self.own(seat))
        self.reinforcements = self.income()
        self.trades = self.bonuses = 0
        self.captured = self.forced = self.claimed_objective = self.commanded = False
        if self.missions:
            self.settle()

    def income(self) -> int:
        own = set(self.own(self.turn))
        found = max(3, (len(own) + len(own & self.cities)) // 3)
        found += sum(self.region_bonus[region] for region in self.whole_regions(self.turn))
        if self.options["capitals"] != "none":
            found += sum(place in own for place in self.capital)
        if self.rewarded(self.turn, "two_troops"):
            self.seen["two troops"] += 1
            found += self.edition["reward_troops"]
        return found

    def to_deploy(self) -> None:
        self.phase = "deploy"
        self.deployed()

    def deployed(self) -> None:
        """Go on when nothing is left; troops for which there is no room are lost, and only those."""
        if self.reinforcements and not self.room(self.turn):
            self.seen["troops lost"] += 1
            self.reinforcements = 0
        if not self.reinforcements:
            self.after_deploy()

    def deploy_ranges(self, _seat: int) -> Ranges:
        most = {own: min(self.reinforcements, self.cap - self.troops[own]) for own in self.own(self.turn)}
        return {("deploy", own, 0, 0): (1, many) for own, many in most.items() if many}

    def do_deploy(self, move: Move, _seat: int) -> None:
        self.troops[move.a] += move.n
        self.reinforcements -= move.n
        if not self.settle():
            self.deployed()

    def after_deploy(self) -> None:
        """A Starting Maneuver comes before the first attack, so not after a trade forced in between."""
        self.seen["forced trade"] += self.forced
        self.seen["forced trade, no second maneuver"] += self.forced and self.rewarded(
            self.turn, "starting_maneuver"
        )
        if not self.forced and self.rewarded(self.turn, "starting_maneuver"):
            self.start_moves("maneuver")
        else:
            self.phase = "attack"

    def end_attacks(self) -> None:
        self.phase = "objective"
        if not self.objectives or self.options["objectives"] == "none":
            self.after_attacks()

    def after_attacks(self) -> None:
        if self.options["card_draw_time"] == "end_attack":
            self.draw()
        self.start_moves("fortify")

    def end_turn(self) -> None:
        if self.options["objectives"] != "none" and self.objective_win():
            return
        if self.options["card_draw_time"] == "end_turn":
            self.draw()
        lap = self.lap
        for seat in self.round_from(self.turn):
            lap += seat == self.first
            if seat in self.living:
                break
        if lap > int(self.options["turn_cap"]):
            self.ending, self.phase = "turn_cap", "over"
        else:
            self.lap = lap
            self.begin(seat)


class Reference(Opening, Cards, Combat, Moves, Goals, Turn):
    """One game; `asked` and ranges() say who is asked what, play() answers."""

    def __init__(self, game: Game, start: Start, luck: Luck) -> None:
        super().__init__(game, start)
        self.luck = luck
        self.open(start)
        self.go_on()

    @property
    def asked(self) -> set[int]:
        """The seats that owe a decision."""
        if self.ending:
            return set()
        if self.phase == "headquarters":
            return self.choosers()
        if self.phase != "defend" or self.battle is None:
            return {self.turn}
        colour = self.owner[self.battle.target]
        return {self.next_seat(self.turn) if colour == self.neutral else colour}

    @property
    def winners(self) -> set[int]:
        """Who has won: by a goal, or as the only one left."""
        if self.ending != "rules":
            return set()
        return self.living if self.winner < 0 else {self.winner}

    def ranges(self, seat: int) -> Ranges:
        """Every legal action of an asked seat."""
        offered: Ranges = getattr(self, f"{self.phase}_ranges")(seat)
        return offered

    def play(self, seat: int, move: Move, luck: Luck) -> None:
        """Play an action of an asked seat, and then whatever leaves no choice."""
        self.luck = luck
        self.decisions += 1
        self.do(seat, move)
        self.go_on()

    def do(self, seat: int, move: Move) -> None:
        getattr(self, f"do_{move.kind}")(move, seat)

    def go_on(self) -> None:
        while (only := self.single_answer()) is not None:
            self.do(*only)

    def single_answer(self) -> tuple[int, Move] | None:
        for seat in sorted(self.asked):
            offered = self.ranges(seat)
            if len(offered) == 1:
                ((action, (low, high)),) = offered.items()
                if low == high:
                    return seat, Move(*action, low)
        return None

    def do_end(self, _move: Move, _seat: int) -> None:
        """Stop or decline what the phase offers."""
        if self.phase in ("trade", "stars"):
            self.to_deploy()
        elif self.phase == "bonus":
            self.seen["bonus declined"] += 1
            self.choices, self.phase = set(), "trade"
        elif self.phase == "attack":
            self.end_attacks()
        elif self.phase == "objective":
            self.after_attacks()
        elif self.phase == "reroll":
            self.end_reroll()
        else:
            self.end_moves()
