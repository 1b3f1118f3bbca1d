"""All that lies on the table, and plain questions about it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from typing import Any

from engine_core import Game
from engine_core.registry import options_of
from reference.words import ASIDE, IN_BOX, IN_DECK, IN_DISCARDS, ON_BOARD, Battle, Luck, Start


class Table(ABC):
    """One game as it lies there; the modules beside this one are the rules, a subject each."""

    luck: Luck

    def __init__(self, game: Game, start: Start) -> None:
        rules = game.ruleset
        self.options = options_of(rules)
        self.read_board(game)
        self.read_edition(game)
        self.seats, self.colours = rules.seats, len(rules.colours)
        self.neutral = rules.seats if self.colours > rules.seats else -1
        self.owner = [-1] * len(self.near)
        self.troops = [0] * len(self.near)
        self.pool = [int(self.options["starting_troops"])] * self.colours
        self.hand: list[set[int]] = [set() for _ in range(self.colours)]
        self.discards: set[int] = set()
        self.aside: set[int] = set()
        self.deck, self.reshuffles = len(self.symbol), 0
        self.living = set(range(self.seats))
        self.fallen: list[int] = []
        self.first = self.turn = start.first
        self.lap, self.sets, self.reinforcements = 1, 0, 0
        self.playing = False
        self.decisions = 0
        self.placed = self.trades = self.bonuses = 0
        self.captured = self.forced = False
        self.choices: set[int] = set()
        self.battle: Battle | None = None
        self.victim = -1
        self.ending, self.winner, self.phase = "", -1, ""
        self.seen: Counter[str] = Counter()
        self.lay_out(start)

    def read_board(self, game: Game) -> None:
        rules = game.ruleset
        self.near = rules.board.neighbours
        self.regions = [set(rules.board.members(number)) for number in range(len(rules.board.regions))]
        self.region_bonus = [region.bonus for region in rules.board.regions]
        self.region_named = {region.id: number for number, region in enumerate(rules.board.regions)}
        self.symbol = [card.symbol for card in rules.deck.cards]
        self.picture = [card.territory for card in rules.deck.cards]
        self.colour_named = {name: number for number, name in enumerate(rules.colours)}

    def read_edition(self, game: Game) -> None:
        tables: Any = game.ruleset.tables
        self.edition: Any = tables.get("edition", {})
        self.missions: Any = tables.get("missions", {}).get("missions", [])
        self.fallback: Any = tables.get("missions", {}).get("fallback", {})
        self.objectives: Any = self.edition.get("objectives", [])
        self.minor = list(self.edition.get("minor_rewards", []))
        self.rewards = self.minor + list(self.edition.get("major_rewards", []))

    def lay_out(self, start: Start) -> None:
        """What lies there beside troops and cards, and what each colour has of it."""
        self.mission, self.refused = start.mission, start.refused
        self.void = {colour for colour, number in enumerate(start.mission) if self.target(number) == colour}
        self.capital = [-1] * self.colours
        self.known: set[int] = set()
        self.cities = start.cities
        self.held = [ON_BOARD if number in start.lying else IN_BOX for number in range(len(self.objectives))]
        self.token = [start.tokens.get(number, -1) for number in range(len(self.objectives))]
        self.piles = start.piles
        self.has_reward: dict[str, int] = {}
        self.airfield: dict[str, int] = {}
        self.new_airfield = ""
        self.at_start: set[int] = set()
        self.claimed_objective = False
        self.gave: set[int] = set()
        self.took: set[int] = set()
        self.moves_left = 0
        self.rolled: list[int] = []
        self.rerolled = self.commanded = False

    # ---- questions

    def own(self, colour: int) -> list[int]:
        return [territory for territory, owner in enumerate(self.owner) if owner == colour]

    def whole_regions(self, colour: int) -> list[int]:
        own = set(self.own(colour))
        return [number for number, members in enumerate(self.regions) if members <= own]

    def target(self, mission: int) -> int:
        """The colour to eliminate, -1 when that is not what the mission asks."""
        if mission < 0 or self.missions[mission]["kind"] != "eliminate":
            return -1
        return self.colour_named.get(self.missions[mission]["colour"], -1)

    def rewarded(self, colour: int, name: str) -> bool:
        return self.has_reward.get(name) == colour

    @property
    def cap(self) -> int:
        """The most troops a territory may hold."""
        return int(self.options["troop_cap"]) or 10**9

    def room(self, colour: int) -> int:
        """How many troops the colour's territories can still take."""
        return sum(self.cap - self.troops[territory] for territory in self.own(colour))

    def round_from(self, seat: int) -> Iterator[int]:
        return ((seat + step) % self.seats for step in range(1, self.seats + 1))

    def next_seat(self, seat: int) -> int:
        return next(other for other in self.round_from(seat) if other in self.living)

    def holders(self) -> list[int]:
        """Who holds each card."""
        where = dict.fromkeys(self.discards, IN_DISCARDS) | dict.fromkeys(self.aside, ASIDE)
        where |= {card: colour for colour, hand in enumerate(self.hand) for card in hand}
        return [where.get(card, IN_DECK) for card in range(len(self.symbol))]

    # ---- the steps from one subject to the next, each written in the subject's own module

    @abstractmethod
    def begin(self, seat: int) -> None: ...

    @abstractmethod
    def to_deploy(self) -> None: ...

    @abstractmethod
    def after_attacks(self) -> None: ...

    @abstractmethod
    def end_turn(self) -> None: ...

    @abstractmethod
    def draw(self) -> None: ...

    @abstractmethod
    def take_card(self, colour: int) -> None: ...

    @abstractmethod
    def start_moves(self, phase: str) -> None: ...

    @abstractmethod
    def spoils(self, victim: int) -> None: ...

    @abstractmethod
    def settle(self) -> bool: ...

    @abstractmethod
    def objective_win(self) -> bool: ...

    @abstractmethod
    def killed(self, victim: int) -> None: ...

    @abstractmethod
    def take_objectives(self, victim: int) -> None: ...

    def win(self, colour: int) -> None:
        """The game is over and this colour has won it by a goal."""
        self.winner, self.ending, self.phase = colour, "rules", "over"
