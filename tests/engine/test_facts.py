"""What is said about a variant follows from its rules, names only what there is, and misses nothing."""

from __future__ import annotations

import re
from random import Random

import pytest

import engine_core
from engine_core.conquest.options import OPTIONS
from engine_core.conquest.rulings import known
from engine_core.facts import Section, facts, words
from engine_core.options import Option, OptionValue
from engine_core.rulings import conditions

VARIANTS = sorted(engine_core.variants())
Case = tuple[str, dict[str, OptionValue]]
CASES: list[Case] = [(name, {}) for name in VARIANTS]
CHOICES: list[Case] = [
    ("classic", {"defender_dice": "max", "territory_bonus": "none", "card_draw_time": "end_attack"}),
    ("classic", {"trade_values": "italian", "fortify": "path_many", "expert_card_reroll": 1}),
    ("classic", {"setup": "deal", "first_player": "first", "expert_commander": 1, "must_trade_at": 0}),
    ("secret_mission", {"mission_deck": "us12_guess", "mission_check": "own_turn"}),
    ("capital", {"headquarters": "hidden", "capital_short": 1}),
    ("command_room", {"reward_placement": "pile", "airfield_scope": "either", "objectives_to_win": 4}),
    ("classic", {"missions": 1, "headquarters": "hidden", "cities": "preset"}),
    ("classic", {"objectives": "random", "capitals": "claim", "cities": "random", "rewards": 1}),
    ("endor", {"may_waste_hits": 0, "tie_attack_after_deploy": 0, "attack_from_marker": 0}),
    ("endor_teams", {"partners_show_hands": 0, "emperor_order_after_vader_killed": 0}),
    ("command_room", {"three_player_card": 1, "guaranteed_card_beats_objective": 1}),
]


def sections(name: str, **options: OptionValue) -> dict[str, Section]:
    """The sections of a variant by name."""
    return {section.name: section for section in facts(name, **options)}


def column(section: Section, head: str = "") -> list[str]:
    """One column of a section's table, the first unless named."""
    at = section.heads.index(head) if head else 0
    return [row[at] for row in section.rows]


@pytest.mark.parametrize(("name", "options"), [*CASES, *CHOICES])
def test_tables_are_whole(name: str, options: dict[str, OptionValue]) -> None:
    found = facts(name, **options)
    assert len({section.name for section in found}) == len(found)
    for section in found:
        assert section.title
        assert section.text or section.rows
        for row in section.rows:
            assert len(row) == len(section.heads)
            assert row[0]
            assert not re.search(r"[{}]|None", " ".join(row))


@pytest.mark.parametrize(("name", "options"), [*CASES, *CHOICES])
def test_the_turn_names_the_decisions_that_there_are(name: str, options: dict[str, OptionValue]) -> None:
    known = {kind.name for kind in engine_core.load(name).description.actions}
    found = sections(name, **options)
    for section in (found["setup"], found["turn"]):
        for decisions in column(section, "decisions"):
            words_of = re.findall(r"^\w+|(?<=, or )\w+", decisions)
            assert set(words_of) <= known


@pytest.mark.parametrize("name", VARIANTS)
def test_every_decision_of_a_game_is_in_the_tables(name: str) -> None:
    """Games at random meet most kinds of decisions; each must be told about."""
    found, rng = sections(name), Random(1)
    told = " ".join(
        [*column(found["setup"], "decisions"), *column(found["turn"], "decisions")]
        + (
            column(found["two_seats"], "decisions")
            if found.get("two_seats") and found["two_seats"].rows
            else []
        )
    )
    for seats in range(engine_core.variants()[name].seats[0], engine_core.variants()[name].seats[1] + 1):
        game = engine_core.load(name, seats=seats, turn_cap=30)
        state = game.new_state(seats)
        while pending := state.pending():
            action = state.legal(pending[0]).sample(rng)
            kind = game.description.actions[action.kind].name
            assert re.search(rf"\b{kind}\b", told), f"{kind} is not told about"
            state.apply(pending[0], action)


@pytest.mark.parametrize(
    ("min_move", "words"),
    [
        ("one", "at least 1 troop moves in"),
        ("dice_rolled", "at least as many troops as dice were rolled move in"),
    ],
)
def test_the_fewest_troops_that_move_in_are_told_in_the_turn(min_move: str, words: str) -> None:
    assert any(
        words in told for told in column(sections("classic", min_move=min_move)["turn"], "what happens")
    )


@pytest.mark.parametrize("name", VARIANTS)
def test_every_option_is_listed_with_its_default_and_a_known_source(name: str) -> None:
    listed = sections(name)["options"]
    sources = column(sections(name)["sources"])
    options = engine_core.variants()[name].options
    assert column(listed) == [option.name for option in options]
    for option, default in zip(options, column(listed, "default"), strict=True):
        shown = {"bool": "true" if option.default else "false"}.get(option.kind, str(option.default) or "-")
        assert default.partition(" (")[0] == shown
    for option in options:
        for part in re.split(r" \(|, |: |\)", option.source):
            named = part in sources or part in map(str, option.values) or not part
            named = named or part.removeprefix("with ") in column(listed)  # where another option is on
            assert named or re.fullmatch(r"\w+", part), f"{option.name}: nobody explains the source {part!r}"


def test_an_option_that_differs_names_the_familys_default() -> None:
    defaults = dict(
        zip(
            column(sections("expert")["options"]),
            column(sections("expert")["options"], "default"),
            strict=True,
        )
    )
    assert defaults["troop_cap"] == "12 (0)"
    assert defaults["fortify"] == "path_one_to_many (adjacent)"
    assert defaults["setup"] == "claim"


def test_the_tables_follow_the_options() -> None:
    assert "bonus" in column(sections("classic")["turn"])
    assert "bonus" not in column(sections("classic", territory_bonus="none")["turn"])
    assert column(sections("classic")["turn"])[-1] == "card"
    early = column(sections("classic", card_draw_time="end_attack")["turn"])
    assert early.index("card") < early.index("fortify")
    assert "stars" in column(sections("command_room")["turn"])
    assert "maneuver" not in column(sections("objectives_basic")["turn"])
    assert column(sections("command_room")["victory"]) == ["last one standing", "objectives", "turn cap"]
    assert column(sections("world_conquest")["victory"]) == ["last one standing", "turn cap"]
    assert len(sections("secret_mission")["missions"].rows) == 14
    assert len(sections("secret_mission", mission_deck="us12_guess")["missions"].rows) == 12
    assert len(sections("command_room")["objectives"].rows) == 12
    assert len(sections("objectives_basic")["objectives"].rows) == 8
    assert "rewards" not in sections("objectives_basic")
    twenty = column(sections("command_room", territories_objective=20)["objectives"], "what it asks for")
    assert "hold 20 territories" in twenty


@pytest.mark.parametrize("name", VARIANTS)
def test_what_is_synthetic_is_said(name: str) -> None:
    options = {option.name: option.default for option in engine_core.variants()[name].options}
    said = " ".join(" ".join(row) for row in sections(name)["reconstructed"].rows)
    assert ("SYNTHETIC" in said) == (options.get("trade_values") == "stars")
    for option in column(sections(name)["rulings"], "option"):
        for part in filter(None, option.split(", ")):
            assert part in options, f"a ruling names an option {part} that there is not"


# variant, options, what is open or was reconstructed, what the page says about it (None: no row)
SAID: list[tuple[str, dict[str, OptionValue], str, str | None]] = [
    ("classic", {}, "the fewest troops that move in", "as many as dice were rolled in the capturing roll"),
    ("classic", {"min_move": "one"}, "the fewest troops that move in", "1, whatever was rolled"),
    ("classic", {"defender_dice": "max"}, "who declares dice first", None),
    ("classic", {"first_player": "first"}, "a tie for who begins", None),
    ("classic", {"reinforce_start": "first"}, "placing after claiming", "starts with the first player"),
    ("secret_mission", {}, "placing after claiming", None),
    ("classic", {"deck_exhausted": "no_more_cards"}, "the deck is empty", "nobody draws a card any more"),
    (
        "classic",
        {"last_capture": "end"},
        "the fall of the last opponent",
        "the game ends at once: the fewest troops move in without a question, and there are no cards or "
        "trades",
    ),
    ("classic", {}, "doing without the 2 extra troops", "is not possible"),
    (
        "classic",
        {"bonus_declinable": 1},
        "doing without the 2 extra troops",
        "is allowed; a later set of the turn can then have them",
    ),
    ("classic", {"territory_bonus": "none"}, "the 2 extra troops", None),
    ("classic", {"territory_bonus": "none"}, "doing without the 2 extra troops", None),
    ("classic", {"territory_bonus": "none"}, "the 2 extra troops in a forced trade", None),
    ("expert", {}, "the 2 extra troops on a full territory", "are lost"),
    ("expert", {"territory_bonus": "none"}, "the 2 extra troops on a full territory", None),
    ("expert", {"troop_cap": 0}, "room under the cap", None),
    ("classic", {}, "a wild in sets of fixed value", None),
    ("expert", {}, "a wild in sets of fixed value", None),
    ("classic", {"trade_values": "italian"}, "a wild in sets of fixed value", None),
    (
        "classic",
        {"trade_values": "fixed_yura"},
        "a wild in sets of fixed value",
        "stands for what makes the set worth most",
    ),
    ("secret_mission", {}, "the mission against the own colour", "becomes 24 territories"),
    (
        "secret_mission",
        {"own_colour_mission": "redraw"},
        "the mission against the own colour",
        "leaves the game, and another one is drawn",
    ),
    ("secret_mission", {}, "the target falls to another", "the mission is fulfilled all the same"),
    (
        "secret_mission",
        {"mission_kill_credit": "self_else_24"},
        "the target falls to another",
        "the mission becomes 24 territories",
    ),
    (
        "secret_mission",
        {"mission_check": "own_turn"},
        "when missions are looked at",
        "in the own turn alone: at its start and after each step, from the first turn on",
    ),
    ("classic", {}, "when missions are looked at", None),
    ("command_room", {"airfield_cap": 1}, "an airfield and a 6", "the 6 stays a 6"),
    ("command_room", {}, "an airfield and a 6", "the 6 becomes a 7"),
    ("objectives_basic", {}, "an airfield and a 6", None),
    ("command_room", {}, "where airfields help", "when the own territory in the battle has or borders it"),
    (
        "command_room",
        {"airfield_scope": "battle_location"},
        "where airfields help",
        "when the attacked territory has or borders it",
    ),
    (
        "command_room",
        {"airfield_scope": "either"},
        "where airfields help",
        "when the attacking or the attacked territory has or borders it",
    ),
    (
        "command_room",
        {"elimination_win": "immediate"},
        "enough objectives by an elimination",
        "win at once, with the own capital",
    ),
    ("world_conquest", {}, "enough objectives by an elimination", None),
    (
        "command_room",
        {"guaranteed_card_beats_objective": 1},
        "Guaranteed Card and a claim",
        "the card is drawn in spite of the claim",
    ),
    (
        "command_room",
        {"reward_visibility": "down"},
        "which side of a reward is up",
        "the back: it is seen when the objective is claimed",
    ),
    ("command_room", {"reward_placement": "pile"}, "which side of a reward is up", None),
    ("command_room", {"reward_placement": "pile"}, "where rewards lie", None),
    ("command_room", {"reward_placement": "pile"}, "which reward lies where", None),
    ("command_room", {}, "which reward lies where", "not printed: drawn at random"),
    (
        "objectives_basic",
        {"star_trades_per_turn": 3},
        "more than 10 stars",
        "up to 10 may be turned in at once, 3 times a turn",
    ),
    ("command_room", {"starting_troops": 40}, "starting troops of 2008", None),
    ("command_room", {}, "starting troops of 2008", "one summary of the revised rules"),
    ("command_room", {"objectives": "preset"}, "fixed territories and troops", None),
    ("classic", {"trade_values": "plus_one"}, "sets and their values", None),
    (
        "classic",
        {"card_deck": "C"},
        "symbols of the cards",
        "the deck of one program, not known to be an edition's",
    ),
    (
        "classic",
        {"map_edges_override": "german_2008"},
        "borders",
        "those on at least 5 of 6 independent maps, without the one that this edition has not "
        "(map_edges_override)",
    ),
    ("secret_mission", {"mission_deck": "us12_guess"}, "the 14 missions", None),
    ("secret_mission", {}, "which 12 missions", None),
    *((name, {}, "the 14 missions", None) for name in VARIANTS if name != "secret_mission"),
]


@pytest.mark.parametrize(("name", "options", "what", "said"), SAID)
def test_what_is_said_is_what_holds(
    name: str, options: dict[str, OptionValue], what: str, said: str | None
) -> None:
    found = sections(name, **options)
    rows = [row for each in ("rulings", "reconstructed") for row in found[each].rows if row[0] == what]
    assert [row[1] for row in rows] == ([] if said is None else [said])


# Of whole numbers, those that a row must tell apart from the one chosen.
OTHER_NUMBERS: dict[str, tuple[int, ...]] = {"troop_cap": (0,), "star_trades_per_turn": (2, 3)}
# Values that are ruled alike.
ALIKE = {"a wild in sets of fixed value": {"fixed_2003", "fixed_yura"}}


def values(option: Option) -> tuple[OptionValue, ...]:
    """The values of an option that its rows tell apart."""
    return {"bool": (0, 1), "int": OTHER_NUMBERS.get(option.name, ())}.get(option.kind, option.values)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *CASES,
        *CHOICES,
        ("classic", {"trade_values": "fixed_2003", "bonus_declinable": 1, "territory_bonus": "per_trade"}),
        ("secret_mission", {"own_colour_mission": "redraw", "mission_kill_credit": "self_else_24"}),
        ("command_room", {"elimination_win": "immediate", "airfield_cap": 1, "reward_visibility": "down"}),
    ],
)
def test_a_ruling_says_nothing_of_the_values_that_were_not_chosen(
    name: str, options: dict[str, OptionValue]
) -> None:
    """Each row about an option goes or changes when the option has any other value."""
    by_name = {option.name: option for option in engine_core.variants()[name].options}
    ruleset = engine_core.load_ruleset(name, seats=None, **options)
    compared = 0
    for open_question, ruling, option in sections(name, **options)["rulings"].rows:
        if not option:
            continue
        chosen = ruleset.options.get(option, by_name[option].default)
        for value in set(values(by_name[option])) - {chosen} - ALIKE.get(open_question, set()):
            try:
                found = sections(name, **{**options, option: value})
            except engine_core.OptionError:
                continue  # the value does not go with the variant's others
            assert (open_question, ruling, option) not in found["rulings"].rows, f"{option} = {value}"
            compared += 1
    assert compared >= 5


@pytest.mark.parametrize("name", ["rulings", "reconstructed", "leaving"])
def test_conditions_name_options_and_their_values(name: str) -> None:
    by_name = {option.name: option for option in OPTIONS}
    for entry in known()[name]:
        for option, comparison, asked in conditions(entry.get("when", "")):
            if option == "edition_start":  # no option: derived
                assert not comparison
                continue
            allowed = [str(value) for value in values(by_name[option])] or asked
            if by_name[option].kind != "int":
                assert set(asked) <= set(allowed), f"{entry}: {option} is never {asked}"
            assert bool(comparison) == bool(asked)


@pytest.mark.parametrize(
    "when", ["min_move == one", "min_move=one", "min_move and", "min_move = one or cities"]
)
def test_a_condition_of_no_known_form_is_refused(when: str) -> None:
    with pytest.raises(ValueError, match=re.escape(when)):
        conditions(when)


def test_options_that_are_rulings_are_listed_as_open_questions() -> None:
    told = {entry.get("option") for entry in known()["rulings"]}
    ruled = {option.name for option in OPTIONS if option.source.startswith("ruling")}
    assert ruled
    assert ruled <= told


def test_leaving_tells_what_there_is() -> None:
    left = {name: {row[0]: row[1] for row in sections(name)["leaving"].rows} for name in VARIANTS}
    assert set(left["classic"]) == {"its troops", "its cards"}
    assert left["secret_mission"]["missions against it"].startswith("become 24 territories")
    assert "stay with it" in left["objectives_basic"]["its objectives"]
    assert "its rewards" not in left["objectives_basic"]
    assert "leave the game" in left["command_room"]["its rewards"]
    assert "enemy capital" in left["command_room"]["its capital as a goal"]
    assert "its headquarters" in left["capital"]


@pytest.mark.parametrize(
    ("fortify", "said"),
    [
        ("adjacent", "one move to an adjacent own territory before the first attack"),
        ("path", "one move along own territories before the first attack"),
    ],
)
def test_starting_maneuver_goes_as_far_as_the_fortifying_move(fortify: str, said: str) -> None:
    found = sections("command_room", fortify=fortify)
    (phase,) = (row[1] for row in found["turn"].rows if row[0] == "maneuver")
    (reward,) = (row[-1] for row in found["rewards"].rows if row[0] == "starting_maneuver")
    assert phase == f"who has Starting Maneuver may make {said}"
    assert reward == said


@pytest.mark.parametrize(
    ("option", "section", "row", "said", "instead"),
    [
        ("tie_attack_after_deploy", "orders", "tie", "in both cases then one", "without an attack, or"),
        ("tie_attack_after_deploy", "turn", "move", "are deployed", "are deployed, which ends the order"),
        ("may_waste_hits", "turn", "assign", "hit, or pass", "hit"),
        ("attack_from_marker", "turn", "attack", "from any place with", "from any sector with"),
        ("redeem_requires_luke_alive", "orders", "redeem", "out, while Luke lives", "Emperor are out"),
        ("emperor_order_after_vader_killed", "orders", "emperor", "Vader was killed", "while Vader lives"),
        ("death_star_falcon_kill_gives_2", "bonus", "the Falcon", "or the Death Star", "destroyed by ships"),
        ("death_star_sector_shot_gives_clear_bonus", "bonus", "a sector", "or the Death Star", "by ships"),
        ("attack_uses_all_fighters_of_type_in_origin", "ships", "X-wing", "one each, at most", "that moved"),
    ],
)
def test_tables_of_endor_follow_its_options(
    option: str, section: str, row: str, said: str, instead: str
) -> None:
    """What the rules tables say of an option is different text for its two values, in the row it is about."""
    told = [
        next(cells for cells in sections("endor", **{option: on})[section].rows if cells[0].startswith(row))
        for on in (1, 0)
    ]
    assert told[0] != told[1]
    assert any(said in cell for cell in told[0])
    assert any(instead in cell for cell in told[1])
    if option == "may_waste_hits":
        assert (told[0][2], told[1][2]) == (said, instead)


def test_partners_see_orders_once_all_have_chosen() -> None:
    """The ruling says what the views do: see test_endor_properties for the views."""
    (said,) = (row[1] for row in sections("endor_teams")["rulings"].rows if row[0] == "what partners see")
    assert "once all have chosen" in said


@pytest.mark.parametrize("name", VARIANTS)
def test_every_label_has_words(name: str) -> None:
    game = engine_core.load(name)
    found = words(game.ruleset)
    for label, names in game.description.labels.items():
        assert set(names) <= set(found[label])


def test_only_the_seats_that_the_options_allow_are_told() -> None:
    assert column(sections("classic")["seats"]) == ["2", "3", "4", "5", "6"]
    assert column(sections("classic", capitals="claim", cities="preset")["seats"]) == ["3", "4", "5", "6"]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(engine_core.UnknownName, match="chess"):
        facts("chess")
    with pytest.raises(engine_core.OptionError, match="12"):
        facts("classic", turn_cap="12")
