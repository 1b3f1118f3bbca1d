"""Text forms of positions, actions and events: examples, round trips of anything, errors with a place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine_core import load_ruleset
from engine_core.conquest.describe import describe
from engine_core.description import Description, Field, Kind
from engine_core.errors import TextError
from engine_core.text import action_text, event_text, parse_action, parse_position, position_text

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
BYTE = st.integers(0, 255)


def game(*fields: Field) -> Description:
    """A small made-up game with these fields."""
    return Description(
        family="test",
        layout_version=1,
        seats=2,
        colours=("black", "blue", "neutral"),
        colour_seat=(0, 1, -1),
        teams=(0, 1),
        rotations=((0, 1), (1, 0)),
        territories=("ALA", "KAM", "NWT"),
        territory_names=("Alaska", "Kamchatka", "Northwest Territory"),
        cards=("ALA", "KAM", "NWT", "wild1"),
        phases=("claim", "attack", "over"),
        actions=(
            Kind("end"),
            Kind("place", ("territory", "", "colour")),
            Kind("attack", ("territory", "territory", ""), "dice"),
            Kind("trade", ("card", "card", "card")),
            Kind("bid", amount="points"),
            Kind("pick", ("goal", "", "")),
        ),
        events=(Kind("battle", ("territory", "territory", "number"), "losses"), Kind("shuffled")),
        fields=fields,
        rules=("fine",),
        labels={"goal": ("north", "south")},
    )


FIELDS = (
    Field("lap", 1),
    Field("phase", 1, "phase"),
    Field("turn_colour", 1, "colour"),
    Field("attack_from", 1, "territory", default=-1),
    Field("top", 1, "card", default=-1),
    Field("pool", 3, per="colour"),
    Field("owner", 3, "colour", "territory", default=-1),
    Field("troops", 3, per="territory"),
    Field("cards", 4, "holder", "card", default=100),
    Field("deck", 4, "card", default=-1),
    Field("rolls", 12),
    Field("nothing", 0),
    Field("goal", 2, "goal", "seat", default=-1),
    Field("goal_holder", 2, "holder", "goal", default=-1),
)
SMALL = game(*FIELDS)
CLASSIC = describe(load_ruleset("classic", seats=2))
NEW = [field.default for field in FIELDS for _ in range(field.length)]


def words(**values: int | list[int]) -> list[int]:
    """The packed words of SMALL with these fields set, the others at their default."""
    packed = list(NEW)
    for name, value in values.items():
        offset, length = SMALL.offset(name)
        packed[offset : offset + length] = value if isinstance(value, list) else [value]
    return packed


# ---- positions


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("lap=3", {"lap": 3}),
        ("lap=-7", {"lap": -7}),
        ("lap=?", {"lap": -1}),
        ("phase=attack turn_colour=2", {"phase": 1, "turn_colour": 2}),
        ("phase=9", {"phase": 9}),
        ("attack_from=KAM", {"attack_from": 1}),
        ("attack_from=77", {"attack_from": 77}),
        ("top=wild1", {"top": 3}),
        ("pool=1,2,0", {"pool": [1, 2, 0]}),
        ("pool=14*3", {"pool": [14, 14, 14]}),
        ("pool=?,2,2", {"pool": [-1, 2, 2]}),
        ("board=ALA:0x3,KAM:1x2", {"owner": [0, 1, -1], "troops": [3, 2, 0]}),
        ("board=*:0x1,NWT:-x0", {"owner": [0, 0, -1], "troops": [1, 1, 0]}),
        ("board=NWT:-x?", {"troops": [0, 0, -1]}),
        ("board=*:2x5", {"owner": [2, 2, 2], "troops": [5, 5, 5]}),
        ("cards=ALA:0,KAM:discard", {"cards": [0, 101, 100, 100]}),
        ("cards=*:?,wild1:1", {"cards": [-1, -1, -1, 1]}),
        ("deck=wild1,ALA,-,-", {"deck": [3, 0, -1, -1]}),
        ("rolls=0*10,3,1", {"rolls": [0] * 10 + [3, 1]}),
        ("rolls=1,1,2*3,0*7", {"rolls": [1, 1, 2, 2, 2] + [0] * 7}),
        ("cards=KAM:aside", {"cards": [100, 102, 100, 100]}),
        ("goal=south,-", {"goal": [1, -1]}),
        ("goal_holder=south:1", {"goal_holder": [-1, 1]}),
    ],
)
def test_a_position_reads_and_writes_like_this(text: str, values: dict[str, int | list[int]]) -> None:
    assert position_text(SMALL, words(**values)) == text
    assert parse_position(SMALL, text) == words(**values)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("  phase=attack   lap=2 ", {"lap": 2, "phase": 1}),
        ("attack_from=-", {}),
        ("attack_from=? lap=-", {"lap": -1}),
        ("board=NWT:1x1,*:0x2", {"owner": [0, 0, 1], "troops": [2, 2, 1]}),
        ("cards=*:deck", {}),
        ("deck=?*4 rolls=0*5,0*7", {}),
        ("pool=1*1,1*1,3", {"pool": [1, 1, 3]}),
        ("attack_from=1", {"attack_from": 1}),
    ],
)
def test_a_position_may_also_be_written_otherwise(text: str, values: dict[str, int | list[int]]) -> None:
    assert parse_position(SMALL, text) == words(**values)


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("lap", "word 1", "must be key=value"),
        ("lap=1 lapp=2", "word 2", r"unknown key 'lapp' \(did you mean 'lap'\?\); valid: lap, phase"),
        ("lap=1 lap=1", "lap", "is there twice"),
        ("lap=", "lap=", "unknown number ''"),
        ("lap=1.5", "lap=1.5", "unknown number"),
        ("lap=2147483648", "lap=2147483648", "a 32-bit number"),
        ("lap=1,2", "lap", "has 2 values and must have 1"),
        ("phase=atack", "phase=atack", r"unknown phase 'atack' \(did you mean 'attack'\?\)"),
        ("board=ALX:0x1", "board=ALX:0x1", r"unknown territory 'ALX' \(did you mean 'ALA'\?\)"),
        ("board=KAM:1x2,ALA:0", "board=ALA:0", "must be ownerxtroops"),
        ("board=ALA:0x1x2", "board=ALA:0x1x2", "must be ownerxtroops"),
        ("board=ALA0x1", "board=ALA0x1", "must be name:value"),
        ("board=ALA:0x1,ALA:0x1", "board=ALA:0x1", "ALA is there twice"),
        ("board=*:0x1,*:0x1", "board=*:0x1", r"\* is there twice"),
        ("owner=0,0,0", "word 1", "unknown key 'owner'"),
        ("cards=ALA:nobody", "cards=ALA:nobody", "unknown holder 'nobody'; valid: deck, discard, aside"),
        ("deck=ALA,KAM", "deck", "has 2 values and must have 4"),
        ("goal=soth,-", "goal=soth", r"unknown goal 'soth' \(did you mean 'south'\?\)"),
        ("goal_holder=east:1", "goal_holder=east:1", "unknown goal 'east'; valid: north, south"),
        ("rolls=0*13", "rolls=0*13", r"a count in 1\.\.12"),
        ("rolls=0*0", "rolls=0*0", r"a count in 1\.\.12"),
        ("rolls=0*x", "rolls=0*x", r"a count in 1\.\.12"),
        ("rolls=0*9,0*9", "rolls", "has 18 values and must have 12"),
        ("nothing=1", "nothing", "has 1 values and must have 0"),
    ],
)
def test_a_malformed_position_says_where(text: str, where: str, message: str) -> None:
    with pytest.raises(TextError, match=message) as caught:
        parse_position(SMALL, text)
    assert caught.value.where == where


def test_a_position_of_the_wrong_size_is_refused() -> None:
    with pytest.raises(ValueError, match="38 words, not 37"):
        position_text(SMALL, NEW[:-1])


@st.composite
def positions(draw: st.DrawFn, description: Description) -> list[int]:
    """Words for a description: mostly small and repeated as in real positions, now and then anything."""
    values = st.one_of(st.integers(-1, 3), st.sampled_from((100, 101, 102)), INT32)
    packed: list[int] = []
    for field in description.fields:
        shape = draw(st.sampled_from(("default", "same", "any")))
        if shape == "default":
            packed += [field.default] * field.length
        elif shape == "same":
            packed += [draw(values)] * field.length
        else:
            packed += draw(st.lists(values, min_size=field.length, max_size=field.length))
    return packed


@given(positions(SMALL))
def test_any_position_of_a_small_game_round_trips(packed: list[int]) -> None:
    assert parse_position(SMALL, position_text(SMALL, packed)) == packed


@given(positions(CLASSIC))
def test_any_position_of_the_classic_game_round_trips(packed: list[int]) -> None:
    text = position_text(CLASSIC, packed)
    assert parse_position(CLASSIC, text) == packed
    assert "\n" not in text
    assert parse_position(CLASSIC, " ".join(reversed(text.split()))) == packed


@st.composite
def games(draw: st.DrawFn) -> tuple[Description, list[int]]:
    """A game with any mixture of fields, and a position of it."""
    fields: list[Field] = []
    for name in draw(st.lists(st.sampled_from(("owner", "troops", "board", "u", "v")), unique=True)):
        per = draw(st.sampled_from(("", "territory", "card", "seat", "goal")))
        length = {"": draw(st.integers(0, 5)), "territory": 3, "card": 4, "seat": 2, "goal": 2}[per]
        kinds = ("number", "territory", "card", "seat", "colour", "phase", "holder", "goal")
        of = draw(st.sampled_from(kinds))
        fields.append(Field(name, length, of, per, default=draw(st.sampled_from((0, -1, 100)))))
    description = game(*fields)
    return description, draw(positions(description))


@given(games())
def test_any_position_of_any_game_round_trips(case: tuple[Description, list[int]]) -> None:
    description, packed = case
    assert parse_position(description, position_text(description, packed)) == packed


PIECES = st.one_of(
    st.sampled_from(
        (" ", "=", ",", ":", "*", "x", "-", "?", "ALA", "0", "3", "board=", "rolls=", "cards=", "lap=")
    ),
    st.sampled_from(("attack ", "trade ", "end", "phase=", "attack_from=", "\t", "\u0664", "12345678901")),
    st.text(max_size=3),
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@given(TEXTS)
def test_any_other_text_is_a_text_error(text: str) -> None:
    try:
        packed = parse_position(SMALL, text)
    except TextError as error:
        assert error.where
    else:
        assert len(packed) == SMALL.words()


# ---- actions


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("end", (0, 0, 0, 0, 0)),
        ("place NWT 2", (1, 2, 0, 2, 0)),
        ("attack ALA KAM 3", (2, 0, 1, 0, 3)),
        ("attack ALA KAM -3", (2, 0, 1, 0, -3)),
        ("attack 99 - 0", (2, 99, 255, 0, 0)),
        ("trade ALA KAM wild1", (3, 0, 1, 3, 0)),
        ("bid 12", (4, 0, 0, 0, 12)),
        ("pick south", (5, 1, 0, 0, 0)),
    ],
)
def test_an_action_reads_and_writes_like_this(text: str, action: tuple[int, int, int, int, int]) -> None:
    assert action_text(SMALL, *action) == text
    assert parse_action(SMALL, text) == action


@given(st.integers(0, 5), BYTE, BYTE, BYTE, INT32)
def test_any_action_round_trips_in_what_its_kind_uses(kind: int, a: int, b: int, c: int, n: int) -> None:
    used = SMALL.actions[kind]
    shown = action_text(SMALL, kind, a, b, c, n).partition(" (unused: ")[0]
    operands = [value if of else 0 for of, value in zip(used.operands, (a, b, c), strict=True)]
    amount = n if used.amount else 0
    assert parse_action(SMALL, shown) == (kind, *operands, amount)


@pytest.mark.parametrize(
    ("action", "text"),
    [
        ((0, 0, 0, 0, 123456789), "end (unused: amount = 123456789)"),
        ((0, 1, 2, 3, -4), "end (unused: a = 1, b = 2, c = 3, amount = -4)"),
        ((2, 0, 1, 9, 3), "attack ALA KAM 3 (unused: c = 9)"),
    ],
)
def test_what_an_action_does_not_use_is_shown(action: tuple[int, int, int, int, int], text: str) -> None:
    assert action_text(SMALL, *action) == text


def test_an_action_of_an_unknown_kind_can_be_shown() -> None:
    assert action_text(SMALL, 12, 1, 2, 3, -4) == "kind12 1 2 3 -4"


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("", "word 1", "an action is missing; kinds: end, place, attack"),
        ("atack ALA KAM 3", "word 1", r"unknown action 'atack' \(did you mean 'attack'\?\)"),
        ("attack ALA KAM", "word 3", "must be `attack <territory> <territory> <dice>`"),
        ("attack ALA KAM 3 1", "word 5", "must be `attack"),
        ("end 3", "word 2", "must be `end`"),
        ("attack ALA KAX 3", "word 3", r"unknown territory 'KAX' \(did you mean 'KAM'\?\); valid: ALA, KAM"),
        ("attack ALA 256 3", "word 3", "unknown territory '256'"),
        ("attack ALA KAM three", "word 4", "'three' is not a 32-bit number"),
        ("attack ALA KAM 2147483648", "word 4", "not a 32-bit number"),
        ("trade ALA KAM wild2", "word 4", r"unknown card 'wild2' \(did you mean 'wild1'\?\)"),
        ("pick east", "word 2", "unknown goal 'east'; valid: north, south"),
        ("place NWT blue", "word 3", "unknown colour 'blue'"),
    ],
)
def test_a_malformed_action_says_where(text: str, where: str, message: str) -> None:
    with pytest.raises(TextError, match=message) as caught:
        parse_action(SMALL, text)
    assert caught.value.where == where


@given(TEXTS)
def test_any_other_action_text_is_a_text_error(text: str) -> None:
    try:
        kind, *_ = parse_action(SMALL, text)
    except TextError as error:
        assert error.where.startswith("word ")
    else:
        assert text.split()[0] == SMALL.actions[kind].name


# ---- events


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ((0, 1, 0, 1, 2, 1, (6, 5, 2)), "1: battle ALA KAM 2 1 (6 5 2)"),
        ((0, 255, 0, 255, 2, 1), "-: battle ALA - 2 1"),
        ((1, -1, 0, 0, 0, 0), "-: shuffled"),
        ((7, 0, 1, 2, 3, 4), "0: kind7 1 2 3 4"),
    ],
)
def test_an_event_reads_like_this(event: tuple[int, int, int, int, int, int], text: str) -> None:
    assert event_text(SMALL, *event) == text
