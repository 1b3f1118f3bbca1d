"""The classic game written once more from the rules page: slow, plain, and sharing nothing with the kernel.

It takes the luck (dice, cards) from what the engine told and everything else from the rules. Wherever the
rules leave a single answer it gives that answer itself: that is how it knows what the engine does not ask.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from engine_core import Event, Game

# (kind, a, b, c) -> (lowest, highest amount)
Ranges = dict[tuple[str, int, int, int], tuple[int, int]]
END = ("end", 0, 0, 0)


class Move(NamedTuple):
    """An action, its kind by name."""

    kind: str
    a: int
    b: int
    c: int
    n: int


FIXED = {"fixed_2003": (6, 8, 4, 10), "fixed_yura": (4, 6, 8, 10), "italian": (6, 8, 4, 10)}
SYMBOLS = ("infantry", "cavalry", "artillery")


class Battle(NamedTuple):
    """An attack under way."""

    source: int
    target: int
    dice: int


class Luck:
    """The dice and cards of one step, in the order in which the engine told of them."""

    def __init__(self, game: Game, events: list[Event]) -> None:
        names = [kind.name for kind in game.description.events]
        told = [(names[event.kind], event) for event in events]
        self.dice = iter([event.dice for name, event in told if name == "battle"])
        self.cards = iter([event.a for name, event in told if name == "drew" and event.a != 255])

    def spent(self) -> bool:
        """Whether nothing is left over that the engine told and the rules have not used."""
        return next(self.dice, None) is None and next(self.cards, None) is None


class Reference:
    """One game; `asked` and `ranges()` say who is asked what, play() answers."""

    luck: Luck

    def __init__(self, game: Game, first: int, dealt: list[tuple[int, int]]) -> None:
        """`first` begins; `dealt` are (territory, colour) in the order of the deal, empty when claiming."""
        rules = game.ruleset
        self.options = rules.options
        self.near = rules.board.neighbours
        self.regions = [
            (set(rules.board.members(number)), region.bonus)
            for number, region in enumerate(rules.board.regions)
        ]
        self.symbol = [card.symbol for card in rules.deck.cards]
        self.picture = [card.territory for card in rules.deck.cards]
        self.seats = rules.seats
        self.neutral = rules.seats if len(rules.colours) > rules.seats else -1
        colours = len(rules.colours)
        self.owner = [-1] * len(self.near)
        self.troops = [0] * len(self.near)
        self.pool = [int(self.options["starting_troops"])] * colours
        self.hand: list[set[int]] = [set() for _ in range(colours)]
        self.discards: set[int] = set()
        self.deck = len(self.symbol)
        self.living = set(range(self.seats))
        self.fallen: list[int] = []
        self.first = self.turn = first
        self.lap, self.sets, self.reinforcements = 1, 0, 0
        self.placed = self.trades = self.bonuses = 0
        self.captured = self.forced = False
        self.choices: set[int] = set()
        self.battle: Battle | None = None
        self.victim = -1
        self.ending = ""
        self.phase = "place" if dealt else "claim"
        for territory, colour in dealt:
            self.put(territory, colour)

    # ---- what is asked

    @property
    def asked(self) -> int:
        """The seat that owes the decision."""
        if self.phase != "defend" or self.battle is None:
            return self.turn
        colour = self.owner[self.battle.target]
        return self.next_seat(self.turn) if colour == self.neutral else colour

    def own(self, colour: int) -> list[int]:
        return [territory for territory, owner in enumerate(self.owner) if owner == colour]

    def ranges(self) -> Ranges:
        """Every legal action of the asked seat."""
        offered: Ranges = getattr(self, f"{self.phase}_ranges")()
        return offered

    def claim_ranges(self) -> Ranges:
        return {("claim", free, 0, 0): (0, 0) for free in self.own(-1)}

    def place_ranges(self) -> Ranges:
        colour = self.placing()
        return {("place", territory, 0, colour): (0, 0) for territory in self.own(colour)}

    def trade_ranges(self) -> Ranges:
        hand = sorted(self.hand[self.turn])
        sets: Ranges = {("trade", *cards): (0, 0) for cards in combinations(hand, 3) if self.is_set(cards)}
        if self.forced:
            must = len(hand) > 4
            sets = sets if must else {}
        else:
            must = len(hand) >= int(self.options["must_trade_at"]) and not self.trades
        return sets if must and sets else sets | {END: (0, 0)}

    def bonus_ranges(self) -> Ranges:
        return {("bonus", territory, 0, 0): (0, 0) for territory in self.choices}

    def deploy_ranges(self) -> Ranges:
        return {("deploy", own, 0, 0): (1, self.reinforcements) for own in self.own(self.turn)}

    def attack_ranges(self) -> Ranges:
        found: Ranges = {END: (0, 0)}
        for source in self.own(self.turn):
            for target in self.near[source]:
                if self.troops[source] > 1 and self.owner[target] != self.turn:
                    found["attack", source, target, 0] = (1, min(3, self.troops[source] - 1))
        return found

    def defend_ranges(self) -> Ranges:
        assert self.battle
        most = min(2, self.troops[self.battle.target])
        least = most if self.options["defender_dice"] == "max" else 1
        return {("defend", self.battle.source, self.battle.target, 0): (least, most)}

    def occupy_ranges(self) -> Ranges:
        assert self.battle
        least = self.battle.dice if self.options["min_move"] == "dice_rolled" else 1
        last = not self.own(self.victim) and self.living == {self.turn, self.victim}
        most = self.troops[self.battle.source] - 1
        if last and self.options["last_capture"] == "end":
            most = least
        return {("occupy", self.battle.source, self.battle.target, 0): (least, most)}

    def fortify_ranges(self) -> Ranges:
        found: Ranges = {END: (0, 0)}
        for source in self.own(self.turn):
            for target in self.reach(source) if self.troops[source] > 1 else ():
                found["fortify", source, target, 0] = (1, self.troops[source] - 1)
        return found

    def reach(self, source: int) -> set[int]:
        """Where troops can go: own neighbours, or all that are joined by own territories."""
        found = {near for near in self.near[source] if self.owner[near] == self.turn}
        if self.options["fortify"] == "path":
            fresh = set(found)
            while fresh:
                fresh = {n for place in fresh for n in self.near[place] if self.owner[n] == self.turn} - found
                found |= fresh
        return found - {source}

    # ---- sets

    def is_set(self, cards: tuple[int, ...]) -> bool:
        plain = [self.symbol[card] for card in cards if self.symbol[card] != "wild"]
        if len(plain) == 3:
            return len(set(plain)) != 2
        return len(plain) == 2 and plain[0] == plain[1] if self.options["trade_values"] == "italian" else True

    def value(self, cards: tuple[int, ...]) -> int:
        kind = self.options["trade_values"]
        if kind == "progressive":
            return (4, 6, 8, 10, 12, 15)[self.sets] if self.sets < 6 else 15 + 5 * (self.sets - 5)
        if kind == "plus_one":
            return 4 + self.sets
        plain = {self.symbol[card] for card in cards} - {"wild"}
        wilds = sum(self.symbol[card] == "wild" for card in cards)
        if kind == "italian" and wilds:
            return 12
        worth = FIXED[str(kind)]
        alike = [worth[number] for number, name in enumerate(SYMBOLS) if plain <= {name}]
        return max(alike + ([worth[3]] if len(plain) + wilds == 3 else []))

    # ---- playing

    def play(self, move: Move, luck: Luck) -> None:
        """Play an action of the asked seat, and then whatever leaves no choice."""
        self.luck = luck
        self.do(move)
        self.go_on()

    def do(self, move: Move) -> None:
        getattr(self, f"do_{move.kind}")(move)

    def go_on(self) -> None:
        while not self.ending and (only := self.single_answer()):
            self.do(only)

    def single_answer(self) -> Move | None:
        offered = self.ranges()
        if len(offered) != 1:
            return None
        ((action, (low, high)),) = offered.items()
        return Move(*action, low) if low == high else None

    def put(self, territory: int, colour: int) -> None:
        self.owner[territory] = colour
        self.troops[territory] += 1
        self.pool[colour] -= 1

    def do_claim(self, move: Move) -> None:
        self.put(move.a, self.turn)
        self.turn = self.next_seat(self.turn)
        if not self.own(-1):
            self.phase = "place"
            if self.options["reinforce_start"] == "first":
                self.turn = self.first
            self.pass_goes()

    def placing(self) -> int:
        """The colour whose troop comes next in this go, -1 when the go is over."""
        own = 1 if self.neutral < 0 else 2
        if self.placed < own and self.pool[self.turn]:
            return self.turn
        return self.neutral if self.neutral >= 0 and self.placed <= own and self.pool[self.neutral] else -1

    def do_place(self, move: Move) -> None:
        self.put(move.a, move.c)
        self.placed += 1
        self.pass_goes()

    def pass_goes(self) -> None:
        while any(self.pool) and self.placing() < 0:
            self.placed = 0
            self.turn = self.next_seat(self.turn)
        if not any(self.pool):
            self.placed = 0
            self.begin(self.first)

    def begin(self, seat: int) -> None:
        self.turn, self.phase = seat, "trade"
        own = set(self.own(seat))
        self.reinforcements = max(3, len(own) // 3)
        self.reinforcements += sum(bonus for members, bonus in self.regions if members <= own)
        self.trades = self.bonuses = 0
        self.captured = self.forced = False

    def do_trade(self, move: Move) -> None:
        cards = (move.a, move.b, move.c)
        self.reinforcements += self.value(cards)
        self.sets += 1
        self.trades += 1
        self.hand[self.turn] -= set(cards)
        self.discards |= set(cards)
        rule = self.options["territory_bonus"]
        if rule == "per_trade" or (rule == "per_turn" and not self.bonuses):
            pictures = {self.picture[card] for card in cards}
            self.choices = {place for place in pictures if place >= 0 and self.owner[place] == self.turn}
            self.phase = "bonus" if self.choices else "trade"

    def do_bonus(self, move: Move) -> None:
        self.troops[move.a] += 2
        self.bonuses += 1
        self.choices, self.phase = set(), "trade"

    def do_deploy(self, move: Move) -> None:
        self.troops[move.a] += move.n
        self.reinforcements -= move.n
        self.phase = "deploy" if self.reinforcements else "attack"

    def do_attack(self, move: Move) -> None:
        self.battle, self.phase = Battle(move.a, move.b, move.n), "defend"

    def do_defend(self, move: Move) -> None:
        assert self.battle
        dice = next(self.luck.dice)
        assert len(dice) == self.battle.dice + move.n
        attack, defence = sorted(dice[: self.battle.dice])[::-1], sorted(dice[self.battle.dice :])[::-1]
        for mine, its in zip(attack, defence, strict=False):
            self.troops[move.b if mine > its else move.a] -= 1
        self.phase = "attack"
        if not self.troops[move.b]:
            self.victim, self.owner[move.b] = self.owner[move.b], self.turn
            self.captured, self.phase = True, "occupy"

    def do_occupy(self, move: Move) -> None:
        self.troops[move.a] -= move.n
        self.troops[move.b] += move.n
        self.battle, self.phase = None, "attack"
        victim, self.victim = self.victim, -1
        if victim not in self.living or self.own(victim):
            return
        self.living.remove(victim)
        self.fallen.append(victim)
        if self.living == {self.turn}:
            self.ending, self.phase = "rules", "over"
            return
        self.hand[self.turn] |= self.hand[victim]
        self.hand[victim] = set()
        if self.options["elimination_trade"] == "immediate_to_4" and len(self.hand[self.turn]) > 5:
            self.forced, self.phase = True, "trade"

    def do_fortify(self, move: Move) -> None:
        self.troops[move.a] -= move.n
        self.troops[move.b] += move.n
        self.end_turn()

    def do_end(self, _move: Move) -> None:
        if self.phase == "trade":
            self.phase = "deploy" if self.reinforcements else "attack"
        elif self.phase == "attack":
            if self.options["card_draw_time"] == "end_attack":
                self.draw()
            self.phase = "fortify"
        else:
            self.end_turn()

    def draw(self) -> None:
        if not self.captured:
            return
        if not self.deck and self.options["deck_exhausted"] == "reshuffle_discards":
            self.deck, self.discards = len(self.discards), set()
        if self.deck:
            self.deck -= 1
            self.hand[self.turn].add(next(self.luck.cards))

    def end_turn(self) -> None:
        if self.options["card_draw_time"] == "end_turn":
            self.draw()
        for seat in self.round_from(self.turn):
            self.lap += seat == self.first
            if seat in self.living:
                break
        if self.lap > int(self.options["turn_cap"]):
            self.ending, self.phase = "turn_cap", "over"
        else:
            self.begin(seat)

    def round_from(self, seat: int) -> Iterator[int]:
        return ((seat + step) % self.seats for step in range(1, self.seats + 1))

    def next_seat(self, seat: int) -> int:
        return next(other for other in self.round_from(seat) if other in self.living)
