"""The endor rules written a second time, from the rulebook and the rules page alone, as one running story.

`Story.play()` is a generator: it yields what each seat that is asked may answer, as action texts, and is sent
(seat, text). Dice are taken from `rolls`, which the caller fills; decks are shuffled by the generator's keys.
Nothing is shared with the kernel but the words of the texts and the ruleset's tables.
"""

from __future__ import annotations

import struct
from collections import Counter, deque
from collections.abc import Generator, Iterable
from typing import Any

from engine_core import Ruleset
from engine_core.bench import keyed_words

Options = dict[int, set[str]]
Flow = Generator[Options, tuple[int, str], None]
REBEL_FIGHTERS = ("xwing", "ywing", "bwing")
STREAM_SHUFFLE = 2


class Over(Exception):
    """The game has ended; `winner` is a side or None for a draw."""

    def __init__(self, winner: str | None) -> None:
        self.winner = winner
        super().__init__(winner)


class Story:
    """One game: where everything is, and what happens next."""

    def __init__(self, ruleset: Ruleset, key: bytes) -> None:
        game: Any = ruleset.tables["game"]
        self.game, self.options, self.key = game, dict(ruleset.options), struct.unpack("<QQ", key)
        self.sides = [("rebels", "empire")[team] for team in ruleset.teams]
        self.sectors = [sector["id"] for sector in game["sectors"]]
        self.near: dict[str, set[str]] = {place: set() for place in self.sectors}
        self.marker_of = {marker["id"]: marker["sector"] for marker in game["markers"]}
        for one, other in game["borders"]:
            self.near[one].add(other)
            self.near[other].add(one)
        self.ships: dict[str, Counter[str]] = {ship: Counter() for ship in (*REBEL_FIGHTERS, "tie")}
        self.special: dict[str, str] = {}
        self.hits = {ship: game["ships"][ship]["hits"] for ship in ("falcon", "executor")}
        self.markers = set(self.marker_of)
        self.aboard = int(self.options["tie_reserve"])
        self.shield = self.troopers = 0
        self.luke, self.vader = game["duel"]["luke_vader"][self.options["luke_vader"]]
        self.redeemed = False
        self.rolls: deque[int] = deque()
        self.lap = 1
        self._place_ships()
        self._make_cards()

    # ---- set-up

    def _place_ships(self) -> None:
        rows = list(self.game["setup"])
        if self.options["bwing_on_o1"]:
            rows.append({"ship": "bwing", **self.game["bwing_squadron"]})
        if self.options["tie_reserve"] == 28:
            rows.append({"ship": "tie", **self.game["tie_squadron"]})
        for row in rows:
            if row["ship"] in self.ships:
                self.ships[row["ship"]][row["at"]] += row["count"]
            else:
                self.special[row["ship"]] = row["at"]

    def _make_cards(self) -> None:
        self.orders_of: list[tuple[str, ...]] = []
        self.names: list[str] = []
        self.cards_of: dict[str, list[int]] = {"rebels": [], "empire": []}
        for side in ("rebels", "empire"):
            for row in self.game["decks"][side]:
                for copy in range(row["copies"]):
                    self.cards_of[side].append(len(self.names))
                    self.orders_of.append(tuple(row["orders"]))
                    tail = f"_{copy + 1}" if row["copies"] > 1 else ""
                    self.names.append("_".join(row["orders"]) + tail)
        self.shuffles = {"rebels": 0, "empire": 0}
        self.decks = {side: self.shuffled(side, cards) for side, cards in self.cards_of.items()}
        self.discards: dict[str, list[int]] = {"rebels": [], "empire": []}
        seats = range(len(self.sides))
        rounds = self.game["rounds"][str(len(self.sides))]
        self.number = rounds["orders"]
        self.piles: list[list[int]] = [[] for _ in seats]
        self.hands: list[list[int]] = [[] for _ in seats]
        self.open: int | None = None
        for seat in seats:
            self.draw(seat, rounds["hand"])

    def shuffled(self, side: str, cards: Iterable[int]) -> list[int]:
        """The next card first: the highest key is drawn first."""

        def sort_key(card: int) -> int:
            deck = ("rebels", "empire").index(side)
            word: int = keyed_words(
                self.key, (STREAM_SHUFFLE << 56 | deck << 28 | card, self.shuffles[side])
            )[0]
            return word

        return sorted(cards, key=sort_key, reverse=True)

    # ---- cards

    def take(self, side: str) -> list[int]:
        """One card in a list, or none."""
        if not self.decks[side] and self.discards[side]:
            self.shuffles[side] += 1
            self.decks[side] = self.shuffled(side, self.discards[side])
            self.discards[side] = []
        return [self.decks[side].pop(0)] if self.decks[side] else []

    def draw(self, seat: int, number: int) -> None:
        for _ in range(number):
            self.hands[seat] += self.take(self.sides[seat])

    def bonus(self, seat: int, number: int) -> None:
        for _ in range(number):
            self.piles[seat] += self.take(self.sides[seat])

    def kinds(self, cards: Iterable[int]) -> dict[tuple[str, ...], int]:
        """The lowest card of each kind."""
        return {self.orders_of[card]: card for card in sorted(cards, reverse=True)}

    # ---- the story

    def play(self) -> Flow:
        while True:
            yield from self.plan()
            seat = len(self.sides) - 1
            while any(self.piles):
                seat = (seat + 1) % len(self.sides)
                if self.piles[seat]:
                    yield from self.card(seat)
            if self.lap == self.options["turn_cap"]:
                raise Over(None)
            for one in range(len(self.sides)):
                self.draw(one, self.number)
            self.lap += 1

    def plan(self) -> Flow:
        chosen: list[list[int]] = [[] for _ in self.sides]
        while True:
            asked: Options = {}
            for seat, cards in enumerate(chosen):
                while len(cards) < min(self.number, len(self.hands[seat])):
                    kinds = self.kinds(set(self.hands[seat]) - set(cards))
                    if len(kinds) > 1:
                        asked[seat] = {f"pick {self.names[card]}" for card in kinds.values()}
                        break
                    cards += kinds.values()
            if not asked:
                break
            who, text = yield asked
            chosen[who].append(self.names.index(text.split()[1]))
        for seat, cards in enumerate(chosen):
            self.hands[seat] = [card for card in self.hands[seat] if card not in cards]
            self.piles[seat] = cards

    def card(self, seat: int) -> Flow:
        self.open = self.piles[seat].pop(0)
        usable = [order for order in self.orders_of[self.open] if self.usable(order)]
        if usable:
            _, text = yield {seat: {"pass"} | {f"order {order}" for order in usable}}
            if text != "pass":
                yield from self.give(seat, text.split()[1])
        self.discards[self.sides[seat]].append(self.open)
        self.open = None

    def usable(self, order: str) -> bool:
        if order in self.ships or order in self.hits:
            return bool(self.moves(order) or self.attacks(order, None) or (order == "tie" and self.aboard))
        others: dict[str, bool] = {
            "death_star": True,
            "assault": self.shield < len(self.game["ground"]["shield"]),
            "ambush": self.ambush_size() > 0,
            "luke": self.luke > 0 and self.vader > 0,
            "vader": self.luke > 0 and self.vader > 0,
            "emperor": self.luke > 0
            and not self.redeemed
            and bool(self.vader or self.options["emperor_order_after_vader_killed"]),
            "redeem": 0 < self.vader <= 3
            and bool(self.luke or not self.options["redeem_requires_luke_alive"]),
        }
        return others[order]

    def give(self, seat: int, order: str) -> Flow:
        if order in self.ships or order in self.hits:
            yield from self.ship_order(seat, order)
        elif order == "death_star":
            yield from self.fire(seat)
        elif order == "assault":
            self.assault()
        elif order == "ambush":
            self.troopers += self.ambush_size()
        else:
            self.duel(seat, order)

    # ---- ground and duel

    def ambush_size(self) -> int:
        ahead = len(self.game["ground"]["shield"]) - self.shield
        if self.options["ambush"] == "three_ahead":
            ahead = min(ahead, 3)
        return min(3, 9 - self.troopers, ahead - self.troopers)

    def roll(self, number: int) -> list[int]:
        return [self.rolls.popleft() for _ in range(number)]

    def assault(self) -> None:
        dice, track = sorted(self.roll(5)), self.game["ground"]["shield"]
        while self.shield < len(track):
            need = track[self.shield] + (1 if self.troopers else 0)
            fitting = [die for die in dice if die >= need]
            if not fitting:
                return
            dice.remove(fitting[0])
            self.shield += 1
            self.troopers -= 1 if self.troopers else 0

    def duel(self, seat: int, order: str) -> None:
        if order == "redeem":
            self.vader, self.redeemed = 0, True
            self.bonus(seat, 5)
        elif order == "luke":
            self.vader = max(0, self.vader - sum(die > 3 for die in self.roll(4)))
            self.bonus(seat, 0 if self.vader else 3)
        else:
            hits = 2 if order == "emperor" else sum(die > 3 for die in self.roll(4))
            self.luke = max(0, self.luke - hits)
            self.bonus(seat, 0 if self.luke else 4)

    # ---- ships

    def at(self, place: str, side: str) -> list[str]:
        """The kinds of ships of a side at a place."""
        kinds = (*REBEL_FIGHTERS, "falcon") if side == "rebels" else ("tie", "executor")
        return [ship for ship in kinds if self.strength(ship, place)]

    def strength(self, ship: str, place: str) -> int:
        if ship in self.ships:
            return self.ships[ship][place]
        return self.hits[ship] if self.special.get(ship) == place else 0

    def where(self, ship: str) -> list[str]:
        if ship in self.ships:
            return [place for place, number in self.ships[ship].items() if number]
        return [self.special[ship]] if ship in self.special else []

    @staticmethod
    def enemy(ship: str) -> str:
        return "rebels" if ship in ("tie", "executor") else "empire"

    def steps(self, ship: str, place: str) -> set[str]:
        near = {self.marker_of[place]} if place in self.marker_of else self.near[place]
        return {sector for sector in near if not self.at(sector, self.enemy(ship))}

    def moves(self, ship: str) -> set[str]:
        texts = set()
        for place in self.where(ship):
            goals = self.steps(ship, place)
            if ship in self.hits:
                goals = set().union(goals, *(self.steps(ship, goal) for goal in goals)) - {place}
            most = self.ships[ship][place] if ship in self.ships else 1
            texts |= {f"move {place} {goal} {ship} {n}" for goal in goals for n in range(1, most + 1)}
        return texts

    def attacks(self, ship: str, origin: str | None) -> set[str]:
        texts = set()
        for place in self.where(ship) if origin is None else [origin]:
            if place in self.marker_of and not self.options["attack_from_marker"]:
                continue
            near = {self.marker_of[place]} if place in self.marker_of else self.near[place]
            aims = {sector for sector in near if self.at(sector, self.enemy(ship))}
            if self.enemy(ship) == "rebels":
                aims |= {marker for marker in self.markers if self.marker_of[marker] == place}
            elif place in self.game["death_star"] and self.shield == len(self.game["ground"]["shield"]):
                aims.add("DS")
            texts |= {f"attack {place} {aim} {ship}" for aim in aims}
        return texts

    def ship_order(self, seat: int, ship: str) -> Flow:
        origin, moved = None, 0
        choices = self.moves(ship) | ({"deploy"} if ship == "tie" and self.aboard else set())
        if choices:
            _, text = yield {seat: choices | {"pass"}}
            if text == "deploy":
                origin, moved = self.special["executor"], 4
                self.aboard -= 4
                self.ships["tie"][origin] += 4
                if not self.options["tie_attack_after_deploy"]:
                    return
            elif text != "pass":
                _, start, origin, _, amount = text.split()
                moved = int(amount)
                if ship in self.ships:
                    self.ships[ship][start] -= moved
                    self.ships[ship][origin] += moved
                else:
                    self.special[ship] = origin
        choices = self.attacks(ship, origin)
        if choices:
            _, text = yield {seat: choices | {"pass"}}
            if text != "pass":
                place, aim = text.split()[1:3]
                yield from self.attack(seat, ship, place, aim, moved)

    def attack(self, seat: int, ship: str, place: str, aim: str, moved: int) -> Flow:
        if ship in self.hits:
            number = {"falcon": 2, "executor": 4}[ship]
        else:
            number = self.ships[ship][place]
            if moved and not self.options["attack_uses_all_fighters_of_type_in_origin"]:
                number = moved
        dice = sorted(self.roll(min(5, number)))
        if aim == "DS":
            if 6 in dice:
                raise Over("rebels")
            return
        falcon, marker = "falcon" in self.special, aim in self.markers
        for die in dice:
            can = [
                each for each in self.at(aim, self.enemy(ship)) if die >= self.game["ships"][each]["needs"]
            ]
            can += ["marker"] if aim in self.markers and die >= 5 else []
            options = {f"hit {each} {die}" for each in can}
            if self.options["may_waste_hits"] and options:
                options.add("pass")
            text = min(options, default="pass")
            if len(options) > 1:
                _, text = yield {seat: options}
            if text != "pass":
                self.hit(text.split()[1], aim)
        self.end_if_gone()
        gained = 0
        if aim in self.near and not self.at(aim, self.enemy(ship)):
            gained += 1
        if marker and aim not in self.markers and self.options["bonus_for_clearing_marker"] != "never":
            gained += 1
        self.bonus(seat, gained + (2 if falcon and "falcon" not in self.special else 0))

    def hit(self, ship: str, place: str) -> None:
        if ship == "marker":
            self.wipe(place)
        elif ship in self.ships:
            self.ships[ship][place] -= 1
        else:
            self.hits[ship] -= 1
            if not self.hits[ship]:
                del self.special[ship]
                self.aboard = 0 if ship == "executor" else self.aboard

    def wipe(self, place: str) -> None:
        """All Rebel ships there are destroyed, the marker included."""
        self.markers.discard(place)
        for ship in REBEL_FIGHTERS:
            self.ships[ship][place] = 0
        if self.special.get("falcon") == place:
            del self.special["falcon"]
            self.hits["falcon"] = 0

    def end_if_gone(self) -> None:
        ships = [ship for ship in (*REBEL_FIGHTERS, "falcon") if self.where(ship)]
        if not ships and not self.markers:
            raise Over("empire")

    def fire(self, seat: int) -> Flow:
        aims = self.markers or {sector for sector in self.sectors if self.at(sector, "rebels")}
        (text, *more) = sorted(f"fire {aim}" for aim in aims)
        if more:
            _, text = yield {seat: {text, *more}}
        aim = text.split()[1]
        if max(self.roll(2)) < 5:
            return
        marker, falcon = aim in self.markers, self.special.get("falcon") == aim
        self.wipe(aim)
        self.end_if_gone()
        gained = 0
        if not marker and self.options["death_star_sector_shot_gives_clear_bonus"]:
            gained += 1
        if marker and self.options["bonus_for_clearing_marker"] == "any_attack":
            gained += 1
        if falcon and self.options["death_star_falcon_kill_gives_2"]:
            gained += 2
        self.bonus(seat, gained)
