"""`arena explain`: what it says of a game is what happened in it, counted here from the record's events."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tournament_samples import ROOT
from tournament_samples import arena as run_arena

import engine_core
from arena.record import Record, Step, parse, walk
from arena.referee import Referee
from arena.scores import Facts
from arena.stories import ending, stories
from arena.types import FaultPolicy, Limits
from engine_core.facts import words

SEATS = {name: variant.usual_seats for name, variant in engine_core.variants().items()}
# A good bot is never late, however busy the machine is: a seed is a game.
PATIENT = ("--decision", "60", "--game-bank", "3600")


def played(folder: Path, variant: str, *bots: str, seed: int = 5) -> Path:
    file = folder / f"{variant}.json"
    named = bots or ("random",) * SEATS[variant]
    options = ("--variant", variant, "--seed", str(seed), *PATIENT, "--record", str(file))
    done = run_arena("play", *named, *options)
    assert done.returncode == 0, done.stderr
    return file


def events(record: Record) -> list[tuple[int, str, Any]]:
    """(lap, name, event) of all that happened; a step may end a lap, so that the turns say which it is."""
    kinds = [kind.name for kind in record.game().description.events]
    lap, found = 1, []
    for _, told in walk(record):
        for event in told:
            name = kinds[event.kind]
            lap = event.n if name in ("turn", "round") else lap
            found.append((lap, name, event))
    return found


def left_while_falling() -> tuple[Record, int, int]:
    """A game in which a seat leaves between the capture of its last territory and the move into it."""
    game = engine_core.load("classic", seats=3)
    chance, key = random.Random(2), bytes(16)
    state, steps = game.new_state(key), list[Step]()
    captor = fallen = -1
    while seats := state.pending():
        seat = seats[0]
        view = state.public_view()
        if fallen < 0 and game.description.phases[view.phase] == "occupy" and view.victim not in view.owner:
            captor, fallen = seat, game.description.colour_seat[view.victim]
            state.retire(fallen, "passive")
            steps.append((fallen, "passive"))
            continue
        legal = state.legal(seat)
        attacks = [each for each in legal if game.description.actions[each.kind].name == "attack"]
        ending = [each for each in legal if game.description.actions[each.kind].name == "end"]
        if attacks and seat == 0:
            action = int(chance.choice(attacks).last())
        else:
            action = int(ending[0].first() if attacks else legal.sample(chance))
        steps.append((seat, action))
        state.apply(seat, action)
    facts = Facts.of(state.result())
    return (
        Record(game.ruleset.text, game.ruleset.hash, key, (), tuple(steps), facts, state.digest()),
        captor,
        fallen,
    )


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
        taken = re.search(r"captured (\d+) territor(?:y|ies)", text)
        assert (int(taken[1]) if taken else 0) == captures[story.seat]
        lost = re.search(r"in lap (\d+) it lost (\d+) territor(?:y|ies)", text)
        assert bool(lost) == (bool(losses[story.seat]) and story.seat not in record.facts.winners)
        if lost:
            assert losses[story.seat][int(lost[1])] == int(lost[2]) == max(losses[story.seat].values())
        traded = re.search(r"traded (?:once, in lap \d+,|\d+ times) for (\d+) troops", text)
        assert (int(traded[1]) if traded else 0) == sum(
            event.n
            for _, name, event in events(record)
            if event.seat == story.seat and name in ("traded", "bonus")
        )


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
        ("secret_mission", "greedy", r"it fulfilled its mission in lap \d+: \w+"),
        ("capital", "greedy", r"it held its own headquarters \(\w+"),
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
    options = ("--variant", "classic_simple", "--seed", "1", *PATIENT, "--record", str(file))
    run_arena("play", "greedy", "random", *options)
    first, second = Chronicle(parse(file.read_text())).ledgers
    assert first.rolls == second.rolls > 0
    assert first.luck == pytest.approx(-second.luck)


def test_a_fault_is_the_reason_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text("def decide(view, legal, rng):\n    raise ValueError('broken')\n")
    file = tmp_path / "game.json"
    run_arena("play", str(tmp_path / "crash.py"), "random", "--seed", "1", *PATIENT, "--record", str(file))
    done = run_arena("explain", str(file))
    assert done.returncode == 0, done.stderr
    assert re.search(r"Seat 0, crash \(.*\) was taken out of the game for its faults in lap 1", done.stdout)
    assert "Which faults is not in a record's file: the command that wrote it told them" in done.stdout
    assert re.search(r"Seat 1, random \(.*\) won: nobody else was left", done.stdout)


def test_who_leaves_takes_its_side_along_and_both_sides_learn_who(tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text("def decide(view, legal, rng):\n    raise ValueError('broken')\n")
    file = played(tmp_path, "endor_teams", str(tmp_path / "crash.py"), "random", "random", "random")
    crashed, *others = stories(parse(file.read_text()))
    assert crashed.outcome.startswith("was taken out of the game for its faults")
    assert {story.outcome.partition(": ")[2] for story in others} == {
        "crash was taken out of the game for its faults, and so its side lost"
    }
    assert [story.outcome.partition(": ")[0] for story in others] == ["won", "won", "lost"]


def test_each_seat_of_a_side_is_told_its_own_orders(tmp_path: Path) -> None:
    bots = ("greedy_endor", "random", "greedy_endor", "random")
    record = parse(played(tmp_path, "endor_teams", *bots).read_text())
    orders = Counter(event.seat for _, name, event in events(record) if name == "ordered")
    told = [
        re.search(r"it gave (\d+) orders?: (.*)", ". ".join(story.sentences)) for story in stories(record)
    ]
    assert len({found[2] for found in told if found}) == 4
    for seat, found in enumerate(told):
        assert found
        assert int(found[1]) == sum(map(int, re.findall(r"(\d+) x", found[2]))) == orders[seat]


@pytest.mark.parametrize("seed", range(4))
def test_rounds_are_those_of_the_events_and_no_reason_is_told_twice(seed: int, tmp_path: Path) -> None:
    record = parse(played(tmp_path, "endor", "greedy_endor", "random", seed=seed).read_text())
    down = [lap for lap, name, _ in events(record) if name == "shield_down"]
    for story in stories(record):
        text = ". ".join(story.sentences)
        assert [int(lap) for lap in re.findall(r"the shield went down in round (\d+)", text)] == down
        assert not any(sentence in story.outcome for sentence in story.sentences)
        assert f"{story.outcome} {text}".count("Death Star was destroyed") <= 1


@pytest.mark.parametrize(
    ("variant", "bot", "deed"),
    [
        ("secret_mission", "greedy", r"{} fulfilled its mission in lap \d+: \w+"),
        ("capital", "greedy", r"{} held its own headquarters \(\w+"),
        ("objectives_basic", "greedy", r"{} held its capital and \d objectives: "),
        (
            "endor",
            "greedy_endor",
            r"the (Rebels|Empire) \({}\) (destroyed the Death Star|left no Rebel ship)",
        ),
    ],
)
def test_who_lost_to_a_goal_learns_whose_and_which(variant: str, bot: str, deed: str, tmp_path: Path) -> None:
    record = parse(played(tmp_path, variant, *(bot,) * SEATS[variant], seed=4).read_text())
    (winner,) = record.facts.winners
    lost = [story.outcome for story in stories(record) if story.outcome.startswith("lost")]
    assert lost
    for outcome in lost:
        assert re.match("lost: " + deed.format(record.players[winner]), outcome)


@pytest.mark.parametrize("seed", range(3))
def test_who_lost_is_told_its_own_mission(seed: int, tmp_path: Path) -> None:
    record = parse(
        played(tmp_path, "secret_mission", "greedy", "random", "random", "greedy", seed=seed).read_text()
    )
    game, (winner,) = record.game(), record.facts.winners
    *_, (final, _) = walk(record)
    known, told = words(game.ruleset), stories(record)
    for seat, number in enumerate(final.field("mission")):
        kind = "changed_mission" if final.field("mission_void")[seat] else "mission"
        mission = known[kind][game.description.names("mission")[number]]
        said = [line for line in told[seat].sentences if line.startswith("its own mission was: ")]
        assert said == ([] if seat == winner else [f"its own mission was: {mission}"])


@pytest.mark.parametrize("seed", range(3))
def test_whose_headquarters_fell_is_told_with_lap_and_captor(seed: int, tmp_path: Path) -> None:
    bots = ("greedy", "continent", "fortress", "watcher")
    record = parse(played(tmp_path, "capital", *bots, seed=seed).read_text())
    description = record.game().description
    sites = {event.seat: event.a for _, name, event in events(record) if name == "headquarters"}
    falls: dict[int, tuple[int, int]] = {}
    for lap, name, event in events(record):
        seat = description.colour_seat[event.c] if name == "captured" else -1
        if sites.get(seat, -1) == event.b and name == "captured":
            falls[seat] = lap, event.seat
    assert falls
    for story in stories(record):
        told = re.search(r"its headquarters \((.*)\) fell to (\w+) in lap (\d+)", ". ".join(story.sentences))
        assert bool(told) == (story.seat in falls)
        if told:
            assert told[1] == description.territory_names[sites[story.seat]]
            assert (int(told[3]), bots.index(told[2])) == falls[story.seat]


def test_who_took_the_last_territory_of_a_seat_that_left_meanwhile_eliminated_it() -> None:
    record, captor, fallen = left_while_falling()
    told = stories(record)
    assert any(f"seat {captor} eliminated it" in sentence for sentence in told[fallen].sentences)
    assert any(f"it eliminated seat {fallen}" in sentence for sentence in told[captor].sentences)


def test_names_are_left_as_they_are_and_one_is_no_plural(tmp_path: Path) -> None:
    greedy = (ROOT / "bots" / "greedy.py").read_text()
    (tmp_path / "b_greedy.py").write_text(greedy.replace('NAME = "greedy"', 'NAME = "b_greedy"'))
    own = str(tmp_path / "b_greedy.py")
    file = played(tmp_path, "classic", own, "random", "random")
    done = run_arena("explain", str(file))
    assert "b_greedy eliminated it" in done.stdout
    assert "B_greedy" not in done.stdout
    short = tmp_path / "short.json"
    for seed in range(6):
        options = ("--option", "turn_cap=1", "--seed", str(seed), *PATIENT, "--record", str(short))
        run_arena("play", *("random",) * 6, "--variant", "classic", *options)
        text = " ".join(
            sentence for story in stories(parse(short.read_text())) for sentence in story.sentences
        )
        assert not re.search(r"\b1 (territories|troops|orders|spaces|hits)\b", text)
        if re.search(r"\b1 territory\b", text):
            return
    raise AssertionError("no game with a single territory in it: choose other seeds")


def test_the_command_prints_json_and_refuses_what_is_no_game(tmp_path: Path) -> None:
    file = played(tmp_path, "endor", "greedy_endor", "random")
    rows = json.loads(run_arena("explain", str(file), "--json").stdout)
    assert [row["story"]["seat"] for row in rows] == [0, 1]
    assert all(row["story"]["sentences"] for row in rows)
    assert [row["story"]["outcome"].split()[0] for row in rows] in (["won:", "lost:"], ["lost:", "won:"])
    done = run_arena("explain", str(tmp_path / "nothing.json"))
    assert done.returncode == 2
    assert "no such file" in done.stderr


def test_c15_a_game_nobody_came_to_is_not_one_they_lasted_in() -> None:
    referee = Referee(engine_core.load("classic", seats=2), bytes(16), FaultPolicy(), Limits())
    for seat in range(2):
        referee.fault(seat, "no_show", "nobody came")
    assert referee.questions() == []
    why = "won nothing: the game was over before its first decision, for too few bots had come"
    assert [story.outcome for story in stories(referee.record())] == [why] * 2
    assert ending(referee.record()) == "too few bots had come to it"
