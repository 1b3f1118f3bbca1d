"""Attack, defence, what the dice say, and moving in."""

from __future__ import annotations

from reference.table import Table
from reference.words import END, Battle, Move, Ranges


class Combat(Table):
    """A battle from its declaration to its end."""

    def attack_ranges(self, _seat: int) -> Ranges:
        found: Ranges = {END: (0, 0)}
        for source in self.own(self.turn):
            for target in self.near[source]:
                if self.troops[source] > 1 and self.owner[target] != self.turn:
                    found["attack", source, target, 0] = (1, min(3, self.troops[source] - 1))
        return found

    def do_attack(self, move: Move, _seat: int) -> None:
        self.battle, self.phase = Battle(move.a, move.b, move.n), "defend"

    def defend_ranges(self, _seat: int) -> Ranges:
        assert self.battle
        most = min(2, self.troops[self.battle.target])
        least = most if self.options["defender_dice"] == "max" else 1
        return {("defend", self.battle.source, self.battle.target, 0): (least, most)}

    def do_defend(self, move: Move, _seat: int) -> None:
        """Roll: the attacker's dice with the extra one last, then the defender's likewise."""
        assert self.battle
        attack = self.battle.dice + self.rewarded(self.turn, "attack_die")
        defence = move.n + self.rewarded(self.owner[move.b], "defense_die")
        if self.luck.rolled:
            self.rolled, self.rerolled = list(self.luck.rolled), False
            assert [bool(die) for die in self.rolled] == [*self.shown(3, attack), *self.shown(2, defence)]
            self.phase = "reroll"
            return
        dice = next(self.luck.battles)
        assert len(dice) == attack + defence
        self.fight(list(dice[:attack]), list(dice[attack:]), move.n)

    @staticmethod
    def shown(length: int, dice: int) -> list[bool]:
        return [number < dice for number in range(length)]

    # ---- the attacker's say over its own dice

    def reroll_ranges(self, _seat: int) -> Ranges:
        """One die again for a card of either territory, once a roll; one die a six, once a turn."""
        assert self.battle
        found: Ranges = {END: (0, 0)}
        here = {self.battle.source, self.battle.target}
        for die in range(self.battle.dice):
            if self.options["expert_card_reroll"] and not self.rerolled:
                for card in self.hand[self.turn]:
                    if self.picture[card] in here:
                        found["reroll", card, die, 0] = (0, 0)
            if self.options["expert_commander"] and not self.commanded and self.rolled[die] < 6:
                found["command", die, 0, 0] = (0, 0)
        return found

    def do_reroll(self, move: Move, _seat: int) -> None:
        self.rolled[move.b] = next(self.luck.again)
        self.rerolled = True
        self.seen["reroll"] += 1

    def do_command(self, move: Move, _seat: int) -> None:
        self.rolled[move.a] = 6
        self.commanded = True
        self.seen["commander"] += 1

    def end_reroll(self) -> None:
        attack, defence = ([die for die in side if die] for side in (self.rolled[:3], self.rolled[3:]))
        assert next(self.luck.battles) == (*attack, *defence)
        self.rolled = []
        self.fight(attack, defence, len(defence))

    # ---- the dice

    def has_airfield(self, colour: int, territory: int) -> bool:
        """Whether an airfield of that colour lies on the territory or next to it."""
        places = [place for name, place in self.airfield.items() if self.rewarded(colour, name)]
        return any(place == territory or territory in self.near[place] for place in places)

    def airfield_bonus(self, colour: int, own: int) -> int:
        """1 for any number of airfields: at the own territory, at the attacked one, or at one of the two."""
        assert self.battle
        source, target, _ = self.battle
        places = {"own_territory": {own}, "battle_location": {target}, "either": {source, target}}
        here = places[str(self.options["airfield_scope"])]
        return int(any(self.has_airfield(colour, place) for place in here))

    def best(self, dice: list[int], count: int, bonus: int) -> list[int]:
        """The dice that are compared: the best so many, the highest of them raised."""
        kept = sorted(dice)[::-1][:count]
        kept[0] += bonus
        if self.options["airfield_cap"]:
            kept[0] = min(kept[0], 6)
        return kept

    def fight(self, attack: list[int], defence: list[int], defending: int) -> None:
        assert self.battle
        source, target, attacking = self.battle
        mine = self.airfield_bonus(self.turn, source)
        its = self.airfield_bonus(self.owner[target], target)
        self.seen["attack airfield"] += mine
        self.seen["defence airfield"] += its
        self.seen["attack die"] += len(attack) > attacking
        self.seen["defense die"] += len(defence) > defending
        pairs = zip(self.best(attack, attacking, mine), self.best(defence, defending, its), strict=False)
        for high, low in pairs:
            self.troops[target if high > low else source] -= 1
        if self.troops[target]:
            self.battle, self.phase = None, "attack"
        else:
            self.capture(target)

    def capture(self, target: int) -> None:
        self.victim, self.owner[target] = self.owner[target], self.turn
        self.captured, self.phase = True, "occupy"
        self.known |= {colour for colour, place in enumerate(self.capital) if place == target}
        for name, place in list(self.airfield.items()):
            if place == target:
                del self.airfield[name], self.has_reward[name]
                self.seen["airfield lost"] += 1

    # ---- moving in

    def occupy_ranges(self, _seat: int) -> Ranges:
        assert self.battle
        least = self.battle.dice if self.options["min_move"] == "dice_rolled" else 1
        last = not self.own(self.victim) and self.living == {self.turn, self.victim}
        most = min(self.troops[self.battle.source] - 1, self.cap)
        if last and self.options["last_capture"] == "end":
            most = least
        return {("occupy", self.battle.source, self.battle.target, 0): (least, most)}

    def do_occupy(self, move: Move, _seat: int) -> None:
        """Move in, then see who has won, then take what the eliminated leaves."""
        self.troops[move.a] -= move.n
        self.troops[move.b] += move.n
        self.battle, self.phase = None, "attack"
        victim, self.victim = self.victim, -1
        out = victim in self.living and not self.own(victim)
        if out:
            self.killed(victim)
        if not self.settle() and out:
            self.spoils(victim)
