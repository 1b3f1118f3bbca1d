"""Cards: sets, stars, the bonus, the draw, and the hand of an eliminated colour."""

from __future__ import annotations

from itertools import combinations

from reference.table import Table
from reference.words import END, Move, Ranges

FIXED = {"fixed_2003": (6, 8, 4, 10), "fixed_yura": (4, 6, 8, 10), "italian": (6, 8, 4, 10)}
SYMBOLS = ("infantry", "cavalry", "artillery")
STARS = ("one_star", "two_star")


class Cards(Table):
    """All that is done with cards."""

    # ---- sets

    def trade_ranges(self, _seat: int) -> Ranges:
        hand = sorted(self.hand[self.turn])
        sets: Ranges = {("trade", *cards): (0, 0) for cards in combinations(hand, 3) if self.is_set(cards)}
        if self.forced:
            must = len(hand) > 4
            sets = sets if must else {}
        else:
            limit = int(self.options["must_trade_at"])
            must = 0 < limit <= len(hand) and not self.trades
        return sets if must and sets else sets | {END: (0, 0)}

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

    def do_trade(self, move: Move, _seat: int) -> None:
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

    # ---- the bonus

    def bonus_ranges(self, _seat: int) -> Ranges:
        found: Ranges = {("bonus", territory, 0, 0): (0, 0) for territory in self.choices}
        return found | {END: (0, 0)} if self.options["bonus_declinable"] else found

    def do_bonus(self, move: Move, _seat: int) -> None:
        added = min(2, self.cap - self.troops[move.a])
        self.seen["bonus lost to the cap"] += added < 2
        self.troops[move.a] += added
        self.bonuses += 1
        self.choices, self.phase = set(), "trade"
        self.settle()

    # ---- stars

    def stars_ranges(self, _seat: int) -> Ranges:
        found: Ranges = {END: (0, 0)}
        if self.trades >= int(self.options["star_trades_per_turn"]):
            return found
        ones, twos = (len(self.cards_of(name)) for name in STARS)
        for a in range(ones + 1):
            for b in range(twos + 1):
                if 2 <= a + 2 * b <= 10:
                    found["stars", a, b, 0] = (0, 0)
        return found

    def cards_of(self, symbol: str) -> list[int]:
        return sorted(card for card in self.hand[self.turn] if self.symbol[card] == symbol)

    def do_stars(self, move: Move, _seat: int) -> None:
        spent = {*self.cards_of("one_star")[: move.a], *self.cards_of("two_star")[: move.b]}
        self.reinforcements += self.edition["star_values"][move.a + 2 * move.b]
        self.trades += 1
        self.hand[self.turn] -= spent
        self.discards |= spent
        self.seen["stars"] += 1

    # ---- drawing

    def take_card(self, colour: int) -> None:
        if not self.deck and self.options["deck_exhausted"] == "reshuffle_discards" and self.discards:
            self.deck, self.discards = len(self.discards), set()
            self.reshuffles += 1
        if self.deck:
            self.deck -= 1
            self.hand[colour].add(next(self.luck.cards))

    def draw(self) -> None:
        """A card for a capture or by the reward; an objective claimed in this turn forbids it."""
        sure = self.rewarded(self.turn, "guaranteed_card")
        if self.claimed_objective and not (sure and self.options["guaranteed_card_beats_objective"]):
            self.seen["no card after an objective"] += self.captured or sure
            return
        if self.captured or sure:
            self.seen["guaranteed card"] += not self.captured
            self.take_card(self.turn)

    # ---- the eliminated

    def spoils(self, victim: int) -> None:
        """The cards and objectives of the eliminated go to the captor, their rewards out of the game."""
        self.hand[self.turn] |= self.hand[victim]
        self.hand[victim] = set()
        self.take_objectives(victim)
        if self.options["elimination_win"] == "immediate" and self.objective_win():
            return
        if self.options["elimination_trade"] == "immediate_to_4" and len(self.hand[self.turn]) > 5:
            self.forced, self.phase = True, "trade"
