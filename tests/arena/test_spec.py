"""Tournament files: what is wrong is named with its key path, all of it at once, with what would be right."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from tournament_samples import ATTACKER, ROOT

from arena.errors import SpecError
from arena.plugins import Plugins
from arena.spec import TournamentSpec, from_stored, is_served, load, parse, plays, stored_file
from arena.types import FaultAction, FaultKind, FaultPolicy, Isolation, Limits

GOOD = """
name = "good"
players = ["random", "./attacker.py"]
[[variants]]
name = "classic"
seats = 2
"""
CATALOG = Plugins(entry_points=())
TOP, PLAYERS, SEATS, VARIANT = 'name = "good"', '["random", "./attacker.py"]', "seats = 2", 'name = "classic"'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "attacker.py").write_text(ATTACKER)
    return tmp_path


def read(text: str, folder: Path) -> TournamentSpec:
    return parse(text, folder, CATALOG, source="my.toml")


def problems(text: str, folder: Path) -> dict[str, str]:
    """Key path -> message of everything that is wrong with a text."""
    with pytest.raises(SpecError) as caught:
        read(text, folder)
    return dict(caught.value.problems)


def test_a_short_file_means_the_defaults(folder: Path) -> None:
    spec = read(GOOD, folder)
    assert [player.name for player in spec.players] == ["random", "attacker"]
    assert (spec.format.name, spec.rounds, spec.seed) == ("round_robin", 1, None)
    assert (spec.limits, spec.policy) == (Limits(), FaultPolicy())
    assert (spec.runner, spec.workers) == ("auto", 0)
    assert spec.database == f"sqlite:///{folder}/arena.db"
    assert [(setup.variant, setup.seats, setup.turn_cap) for setup in spec.setups] == [("classic", 2, 100)]


def test_everything_can_be_said(folder: Path) -> None:
    spec = read(
        """
        name = "full"
        format = "round_robin"
        rounds = 7
        seed = "000102030405060708090a0b0c0d0e0f"
        database = "sqlite:///sub/full.db"
        output = "out"
        players = ["random", { path = "attacker.py", name = "a", options = { twin = 2 } }]
        clocks = { start = 3, decision = 0.5, game = 60 }
        faults = { retire = ["crash"], strikes = 5, mode = "neutral" }
        runner = { kind = "cluster", workers = 3 }
        [[variants]]
        name = "classic"
        seats = [2]
        point_rule = "adjudicate"
        options = { turn_cap = 12, trade_values = "fixed_2003" }
        """,
        folder,
    )
    assert spec.rounds == 7
    assert spec.seed == bytes(range(16))
    assert spec.database == f"sqlite:///{folder}/sub/full.db"
    assert spec.output == folder / "out"
    assert spec.players[1].options == (("twin", 2),)
    assert spec.limits == Limits(start=3.0, decision=0.5, game=60.0)
    assert spec.policy == FaultPolicy(retire=frozenset({"crash"}), strikes=5, mode="neutral")
    assert (spec.runner, spec.workers) == ("cluster", 3)
    assert (spec.setups[0].turn_cap, spec.setups[0].point_rule) == (12, "adjudicate")


def test_a07_all_problems_are_listed_together(folder: Path) -> None:
    found = problems(
        """
        nam = "typo"
        players = ["randm", 7]
        format = "round_robbin"
        rounds = 0
        [clocks]
        decision = -1
        [[variants]]
        name = "clasic"
        seats = 2
        """,
        folder,
    )
    assert set(found) == {
        "nam",
        "name",
        "players[0].bot",
        "players[1]",
        "format",
        "rounds",
        "clocks.decision",
        "variants[0].name",
    }


@pytest.mark.parametrize("kind", get_args(FaultKind))
@pytest.mark.parametrize("action", get_args(FaultAction))
def test_every_kind_of_fault_has_a_price_of_its_own(folder: Path, kind: FaultKind, action: str) -> None:
    policy = read(GOOD + f'[faults.policy]\n{kind} = "{action}"\n', folder).policy
    default = FaultPolicy().retire
    assert policy.retire == (default | {kind} if action == "retire" else default - {kind})


def test_clocks_isolation_and_quarantine_can_be_said(folder: Path) -> None:
    spec = read(
        GOOD
        + """
        [clocks]
        connect = 60
        start = 20
        decision = 1.5
        game = 90
        increment = 0
        clocked = false
        [isolation]
        level = "sandbox"
        memory_mib = 512
        processes = 16
        file_mib = 8
        cpu_s = 600
        [faults]
        retire = ["crash", "timeout"]
        quarantine_after = 0
        policy = { timeout = "default", illegal = "retire" }
        """,
        folder,
    )
    assert spec.limits == Limits(20.0, 1.5, 90.0, connect=60.0, increment=0.0, clocked=False)
    assert spec.isolation == Isolation("sandbox", 512, 16, 8, 600)
    assert spec.policy.retire == {"crash", "illegal"}
    assert spec.quarantine_after == 0


@pytest.mark.parametrize(
    ("line", "replacement", "place", "words"),
    [
        (TOP, "name = 3", "name", "must be a text, not 3"),
        (TOP, 'name = ""', "name", "must not be empty"),
        (TOP, 'name = "two\\nlines"', "name", r"must be printable, in one line, not 'two\nlines'"),
        (TOP, f"{TOP}\nround = 3", "round", "did you mean 'rounds'?"),
        (TOP, f"{TOP}\nseed = -1", "seed", "2**128 - 1 or 32 hex digits"),
        (TOP, f'{TOP}\nseed = "abc"', "seed", "32 hex digits, not 'abc'"),
        (TOP, f"{TOP}\nseed = true", "seed", "not True"),
        (
            TOP,
            f'{TOP}\ndatabase = "foo://x"',
            "database",
            "not a database: 'foo://x'; use the path",
        ),
        (TOP, f'{TOP}\nformat = "robin"', "format", "valid: round_robin"),
        (TOP, f"{TOP}\nrounds = 2.5", "rounds", "whole number of at least 1, not 2.5"),
        (TOP, f"{TOP}\nclocks = 3", "clocks", "must be a table"),
        (TOP, f"{TOP}\nclocks = {{ decison = 3 }}", "clocks.decison", "did you mean 'decision'?"),
        (TOP, f"{TOP}\nclocks = {{ start = 0 }}", "clocks.start", "positive number of seconds, not 0"),
        (TOP, f"{TOP}\nclocks = {{ increment = -1 }}", "clocks.increment", "0 or a positive number"),
        (TOP, f"{TOP}\nclocks = {{ connect = 0 }}", "clocks.connect", "positive number of seconds, not 0"),
        (TOP, f"{TOP}\nclocks = {{ clocked = 1 }}", "clocks.clocked", "must be true or false, not 1"),
        (TOP, f'{TOP}\nisolation = {{ level = "jail" }}', "isolation.level", "limits, none, sandbox"),
        (TOP, f"{TOP}\nisolation = {{ cpu_s = 9 }}", "isolation.cpu_s", 'not enforced at level "none"'),
        (
            *(TOP, f'{TOP}\nisolation = {{ level = "limits", memory_mib = 0 }}'),
            *("isolation.memory_mib", "at least 1"),
        ),
        (TOP, f"{TOP}\nfaults = {{ quarantine_after = -1 }}", "faults.quarantine_after", "at least 0"),
        (TOP, f'{TOP}\nfaults.policy = {{ crash = "ignore" }}', "faults.policy.crash", "default, retire"),
        (TOP, f'{TOP}\nfaults.policy = {{ crush = "retire" }}', "faults.policy.crush", "mean 'crash'?"),
        (TOP, f"{TOP}\nfaults = {{ strikes = 0 }}", "faults.strikes", "at least 1"),
        (TOP, f'{TOP}\nfaults = {{ mode = "passiv" }}', "faults.mode", "valid: neutral, passive"),
        (TOP, f'{TOP}\nfaults = {{ retire = ["crush"] }}', "faults.retire[0]", "did you mean 'crash'?"),
        (TOP, f'{TOP}\nrunner = {{ kind = "ray" }}', "runner.kind", "valid: auto, cluster, inline"),
        (TOP, f"{TOP}\nrunner = {{ workers = -1 }}", "runner.workers", "at least 0"),
        (PLAYERS, "[]", "players", "at least one entry"),
        (PLAYERS, '["random", "random"]', "players[1].name", "used twice"),
        (PLAYERS, '["random", { bot = "random", name = "r" }]', "players[1]", "same options as 'random'"),
        (PLAYERS, '["random", { name = "x" }]', "players[1]", "either `bot`"),
        (PLAYERS, '["random", { bot = "random", path = "p" }]', "players[1]", "either `bot`"),
        (PLAYERS, '["random", "./nobody.py"]', "players[1].bot", "nobody.py: no such bot"),
        (PLAYERS, '["randon"]', "players[0].bot", "did you mean 'random'?"),
        (PLAYERS, '[{ bot = "random", x = 1 }]', "players[0].x", "valid: bot, name, options, path, remote"),
        (PLAYERS, '[{ remote = "a", bot = "random" }]', "players[0].bot", "for bots started here"),
        (PLAYERS, '["random"]', "variants[0]", "needs at least 2 players"),
        (SEATS, 'seats = "two"', "variants[0].seats", "a number of seats or a list"),
        (SEATS, "seats = 9", "variants[0].seats", "2..6"),
        (SEATS, "seats = [2, 2]", "variants[0].seats", "must not name a number twice"),
        (SEATS, "seat = 2", "variants[0].seat", "did you mean 'seats'?"),
        (SEATS, f"{SEATS}\noptions = {{ turn_cap = 0 }}", "variants[0].options.turn_cap", "1..10000"),
        (SEATS, f"{SEATS}\noptions = {{ turn_cap = 1.5 }}", "variants[0].options.turn_cap", "whole number"),
        (SEATS, f"{SEATS}\noptions = {{ tun_cap = 9 }}", "variants[0].options.tun_cap", "mean 'turn_cap'?"),
        (SEATS, f'{SEATS}\npoint_rule = "halve"', "variants[0].point_rule", "adjudicate, split, void"),
        (VARIANT, 'name = "clasic"', "variants[0].name", "did you mean 'classic'?"),
    ],
)
def test_a_wrong_value_is_named_with_its_place_and_what_is_right(
    folder: Path, line: str, replacement: str, place: str, words: str
) -> None:
    assert line in GOOD
    found = problems(GOOD.replace(line, replacement), folder)
    assert place in found
    assert words in found[place]


def test_all_that_is_wrong_with_a_variant_is_listed_at_once(folder: Path) -> None:
    wrong = GOOD.replace(SEATS, 'seats = [2, 9]\noptions = { turn_cap = 0, foo = 1 }\npoint_rule = "halve"')
    assert set(problems(wrong, folder)) == {
        "variants[0].seats",
        "variants[0].options.turn_cap",
        "variants[0].options.foo",
        "variants[0].point_rule",
    }


def test_an_unknown_isolation_level_is_the_only_thing_said_of_the_amounts_beside_it(folder: Path) -> None:
    wrong = GOOD.replace(TOP, f'{TOP}\nisolation = {{ level = "jail", cpu_s = 9 }}')
    assert set(problems(wrong, folder)) == {"isolation.level"}


def test_a_database_may_be_named_by_its_path_alone(folder: Path) -> None:
    named = read(GOOD.replace(TOP, f'{TOP}\ndatabase = "results.db"'), folder)
    assert named.database == f"sqlite:///{folder}/results.db"


def test_a_stored_tournament_with_remote_players_finds_its_file_by_its_text(folder: Path) -> None:
    text = GOOD.replace(PLAYERS, '["random", { remote = "anna" }]')
    (folder / "other.toml").write_text(GOOD)
    (folder / "cup.toml").write_text(text)
    stored = load(folder / "cup.toml", CATALOG).stored()
    assert is_served(stored)
    assert stored_file(stored) == (folder, folder / "cup.toml")
    (folder / "cup.toml").write_text(text + "\n")
    assert stored_file(stored) == (folder, None)
    assert not is_served(load(folder / "other.toml", CATALOG).stored())


def test_all_options_that_do_not_go_together_are_listed_at_once(folder: Path) -> None:
    options = (
        'missions = true, objectives = "preset", rewards = true, card_deck = "stars", expert_commander = true'
    )
    wrong = GOOD.replace(SEATS, f"seats = 2\noptions = {{ {options} }}")
    found = {place.rpartition(".")[2]: message for place, message in problems(wrong, folder).items()}
    assert found.keys() == {"missions", "objectives", "card_deck", "expert_commander"}
    assert found["objectives"].startswith("'preset' is not allowed; allowed: ")


@pytest.mark.parametrize(
    ("option", "seats", "words"),
    [
        ("objectives_to_win = 5", "2", "3: it has no effect with objectives = none"),
        ('mission_check = "own_turn"', "[3, 4]", "immediate: it has no effect with missions = false"),
        ("airfield_cap = true", "3", "false: it has no effect with rewards = false"),
        ('setup = "deal"', "2", "piles: with 2 seats and the other options there is no choice"),
        ('reinforce_start = "first"', "2", "next: it has no effect with setup = piles"),
        ('elimination_win = "immediate"', "3", "end_of_turn: it has no effect with objectives = none"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(
    folder: Path, option: str, seats: str, words: str
) -> None:
    wrong = GOOD.replace(SEATS, f"seats = {seats}\noptions = {{ {option} }}")
    (message,) = problems(wrong, folder).values()
    assert words in message


@pytest.mark.parametrize("option", ["objectives_to_win = 3", 'setup = "claim"', "missions = false"])
def test_an_option_may_say_what_its_variant_says_anyway(folder: Path, option: str) -> None:
    assert read(GOOD.replace(SEATS, f"{SEATS}\noptions = {{ {option} }}"), folder).setups


def test_an_option_that_matters_for_one_number_of_seats_stays(folder: Path) -> None:
    several = GOOD.replace(SEATS, 'seats = [2, 3]\noptions = { setup = "deal" }')
    several = several.replace(PLAYERS, '["random", "./attacker.py", "greedy"]')
    assert [setup.seats for setup in read(several, folder).setups] == [2, 3]


def test_the_same_variant_twice_is_refused(folder: Path) -> None:
    again = '\n[[variants]]\nname = "classic"\nseats = [2]\n'
    assert "same as variants[0]" in problems(GOOD + again, folder)["variants[1]"]


def test_a_bot_is_refused_where_it_does_not_play(folder: Path) -> None:
    (folder / "attacker.py").write_text(ATTACKER + '\nVARIANTS = ("endor",)\n')
    assert "does not play 'classic'; it plays: endor" in problems(GOOD, folder)["players[1]"]
    (folder / "attacker.py").write_text(ATTACKER + '\nVARIANTS = ("clasic", "endor", "?")\n')
    claims = "clasic, which is no variant (did you mean 'classic'?), endor, ?, which is no variant"
    assert problems(GOOD, folder)["players[1]"].endswith(f"it plays: {claims}")
    (folder / "attacker.py").write_text(ATTACKER + '\nVARIANTS = ("conquest",)\n')
    assert read(GOOD, folder).players[1].name == "attacker"


def test_two_bots_of_one_name_and_version_are_one_player(folder: Path) -> None:
    """Ratings know a player by its bot's name and version, wherever the bot lies."""
    (folder / "copy.py").write_text(ATTACKER)
    players = '["random", "./attacker.py", {{ path = "copy.py", name = "second"{} }}]'
    found = problems(GOOD.replace(PLAYERS, players.format("")), folder)
    assert "is one player with 'attacker': both bots are 'attacker' in version '1'" in found["players[2]"]
    assert str(folder / "copy.py") in found["players[2]"]
    told_apart = GOOD.replace(PLAYERS, players.format(", options = { twin = 1 }"))
    assert read(told_apart, folder).players[2].name == "second"


@pytest.mark.parametrize(
    ("key", "value", "right"),
    [("isolation", "sandbox", 'isolation.level = "sandbox"'), ("runner", "inline", 'runner.kind = "inline"')],
)
def test_a_tables_main_value_in_its_place_is_told_where_it_goes(
    folder: Path, key: str, value: str, right: str
) -> None:
    assert problems(f'{key} = "{value}"\n' + GOOD, folder)[key].endswith(f"write {right}")
    read(f"{right}\n" + GOOD, folder)


def test_text_that_is_no_toml_says_where(folder: Path) -> None:
    assert "not valid TOML" in problems("name = ", folder)["(file)"]


def test_a_missing_file_is_one_plain_problem(folder: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        load(folder / "nothing.toml", CATALOG)


def test_relative_paths_are_seen_from_the_file_wherever_one_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (folder / "my.toml").write_text(GOOD)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    spec = load(folder / "my.toml", CATALOG)
    assert spec.players[1].bot.target == str(folder / "attacker.py")


def test_the_demo_is_sound_and_every_bot_of_the_repository_that_means_to_win_plays_in_it() -> None:
    """The ten lines on JSON lines only show the protocol."""
    spec = load(ROOT / "results" / "demo.toml", CATALOG)
    classic = CATALOG.variants["classic"]
    assert {player.name for player in spec.players} == {
        name for name, bot in CATALOG.bots.items() if plays(bot, classic) and bot.protocol == "grpc"
    }
    assert {player.bot.kind for player in spec.players} == {"python", "command"}
    assert [setup.seats for setup in spec.setups] == [2, 3, 4, 5, 6]
    assert spec.runner == "cluster"


def test_a_stored_spec_is_the_spec(folder: Path) -> None:
    spec = read(GOOD, folder)
    again = from_stored(spec.stored(), CATALOG, source="good", database=spec.database)
    assert again == spec
    (folder / "my.toml").write_text(GOOD)
    more = load(folder / "my.toml", CATALOG, extra_bots=["greedy"])
    assert [player.name for player in more.players] == ["random", "attacker", "greedy"]
    assert from_stored(more.stored(), CATALOG, source="good", database=more.database) == more
