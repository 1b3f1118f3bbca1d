"""Free moves: at the end of the turn, and by reward before the first attack."""

from __future__ import annotations

from reference.table import Table
from reference.words import END, Move, Ranges


class Moves(Table):
    """Moving troops between own territories."""

    @property
    def several(self) -> bool:
        """Whether the free move consists of single moves until its `end`; a Starting Maneuver is one move."""
        return self.phase == "fortify" and self.options["fortify"] in ("path_one_to_many", "path_many")

    def start_moves(self, phase: str) -> None:
        more = phase == "fortify" and self.rewarded(self.turn, "additional_maneuver")
        self.phase, self.moves_left = phase, 1 + more
        self.gave, self.took = set(), set()

    def fortify_ranges(self, _seat: int) -> Ranges:
        found: Ranges = {END: (0, 0)}
        for source in self.own(self.turn):
            for target in self.reach(source) if self.may_give(source) else ():
                most = min(self.troops[source] - 1, self.cap - self.troops[target])
                if most > 0 and self.may_take(target):
                    found["fortify", source, target, 0] = (1, most)
        return found

    maneuver_ranges = fortify_ranges

    def may_give(self, source: int) -> bool:
        """One to many: the first source stays the only one; many to many: who took does not give."""
        if self.several and self.options["fortify"] == "path_one_to_many":
            return not self.gave or source in self.gave
        return not self.several or source not in self.took

    def may_take(self, target: int) -> bool:
        return not self.several or target not in self.gave

    def reach(self, source: int) -> set[int]:
        """Where troops can go: own neighbours, or all that are joined by own territories."""
        found = {near for near in self.near[source] if self.owner[near] == self.turn}
        if self.options["fortify"] != "adjacent":
            fresh = set(found)
            while fresh:
                fresh = {n for place in fresh for n in self.near[place] if self.owner[n] == self.turn} - found
                found |= fresh
        return found - {source}

    def do_fortify(self, move: Move, _seat: int) -> None:
        self.troops[move.a] -= move.n
        self.troops[move.b] += move.n
        self.seen[f"move in {self.phase}"] += 1
        self.gave.add(move.a)
        self.took.add(move.b)
        self.seen["several moves"] += len(self.gave) > 1 or len(self.took) > 1
        if not self.settle() and not self.several:
            self.end_move()

    def end_move(self) -> None:
        """The next free move, or what comes after the last one."""
        self.moves_left -= 1
        self.gave, self.took = set(), set()
        if self.moves_left:
            self.seen["additional maneuver"] += 1
        else:
            self.end_moves()

    def end_moves(self) -> None:
        """Who declines a move declines the next one, too."""
        if self.phase == "maneuver":
            self.phase = "attack"
        else:
            self.end_turn()
