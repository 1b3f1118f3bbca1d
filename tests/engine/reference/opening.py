"""The set-up: capitals, claims, first troops, headquarters, extra cards."""

from __future__ import annotations

from reference.table import Table
from reference.words import Move, Ranges, Start


class Opening(Table):
    """From the empty board to the first turn."""

    def open(self, start: Start) -> None:
        self.phase = "place" if start.dealt else "claim"
        for territory, colour in start.dealt:
            self.put(territory, colour)
        if self.options["capitals"] != "none":
            self.phase = "capital"
        elif start.dealt:
            self.pass_goes()

    def put(self, territory: int, colour: int) -> None:
        self.owner[territory] = colour
        self.troops[territory] += 1
        self.pool[colour] -= 1

    # ---- capitals

    def capital_ranges(self, _seat: int) -> Ranges:
        fits = -1 if self.options["capitals"] == "claim" else self.turn
        return {("capital", territory, 0, 0): (0, 0) for territory in self.own(fits)}

    def do_capital(self, move: Move, _seat: int) -> None:
        self.capital[self.turn] = move.a
        if self.options["capitals"] == "claim":
            self.put(move.a, self.turn)
        self.turn = self.next_seat(self.turn)
        if self.turn == self.first:
            self.phase = "claim" if self.options["capitals"] == "claim" else "place"
            self.after_claims()

    # ---- claims

    def claim_ranges(self, _seat: int) -> Ranges:
        return {("claim", free, 0, 0): (0, 0) for free in self.own(-1)}

    def do_claim(self, move: Move, _seat: int) -> None:
        self.put(move.a, self.turn)
        self.turn = self.next_seat(self.turn)
        self.after_claims()

    def after_claims(self) -> None:
        if self.own(-1):
            return
        if self.phase == "claim" and self.options["reinforce_start"] == "first":
            self.turn = self.first
        self.phase = "place"
        self.pass_goes()

    # ---- first troops

    def placing(self) -> int:
        """The colour whose troop comes next in this go, -1 when the go is over."""
        own = 1 if self.neutral < 0 else 2
        if self.placed < own and self.pool[self.turn]:
            return self.turn
        return self.neutral if self.neutral >= 0 and self.placed <= own and self.pool[self.neutral] else -1

    def place_ranges(self, _seat: int) -> Ranges:
        colour = self.placing()
        free = [territory for territory in self.own(colour) if self.troops[territory] < self.cap]
        return {("place", territory, 0, colour): (0, 0) for territory in free}

    def do_place(self, move: Move, _seat: int) -> None:
        self.put(move.a, move.c)
        self.placed += 1
        self.pass_goes()

    def pass_goes(self) -> None:
        """On to the next troop that has room; who has none for a troop that is due loses the rest."""
        while any(self.pool) and not self.room(self.placing()):
            if self.placing() >= 0:
                self.pool[self.placing()] = 0
                self.seen["set-up troops lost"] += 1
            else:
                self.placed = 0
                self.turn = self.next_seat(self.turn)
        if not any(self.pool):
            self.placed = 0
            self.after_placing()

    # ---- headquarters

    def after_placing(self) -> None:
        self.turn = self.first
        if self.options["headquarters"] != "none":
            self.phase = "headquarters"
        else:
            self.start_play()

    def choosers(self) -> set[int]:
        """Who has not picked yet: all pick at the same time."""
        return {seat for seat in range(self.seats) if self.capital[seat] < 0}

    def headquarters_ranges(self, seat: int) -> Ranges:
        return {("headquarters", territory, 0, 0): (0, 0) for territory in self.own(seat)}

    def do_headquarters(self, move: Move, seat: int) -> None:
        self.capital[seat] = move.a
        if not self.choosers():
            chosen = self.capital[: self.seats]
            self.aside = {card for card, place in enumerate(self.picture) if place in chosen}
            self.deck -= len(self.aside)
            if self.options["headquarters"] == "revealed":
                self.known = set(range(self.seats))
            self.start_play()

    # ---- the first turn

    def start_play(self) -> None:
        if self.options["extra_cards"] == "by_seats":
            self.give_extra_cards()
        self.playing = True
        self.begin(self.first)

    def give_extra_cards(self) -> None:
        """By turn order from the first player."""
        counts = self.edition["extra_cards"][str(self.seats)]
        if self.seats == 3 and self.options["three_player_card"]:
            counts = self.edition["extra_card_of_three"]
        for place, count in enumerate(counts):
            for _ in range(count):
                self.take_card((self.first + place) % self.seats)
                self.seen["extra card"] += 1
