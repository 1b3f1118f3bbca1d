"""`arena explain`: what it says of a game is what happened in it, counted here from the record's events."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tournament_samples import arena as run_arena

import engine_core
from arena.record import Record, parse, walk
from arena.stories import stories

SEATS = {name: variant.usual_seats for name, variant in engine_core.variants().items()}


def played(folder: Path, variant: str, *bots: str, seed: int = 5) -> Path:
    file = folder / f"{variant}.json"
    named = bots or ("random",) * SEATS[variant]
    done = run_arena("play", *named, "--variant", variant, "--seed", str(seed), "--record", str(file))
    assert done.returncode == 0, done.stderr
    return file


def events(record: Record) -> list[tuple[int, str, Any]]:
    """(lap, name, event) of all that happened."""
    kinds = [kind.name for kind in record.game().description.events]
    return [(state.result().lap, kinds[event.kind], event) for state, told in walk(record) for event in told]


@pytest.mark.parametrize("variant", sorted(SEATS))
def test_every_seat_of_every_variant_has_a_story(variant: str, tmp_path: Path) -> None:
    record = parse(played(tmp_path, variant).read_text())
    told = stories(record)
    assert [story.seat for story in told] == list(range(SEATS[variant]))
    for story in told:
        assert story.outcome.startswith("won") == (story.seat in record.facts.winners)
        assert story.sentences
        assert not any("{" in sentence or "None" in sentence for sentence in story.sentences)


@pytest.mark.parametrize("seed", range(3))
def test_its_figures_are_those_of_the_game(seed: int, tmp_path: Path) -> None:
    record = parse(played(tmp_path, "classic", "greedy", "continent", "random", seed=seed).read_text())
    owner = record.game().description.colour_seat
    captures = Counter(event.seat for _, name, event in events(record) if name == "captured")
    losses: dict[int, Counter[int]] = {seat: Counter() for seat in range(3)}
    for lap, name, event in events(record):
        if name == "captured" and owner[event.c] >= 0:
            losses[owner[event.c]][lap] += 1
    for story in stories(record):
        text = ". ".join(story.sentences)
        taken = re.search(r"captured (\d+) territories", text)
        assert (int(taken[1]) if taken else 0) == captures[story.seat]
        lost = re.search(r"in lap (\d+) it lost (\d+) territories", text)
        assert bool(lost) == (bool(losses[story.seat]) and story.seat not in record.facts.winners)
        if lost:
            assert losses[story.seat][int(lost[1])] == int(lost[2]) == max(losses[story.seat].values())


def test_who_eliminated_whom_is_who_took_the_last_territory(tmp_path: Path) -> None:
    record = parse(played(tmp_path, "classic", "greedy", "random", "random").read_text())
    told = stories(record)
    captor, fallen = -1, {}
    for _, name, event in events(record):
        if name == "captured":
            captor = event.seat
        elif name == "eliminated":
            fallen[event.seat] = captor
    assert fallen
    for seat, by in fallen.items():
        assert any(f"{record.players[by]} eliminated it" in sentence for sentence in told[seat].sentences)
        assert any(f"eliminated {record.players[seat]}" in sentence for sentence in told[by].sentences)


@pytest.mark.parametrize(
    ("variant", "bot", "told"),
    [
        ("classic", "greedy", r"all others were eliminated"),
        ("secret_mission", "greedy", r"its mission was fulfilled: \w+"),
        ("capital", "greedy", r"it held the headquarters that it needed"),
        ("endor", "greedy_endor", r"the Death Star was destroyed|no Rebel ship and no fleet marker was left"),
    ],
)
def test_a_won_game_says_by_which_goal(variant: str, bot: str, told: str, tmp_path: Path) -> None:
    record = parse(played(tmp_path, variant, *(bot,) * SEATS[variant], seed=4).read_text())
    (winner,) = record.facts.winners
    assert re.fullmatch(f"won: ({told}).*", stories(record)[winner].outcome)


def test_the_objectives_that_won_are_those_that_are_held_at_the_end(tmp_path: Path) -> None:
    record = parse(played(tmp_path, "objectives_basic", *("greedy",) * 3, seed=4).read_text())
    (winner,) = record.facts.winners
    *_, (final, _) = walk(record)
    colour = record.game().description.colour_seat.index(winner)
    held = list(final.public_view().objective).count(colour)
    outcome = stories(record)[winner].outcome
    assert outcome.startswith(f"won: it held its capital and {held} objectives: ")
    assert outcome.count(", ") == held - 1


def test_the_luck_of_two_seats_without_a_neutral_sums_to_nothing(tmp_path: Path) -> None:
    from arena.stories.conquest import Chronicle

    file = tmp_path / "duel.json"
    run_arena("play", "greedy", "random", "--variant", "classic_simple", "--seed", "1", "--record", str(file))
    first, second = Chronicle(parse(file.read_text())).ledgers
    assert first.rolls == second.rolls > 0
    assert first.luck == pytest.approx(-second.luck)


def test_a_fault_is_the_reason_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text("def decide(view, legal, rng):\n    raise ValueError('broken')\n")
    file = tmp_path / "game.json"
    run_arena("play", str(tmp_path / "crash.py"), "random", "--seed", "1", "--record", str(file))
    done = run_arena("explain", str(file))
    assert done.returncode == 0, done.stderr
    assert re.search(r"Seat 0, crash \(.*\) was taken out of the game for its faults in lap 1", done.stdout)
    assert re.search(r"Seat 1, random \(.*\) won: nobody else was left", done.stdout)


def test_the_command_prints_json_and_refuses_what_is_no_game(tmp_path: Path) -> None:
    file = played(tmp_path, "endor", "greedy_endor", "random")
    rows = json.loads(run_arena("explain", str(file), "--json").stdout)
    assert [row["story"]["seat"] for row in rows] == [0, 1]
    assert any("Death Star" in sentence for sentence in rows[0]["story"]["sentences"])
    done = run_arena("explain", str(tmp_path / "nothing.json"))
    assert done.returncode == 2
    assert "no such file" in done.stderr
