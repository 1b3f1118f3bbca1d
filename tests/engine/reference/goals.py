"""What a game is won by: missions, headquarters, objectives; and the rewards of objectives."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

from reference.table import Table
from reference.words import END, ON_BOARD, Move, Ranges


class Goals(Table):
    """Who has won, and what has been claimed."""

    # ---- checks

    def settle(self) -> bool:
        """Whether the game is over after what was just done, and who has won."""
        if self.living == {self.turn}:
            self.alone()
        elif self.headquarters_won():
            self.seen["headquarters win"] += 1
            self.win(self.turn)
        elif self.missions:
            self.check_missions()
        return bool(self.ending)

    def headquarters_won(self) -> bool:
        """All enemy headquarters (short: 2 with 4 seats, 3 with more) while the own one is held."""
        if self.options["headquarters"] == "none":
            return False
        places = {seat: self.capital[seat] for seat in range(self.seats) if self.capital[seat] >= 0}
        own = places.pop(self.turn, -1)
        needed = len(places)
        if self.options["capital_short"] and self.seats >= 4:
            needed = min(needed, 2 if self.seats == 4 else 3)
        taken = sum(self.owner[place] == self.turn for place in places.values())
        return own >= 0 and self.owner[own] == self.turn and taken >= needed

    def alone(self) -> None:
        """Everybody else has fallen: a win whatever the goals, and by none of them."""
        self.ending, self.phase = "rules", "over"

    # ---- missions

    def check_missions(self) -> None:
        """The acting colour first, then clockwise; in the own turn alone where that is the rule."""
        immediate = self.options["mission_check"] == "immediate"
        order = [self.turn, *self.round_from(self.turn)] if immediate else [self.turn]
        done = [seat for seat in order if seat in self.living and self.fulfilled(seat)]
        if done:
            self.seen["mission win"] += 1
            self.seen["mission win in another's turn"] += done[0] != self.turn
            self.seen[f"mission by {self.mission_kind(done[0])}"] += 1
            self.win(done[0])

    def mission_kind(self, colour: int) -> str:
        return "fallback" if colour in self.void else str(self.missions[self.mission[colour]]["kind"])

    def fulfilled(self, colour: int) -> bool:
        task = self.missions[self.mission[colour]]
        if colour in self.void:
            return self.holds(colour, self.fallback)
        if task["kind"] == "eliminate":
            return self.target(self.mission[colour]) in self.fallen
        if task["kind"] == "territories":
            return self.holds(colour, task)
        whole = self.whole_regions(colour)
        named = [self.region_named[name] for name in task["regions"]]
        more = 1 if task["kind"] == "regions_and_one" else 0
        return set(named) <= set(whole) and bool(len(whole) >= len(named) + more)

    def holds(self, colour: int, task: Any) -> bool:
        strong = [place for place in self.own(colour) if self.troops[place] >= task["least"]]
        return len(strong) >= int(task["count"])

    def killed(self, victim: int) -> None:
        """Out of the game; who should have done it and has not gets another task, if that is the rule."""
        self.living.remove(victim)
        self.fallen.append(victim)
        for name in [name for name, colour in self.has_reward.items() if colour == victim]:
            del self.has_reward[name]
            self.seen["reward of the eliminated"] += 1
        if self.missions and self.options["mission_kill_credit"] == "self_else_24":
            for colour in self.living - {self.turn}:
                if self.target(self.mission[colour]) == victim:
                    self.void.add(colour)
                    self.seen["mission became the fallback"] += 1

    # ---- objectives

    def objective_ranges(self, _seat: int) -> Ranges:
        lying = [number for number, holder in enumerate(self.held) if holder == ON_BOARD]
        found: Ranges = {("objective", number, 0, 0): (0, 0) for number in lying if self.qualifies(number)}
        return found | {END: (0, 0)}

    def qualifies(self, number: int) -> bool:
        task: Any = self.objectives[number]
        own = set(self.own(self.turn))
        count = int(task.get("count", 1))
        enemy = {place for colour, place in enumerate(self.capital) if colour != self.turn and place >= 0}
        if task["kind"] == "region":
            region: int = self.region_named[task["region"]]
            return self.regions[region] <= own
        if task["kind"] == "territories":
            return len(own) >= int(self.options["territories_objective"])
        found: dict[str, Sized] = {
            "new_region": [one for one in self.regions if one <= own and not one & self.at_start],
            "regions": self.whole_regions(self.turn),
            "cities": self.cities & own,
            "enemy_capitals": enemy & own,
            "new_cities": (self.cities & own) - self.at_start,
            "new_territories": own - self.at_start,
        }
        return len(found[task["kind"]]) >= count

    def do_objective(self, move: Move, _seat: int) -> None:
        self.held[move.a], self.claimed_objective = self.turn, True
        self.seen["objective"] += 1
        self.seen[f"objective {self.objectives[move.a]['kind']}"] += 1
        name = self.take_reward(move.a) if self.options["rewards"] else ""
        if name.startswith("airfield"):
            self.phase = "airfield"
            self.new_airfield = name
        else:
            self.after_attacks()

    def take_reward(self, objective: int) -> str:
        """The reward on the objective, or the top one of its rank's pile."""
        if self.options["reward_placement"] == "pile":
            rank = 0 if self.objectives[objective]["rank"] == "minor" else 1
            self.token[objective] = self.piles[rank].pop(0)
        name = str(self.rewards[self.token[objective]])
        self.has_reward[name] = self.turn
        self.seen[f"reward {name}"] += 1
        return name

    def airfield_ranges(self, _seat: int) -> Ranges:
        return {("airfield", territory, 0, 0): (0, 0) for territory in self.own(self.turn)}

    def do_airfield(self, move: Move, _seat: int) -> None:
        self.airfield[self.new_airfield] = move.a
        self.after_attacks()

    def take_objectives(self, victim: int) -> None:
        """Not a claim: the turn may still have its own, and its card."""
        for number, holder in enumerate(self.held):
            if holder == victim:
                self.held[number] = self.turn
                self.seen["objective taken"] += 1

    def objective_win(self) -> bool:
        needed, place = int(self.options["objectives_to_win"]), self.capital[self.turn]
        enough = 0 < needed <= self.held.count(self.turn)
        at_home = self.options["capitals"] == "none" or self.owner[place] == self.turn
        if enough and at_home:
            self.seen["objective win"] += 1
            self.win(self.turn)
        else:
            self.seen["objectives without the capital"] += enough
        return bool(self.ending)
