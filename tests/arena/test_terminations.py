"""How games end: the counting, the published counts, and a sample of each that must agree with them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import comb
from pathlib import Path

import pytest
from click.testing import CliRunner
from tournament_samples import ROOT, wait_until

from arena import plugins, terminations
from arena.cli import cli
from arena.commands import _terminations
from arena.commands._terminations import cells
from arena.runners.inline import InlineRunner
from arena.terminations import RANDOM, Cell, Ending, Row, keys, play_at_random, play_with, setup_of
from arena.types import Termination

PUBLISHED = ROOT / "results" / "terminations"
GAMES = 2000
FEW = 8
SAMPLE = {RANDOM: 100, "greedy": FEW}
SAMPLE_SEED = bytes(16)  # other games than the published ones
# A sample that is odder than this would be has another reason than luck, even among hundreds of comparisons.
CHANCE = 1e-7
KINDS = ("elimination", "goal", "turn_cap", "forfeit")
CAPITAL = Cell("capital", 2, RANDOM)


@pytest.fixture(scope="module")
def runner() -> Iterator[InlineRunner]:
    """One runner for all samples, as its bots keep tables of odds."""
    started = InlineRunner(())
    yield started
    started.close()


def endings(
    runner: InlineRunner, cell: Cell, games: int, seed: bytes = SAMPLE_SEED, **options: int
) -> list[Ending]:
    setup = setup_of(cell, **options)
    wanted = keys(cell, games, seed)
    if cell.bot == RANDOM:
        return list(play_at_random(setup, wanted))
    return play_with(runner, plugins.installed().find_bot(cell.bot), setup, wanted)


def row_of(cell: Cell, games: Sequence[Ending]) -> Row:
    return terminations.row(cell, setup_of(cell), games, date="2026-11-30", commit="abc")


# ---- counting


def test_a_row_counts_kinds_and_places_quantiles() -> None:
    played = [Ending("goal", 10 * number, number, faults=1) for number in range(1, 11)]
    played.append(Ending("turn_cap", 110, 11))
    row = row_of(CAPITAL, played)
    assert (row.games, row.elimination, row.goal, row.turn_cap, row.forfeit, row.faults) == (
        11,
        0,
        10,
        1,
        0,
        10,
    )
    assert (row.decisions_10, row.decisions_50, row.decisions_90) == (20, 60, 100)
    assert (row.laps_10, row.laps_50, row.laps_90) == (2, 6, 10)


@pytest.mark.parametrize(
    ("termination", "eliminated_at", "teams", "ended"),
    [
        ("rules", (0, -1, 1), (), "elimination"),
        ("rules", (0, -1, -1), (), "goal"),
        ("rules", (-1, 0, -1, 1), (0, 1, 0, 1), "elimination"),
        ("turn_cap", (-1, -1), (), "turn_cap"),
        ("forfeit", (-1, 0), (), "forfeit"),
    ],
)
def test_the_rules_end_games_by_elimination_or_by_a_goal(
    termination: Termination, eliminated_at: tuple[int, ...], teams: tuple[int, ...], ended: str
) -> None:
    assert terminations.ended(termination, eliminated_at, teams) == ended


@pytest.mark.parametrize("bot", SAMPLE)
def test_the_same_keys_are_the_same_games_and_other_keys_are_not(runner: InlineRunner, bot: str) -> None:
    cell = Cell("secret_mission", 3, bot)
    played = endings(runner, cell, 6)
    assert played == endings(runner, cell, 6)
    assert len(set(played)) == 6
    assert played != endings(runner, cell, 6, bytes(range(16)))


def test_games_of_every_kind_are_told_apart(runner: InlineRunner) -> None:
    def kinds(variant: str, **options: int) -> set[str]:
        return {
            ending.ended for ending in endings(runner, Cell(variant, 3, "greedy"), 4, SAMPLE_SEED, **options)
        }

    assert kinds("classic") == {"elimination"}
    assert kinds("capital") == kinds("command_room") == {"goal"}
    assert kinds("classic", turn_cap=1) == {"turn_cap"}


# ---- the command


def survey(folder: Path, games: int = 1) -> list[Row]:
    """What the command leaves, and prints."""
    arguments = ["bench", "--terminations", str(folder), "--games", str(games), "--json"]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    rows = _terminations.read(folder)
    assert [row.cell for row in rows] == cells()
    assert [Row(**values) for values in json.loads(result.stdout)] == rows
    return rows


def test_a_run_plays_only_what_its_folder_does_not_hold(tmp_path: Path) -> None:
    first = survey(tmp_path)
    marked = [replace(row, commit="earlier") for row in first]
    changed = [replace(marked[5], ruleset="another"), replace(marked[6], games=7), *marked[7:9]]
    _terminations.write(tmp_path, [*marked[:5], *changed], "")
    second = survey(tmp_path)
    assert second[:5] == marked[:5]
    assert second[5:7] == first[5:7]
    assert second[7:9] == marked[7:9]
    assert second[9:] == first[9:]
    page = (tmp_path / "table.md").read_text(encoding="utf-8")
    assert f"`arena bench --terminations {tmp_path} --games 1`" in page
    assert "commit earlier: 7 rows" in page
    assert page.count("| world_conquest | 5 | greedy | 1 |") == 1
    assert json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["games"] == len(cells())


# The command, which does not come to its end: after half of the cells it waits for its kill.
HALF = """
import sys
from arena.cli import cli
from arena.commands import _terminations as command
write, half = command.write, len(command.cells()) // 2
def write_half(folder, rows, words):
    write(folder, rows, words)
    if len(rows) >= half:
        sys.stdin.read()
command.write = write_half
cli(["bench", "--terminations", sys.argv[1], "--games", "1"])
"""


def test_a_killed_run_loses_no_finished_cell(tmp_path: Path) -> None:
    command: list[str | Path] = [sys.executable, "-c", HALF, tmp_path]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=nowhere, stderr=nowhere) as process:
        wait_until(lambda: len(_terminations.read(tmp_path)) >= 4, "four cells")
        process.send_signal(signal.SIGKILL)
    kept = _terminations.read(tmp_path)
    assert 4 <= len(kept) <= len(cells()) // 2
    assert survey(tmp_path)[: len(kept)] == kept


def test_parts_and_terminations_are_not_mixed(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["bench", "core", "--terminations", str(tmp_path)])
    assert result.exit_code == 2
    assert "--terminations measures no parts" in result.output


# ---- the published counts, and a sample of every cell


def published() -> dict[Cell, Row]:
    return {row.cell: row for row in _terminations.read(PUBLISHED)}


def test_the_published_counts_are_of_these_rules_complete_and_without_faults() -> None:
    rows = published()
    assert list(rows) == cells()
    for cell, row in rows.items():
        assert row.ruleset == setup_of(cell).ruleset_hash, f"{cell}: run `arena bench --terminations` again"
        assert row.games >= GAMES
        assert sum(getattr(row, kind) for kind in KINDS) == row.games
        assert row.forfeit == row.faults == 0
    run = json.loads((PUBLISHED / "run.json").read_text(encoding="utf-8"))
    table = (PUBLISHED / "table.md").read_text(encoding="utf-8")
    assert table == _terminations.markdown(list(rows.values()), run["command"])


def chance_of_split(few: int, count: int, many: int, total: int) -> float:
    """Fisher's exact test, one-sided: that of `few` games at least `count` are of a kind, as likely in both.

    `many` are the other games, and `total` are of the kind among all.
    """
    ways = sum(comb(total, i) * comb(few + many - total, few - i) for i in range(count, min(few, total) + 1))
    return ways / comb(few + many, few)


def oddities(row: Row, sample: Sequence[Ending]) -> list[str]:
    """Where a sample differs from the published counts by more than chance."""
    few, found = len(sample), []
    for kind in KINDS:
        count = sum(ending.ended == kind for ending in sample)
        known = getattr(row, kind)
        more = chance_of_split(few, count, row.games, known + count)
        fewer = chance_of_split(few, few - count, row.games, row.games - known + few - count)
        if min(more, fewer) < CHANCE:
            found.append(f"{kind}: {count} of {few}, published {known} of {row.games}")
    # At least 80 % of all games lie between the published quantiles.
    inside = sum(row.decisions_10 <= ending.decisions <= row.decisions_90 for ending in sample)
    if sum(comb(few, i) * 0.8**i * 0.2 ** (few - i) for i in range(inside + 1)) < CHANCE:
        found.append(f"decisions: {inside} of {few} within {row.decisions_10}..{row.decisions_90}")
    return found


@pytest.mark.parametrize("cell", cells(), ids=str)
def test_a_sample_ends_as_published(runner: InlineRunner, cell: Cell) -> None:
    assert oddities(published()[cell], endings(runner, cell, SAMPLE.get(cell.bot, FEW))) == []


def test_a_sample_that_stops_ending_is_noticed(runner: InlineRunner) -> None:
    cell = Cell("classic", 3, "greedy")
    row = row_of(cell, endings(runner, cell, 4, bytes(range(16))) * 500)
    assert row.games == GAMES
    endless = endings(runner, cell, SAMPLE["greedy"], turn_cap=2)
    assert [words.partition(":")[0] for words in oddities(row, endless)] == ["elimination", "turn_cap"]


def test_random_games_of_another_length_are_noticed(runner: InlineRunner) -> None:
    cell = Cell("classic", 3, RANDOM)
    row = row_of(cell, endings(runner, cell, GAMES, bytes(range(16))))
    assert oddities(row, endings(runner, cell, SAMPLE[RANDOM])) == []
    shorter = endings(runner, cell, SAMPLE[RANDOM], turn_cap=50)
    assert [words.partition(":")[0] for words in oddities(row, shorter)] == ["decisions"]


def test_chance_of_a_split_is_fishers() -> None:
    # The lady who tastes tea: 4 cups of 8, all told rightly, 1 of 70; at least 3, 17 of 70.
    assert chance_of_split(4, 4, 4, 4) == pytest.approx(1 / 70)
    assert chance_of_split(4, 3, 4, 4) == pytest.approx(17 / 70)
