"""The kernel against a second implementation of the rules, step by step through whole games."""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any

import pytest
from playing import SETUPS, game_of
from reference.chooser import Chooser
from reference.facts import facts
from reference.game import Reference
from reference.words import Luck, Ranges, Start

import engine_core
from engine_core import Action, Event, Game, State
from engine_core.description import Field
from engine_core.registry import family

DECISIONS = 2500
TURN_CAP = 40
SEEDS = 2
# What the reference does not say: the order of deck and piles, which battle is the n-th, who was retired.
OPEN = {"phase", "deck", "rolls", "retired", "reward_pile"}

# Options by subject; a mix takes a value of each at random.
COLOURS = ("black", "blue", "green", "red", "yellow", "violet")
Pool = dict[str, tuple[str | int, ...]]
COMMON: Pool = {
    "first_player": ("roll", "first"),
    "deck_exhausted": ("reshuffle_discards", "no_more_cards"),
    "card_draw_time": ("end_turn", "end_attack"),
    "fortify": ("adjacent", "path", "path_one_to_many", "path_many"),
    "defender_dice": ("choose", "max"),
    "min_move": ("dice_rolled", "one"),
    "last_capture": ("occupy", "end"),
    "map_edges_override": ("standard", "anniversary_40", "german_2008"),
    "troop_cap": (0, 0, 12, 5, 3),
    "starting_troops": (0, 22, 22, 60),
}
CARDS: Pool = {
    "trade_values": ("progressive", "plus_one", "fixed_2003", "fixed_yura", "italian"),
    "territory_bonus": ("per_turn", "per_trade", "none"),
    "must_trade_at": (5, 6, 0),
    "elimination_trade": ("immediate_to_4", "next_turn"),
    "card_deck": ("A", "B", "C"),
    "bonus_declinable": (0, 1),
    "expert_card_reroll": (0, 1),
    "expert_commander": (0, 1),
    "setup": ("claim", "deal"),
    "reinforce_start": ("next", "first"),
}
MISSIONS: Pool = {
    "mission_deck": ("eu14", "us12_guess"),
    "own_colour_mission": ("fallback24", "redraw"),
    "mission_kill_credit": ("anyone", "self_else_24"),
    "mission_check": ("immediate", "own_turn"),
}
BOTH: Pool = {"headquarters": ("none", "none", "revealed", "hidden")}
CAPITALS: Pool = {"headquarters": ("revealed", "hidden"), "capital_short": (0, 1)}
EDITION: Pool = {
    "card_draw_time": ("end_turn",),
    "capitals": ("claim", "own"),
    "reinforce_start": ("next", "first"),
    "cities": ("preset", "random"),
    "objectives": ("preset", "random"),
    "objectives_to_win": (0, 1, 2, 3, 8),
    "territories_objective": (18, 20),
    "elimination_win": ("end_of_turn", "immediate"),
    "star_trades_per_turn": (1, 2, 10),
    "extra_cards": ("none", "by_seats"),
    "three_player_card": (0, 1),
}
REWARDS: Pool = {
    "reward_placement": ("on_objective", "pile"),
    "reward_visibility": ("up", "down"),
    "airfield_scope": ("own_territory", "battle_location", "either"),
    "airfield_cap": (0, 1),
    "guaranteed_card_beats_objective": (0, 1),
}
ANYTHING: Pool = {
    "missions": (0, 1),
    "trade_values": (*CARDS["trade_values"], "stars"),
    "capitals": ("none", "claim", "own", "own"),
    "objectives": ("none", "preset", "random"),
    "cities": ("none", "preset", "random"),
    "rewards": (0, 1, 1),
    "card_draw_time": ("end_turn", "end_attack"),
}
# Large hands fall to those who have a Starting Maneuver.
HOARDING: Pool = {
    "trade_values": ("progressive",),
    "card_deck": ("A", "B"),
    "must_trade_at": (0,),
    "elimination_trade": ("immediate_to_4",),
    "objectives_to_win": (0,),
}
BASES = {"anything": "classic", "hoarding": "command_room"}
SEATS = {"anything": (3, 5), "hoarding": (5, 5)}
MIXES: dict[str, Pool] = {
    "classic": COMMON | CARDS,
    "secret_mission": COMMON | CARDS | MISSIONS | BOTH,
    "capital": COMMON | CARDS | CAPITALS,
    "objectives_basic": COMMON | EDITION,
    "command_room": COMMON | EDITION | REWARDS,
    # Every subject at once, as far as they go together.
    "hoarding": HOARDING,
    "anything": COMMON | CARDS | MISSIONS | BOTH | EDITION | REWARDS | ANYTHING,
}
GAMES_PER_MIX = 16


def named(game: Game, events: list[Event], name: str) -> list[Event]:
    kind = [one.name for one in game.description.events].index(name)
    return [event for event in events if event.kind == kind]


def first_player(rolls: list[Event], seats: int) -> int:
    """Who begins by the rolls that were told: the highest, ties roll again among themselves."""
    if not rolls:
        return 0
    tied, attempt = set(range(seats)), 0
    while len(tied) > 1:
        rolled = {event.seat: event.dice[0] for event in rolls if event.n == attempt}
        assert set(rolled) == tied
        tied = {seat for seat, die in rolled.items() if die == max(rolled.values())}
        attempt += 1
    assert len({event.n for event in rolls}) == attempt
    return tied.pop()


def fields(state: State) -> dict[str, tuple[int, ...]]:
    """Every field by name, from one packed position."""
    layout = state.game.description.fields
    words = iter(struct.unpack(f"<{state.game.description.words() + 1}i", state.packed())[1:])
    return {field.name: tuple(islice(words, field.length)) for field in layout}


def start_of(game: Game, state: State, events: list[Event]) -> Start:
    """What luck decided: who begins and the deal from the events, the rest from the position."""
    first = first_player(named(game, events, "rolled_first"), game.seats)
    dealt = [(event.a, event.b) for event in named(game, events, "dealt")]
    for number, (_, colour) in enumerate(dealt):  # clockwise from the first player, the neutral colour last
        colours = len(game.description.colours)
        order = [*((first + step) % game.seats for step in range(game.seats)), game.seats][:colours]
        assert colour == order[number % colours]
    found = fields(state)
    pile = list(found.get("reward_pile", ()))
    return Start(
        first=first,
        dealt=dealt,
        mission=list(found.get("mission", ())),
        refused=list(found.get("mission_refused", ())),
        cities={place for place, city in enumerate(found.get("city", ())) if city},
        lying={number for number, holder in enumerate(found.get("objective", ())) if holder == 100},
        tokens={number: reward for number, reward in enumerate(found.get("reward_on", ())) if reward >= 0},
        piles=(pile[: len(pile) // 2], pile[len(pile) // 2 :]),
    )


def offered(game: Game, state: State, seat: int) -> Ranges:
    kinds = game.description.actions
    return {(kinds[one.kind].name, one.a, one.b, one.c): (one.lo, one.hi) for one in state.legal(seat)}


def clean(model: Reference, name: str, value: Sequence[int]) -> tuple[int, ...]:
    """A field's value without what no rule asks: whether the mission of an eliminated colour is void."""
    if name != "mission_void":
        return tuple(value)
    return tuple(one * (colour in model.living) for colour, one in enumerate(value))


def compare(game: Game, state: State, model: Reference) -> None:
    """Everything that both know."""
    found, known = fields(state), facts(model)
    assert game.description.phases[found["phase"][0]] == model.phase
    for name, value in found.items():
        if name in known:
            assert clean(model, name, value) == clean(model, name, known[name]), name
            model.seen[f"field {name}"] += 1
    assert state.pending() == tuple(sorted(model.asked))
    for seat in model.asked:
        assert offered(game, state, seat) == model.ranges(seat)
    if model.ending:
        result = state.result()
        assert (result.over, result.termination) == (True, model.ending)
        assert set(result.survivors) == model.living
        assert result.winners == tuple(model.winners)


def together(game: Game, seed: int, decisions: int, daring: float = 0.9) -> Reference:
    """Play the kernel and the reference side by side; fails at the first difference."""
    state, events = game.start(seed)
    model = Reference(game, start_of(game, state, events), Luck(game, state, events))
    compare(game, state, model)
    chooser = Chooser(seed, daring)
    for _ in range(decisions):
        if model.ending:
            break
        seat = min(model.asked)
        move = chooser(model, model.ranges(seat))
        action = Action(game.description.action_kind(move.kind), *move[1:])
        luck = Luck(game, state, state.play(seat, action))
        model.play(seat, move, luck)
        assert luck.spent()
        compare(game, state, model)
    return model


def variant_games() -> list[tuple[str, int]]:
    found = []
    for name, variant in engine_core.variants().items():
        low, high = variant.seats
        found += [(name, seats) for seats in range(low, high + 1) if variant.family == "conquest"]
    return found


@cache
def game_of_variant(name: str, seats: int, seed: int) -> Reference:
    game = engine_core.load(name, seats=seats, turn_cap=TURN_CAP)
    return together(game, seed, DECISIONS, daring=0.95 if seed % 3 else 0.8)


def mix(name: str, number: int) -> tuple[int, dict[str, str | int]]:
    """Seats and options of a game of MIXES."""
    rng = random.Random(f"{name} {number}")
    low, high = SEATS.get(name) or engine_core.variants()[name].seats
    seats = rng.randint(low, high)
    options = {option: rng.choice(values) for option, values in MIXES[name].items()}
    if "mission_deck" in options and rng.random() < 0.5:
        options["colours"] = ",".join(rng.sample(COLOURS, seats))
    return seats, fitting(options)


def fitting(options: dict[str, str | int]) -> dict[str, str | int]:
    """The options without those that do not go with others of them."""
    if "capitals" in options:
        setups = {"claim": "claim", "own": "deal"}
        options["setup"] = setups.get(str(options["capitals"]), options.get("setup", "claim"))
        options["objectives" if options["capitals"] == "none" else "headquarters"] = "none"
    if options.get("objectives", "none") != "none":
        options["card_draw_time"] = "end_turn"
    elif "rewards" in options:
        options["rewards"] = 0
    if options.get("rewards"):
        options |= {"expert_card_reroll": 0, "expert_commander": 0}
    if options.get("trade_values") == "stars":
        options |= {"card_deck": "stars", "must_trade_at": 0, "elimination_trade": "next_turn"}
    return options


@cache
def game_of_mix(name: str, number: int) -> Reference:
    seats, options = mix(name, number)
    game = engine_core.load(BASES.get(name, name), seats=seats, turn_cap=TURN_CAP, **options)
    return together(game, number, DECISIONS, daring=0.95)


@pytest.mark.parametrize("name, seats", variant_games())
def test_kernel_and_reference_agree_in_every_variant(name: str, seats: int) -> None:
    for seed in range(SEEDS):
        game_of_variant(name, seats, seed)


@pytest.mark.parametrize("number", range(GAMES_PER_MIX))
@pytest.mark.parametrize("name", MIXES)
def test_kernel_and_reference_agree_whatever_the_options(name: str, number: int) -> None:
    game_of_mix(name, number)


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_kernel_and_reference_agree_on_random_play(number: int) -> None:
    together(game_of(number), number, 800, daring=0.0)


# ---- what luck decides is at least possible


def fresh(name: str, seats: int, **options: str | int) -> Iterator[tuple[Game, Start]]:
    """A few new games of a variant, before any decision."""
    game = engine_core.load(name, seats=seats, **options)
    for seed in range(20):
        state, events = game.start(seed)
        yield game, start_of(game, state, events)


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
@pytest.mark.parametrize("deck", ["eu14", "us12_guess"])
@pytest.mark.parametrize("own", ["fallback24", "redraw"])
def test_missions_are_dealt_without_those_of_unused_colours(seats: int, deck: str, own: str) -> None:
    dealt: set[int] = set()
    own_drawn = 0
    for game, start in fresh("secret_mission", seats, mission_deck=deck, own_colour_mission=own):
        missions: Any = game.ruleset.tables["missions"]["missions"]
        target = [mission.get("colour", "") for mission in missions]
        colours = game.description.colours
        assert len(set(start.mission)) == len(start.mission) == seats
        assert {target[number] for number in start.mission} <= {"", *colours}
        mine = sum(target[number] == colour for number, colour in zip(start.mission, colours, strict=True))
        assert not (mine and own == "redraw")
        assert not (any(start.refused) and own == "fallback24")
        own_drawn += mine + sum(start.refused)
        dealt |= set(start.mission)
    assert len(dealt) >= 8
    assert own_drawn


def test_cities_objectives_and_rewards_are_laid_out_as_the_edition_says() -> None:
    cities, lying, tokens = set(), set(), set()
    for game, start in fresh("command_room", 3):
        edition: Any = game.ruleset.tables["edition"]
        ranks = {number: objective["rank"] for number, objective in enumerate(edition["objectives"])}
        drawn = [ranks[number] for number in start.lying]
        assert [drawn.count("minor"), drawn.count("major")] == list(edition["drawn"])
        assert len(start.cities) == edition["city_count"]
        assert set(start.tokens) == start.lying
        assert sorted(start.tokens.values()) == list(range(8))
        for number, reward in start.tokens.items():
            assert ranks[number] == ("minor" if reward < 4 else "major")
        cities.add(frozenset(start.cities))
        lying.add(frozenset(start.lying))
        tokens.add(tuple(sorted(start.tokens.items())))
    assert len(cities) == len(tokens) == 20
    assert len(lying) > 10


def test_preset_cities_and_objectives_are_the_printed_ones() -> None:
    for game, start in fresh("objectives_basic", 4):
        edition: Any = game.ruleset.tables["edition"]
        assert {game.ruleset.board.ids[place] for place in start.cities} == set(edition["preset_cities"])
        ids = {edition["objectives"][number]["id"] for number in start.lying}
        assert ids == set(edition["preset_objectives"])


@pytest.mark.parametrize(
    "edition, absent", [("standard", set()), ("anniversary_40", {"EAF MEA"}), ("german_2008", {"NAF SEU"})]
)
def test_board_editions_lack_one_border(edition: str, absent: set[str]) -> None:
    def borders(name: str) -> set[str]:
        board = engine_core.load("classic", seats=3, map_edges_override=name).ruleset.board
        return {" ".join(sorted((board.ids[a], board.ids[b]))) for a, b in board.borders}

    assert len(borders("standard")) == 83
    assert borders("standard") - borders(edition) == absent
    assert borders(edition) <= borders("standard")


# ---- the games above show what the rules speak of


HAPPENED = {
    "troops lost", "set-up troops lost", "bonus lost to the cap", "bonus declined", "reroll", "commander",
    "several moves", "move in fortify", "move in maneuver", "additional maneuver",
    "headquarters win", "mission win", "mission win in another's turn", "mission became the fallback",
    "mission by fallback", "mission by regions", "mission by regions_and_one", "mission by territories",
    "mission by eliminate",
    "stars", "extra card", "no card after an objective", "guaranteed card", "two troops",
    "attack airfield", "defence airfield", "airfield lost", "attack die", "defense die",
    "objective", "objective taken", "objective win", "objectives without the capital",
    "objective region", "objective cities", "objective enemy_capitals", "objective new_cities",
    "objective new_territories", "objective territories", "objective new_region", "objective regions",
    "reward airfield_minor", "reward starting_maneuver", "reward additional_maneuver",
    "reward guaranteed_card", "reward airfield_major", "reward attack_die", "reward defense_die",
    "reward two_troops", "reward of the eliminated",
    "forced trade", "forced trade, no second maneuver",
}  # fmt: skip


def fields_of(name: str, seats: int) -> tuple[Field, ...]:
    return engine_core.load(name, seats=seats).description.fields


def all_games() -> list[Reference]:
    games = [game_of_variant(name, seats, seed) for name, seats in variant_games() for seed in range(SEEDS)]
    return games + [game_of_mix(name, number) for name in MIXES for number in range(GAMES_PER_MIX)]


def test_the_games_show_everything_the_rules_speak_of() -> None:
    seen: Counter[str] = Counter()
    for model in all_games():
        seen += model.seen
        seen["game over by " + model.ending] += 1
        seen["fall"] += len(model.fallen)
    assert set(seen) >= HAPPENED, HAPPENED - set(seen)
    described = {field.name for name, seats in variant_games() for field in fields_of(name, seats)}
    assert {field for field in described if not seen[f"field {field}"]} <= OPEN
    assert seen["game over by rules"] >= 30
    assert seen["fall"] >= 100


def test_the_games_take_every_value_of_every_option() -> None:
    values = {(option, value) for pool in MIXES.values() for option, many in pool.items() for value in many}
    mixes = [mix(name, number)[1] for name in MIXES for number in range(GAMES_PER_MIX)]
    assert {item for options in mixes for item in options.items()} >= values
    games = [model.options for model in all_games()]
    for option in family("conquest").options:
        if option.kind in ("choice", "bool"):
            assert {options[option.name] for options in games} == set(option.values or (0, 1)), option.name
