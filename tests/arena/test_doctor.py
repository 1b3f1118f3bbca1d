"""`arena doctor`: each check finds what is wrong with a bot made for it, and a sound bot is ready."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tournament_samples import arena
from wire_samples import MOCK_BOTS, ROOT

import engine_core
from arena.botfiles import load_bot
from arena.doctor import Finding, Patient, count, examine, scan, seconds
from arena.doctor.checks import ending, idle, whole_games
from arena.doctor.checks import memory as holding
from arena.doctor.positions import positions
from arena.types import BotSpec, Isolation, Limits, Player

VARIANTS = sorted(engine_core.variants())
QUICK = Limits(start=60, decision=60)
SHORT = Limits(start=60, decision=0.5)
BUSY = Limits(start=60, decision=5)  # for what is late, but has something to do first
# The same for the command.
PATIENT = ("--start", "60", "--decision", "60")


def command_bot(*argv: str, folder: Path = MOCK_BOTS) -> Player:
    return Player("patient", BotSpec("patient", "command", str(folder), ("python", *argv)))


def findings(
    player: Player, check: str, limits: Limits = QUICK, *variants: str, faults: Collection[str] = ()
) -> list[Finding]:
    """What one check alone finds, of a bot that has shown some kinds of faults before."""
    patient = Patient(player, variants or ("classic",), limits, quick=True, faults={*faults})
    (module,) = (module for module in scan() if check == module.NAME)
    return [Finding(check, *found) for found in module.examine(patient)]


def grades(found: list[Finding]) -> set[str]:
    return {finding.grade for finding in found}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_kind_of_decision_that_comes_up_has_positions(variant: str) -> None:
    """Other games than those the positions are from: whatever they ask is among what was found."""
    found = {frozenset(position.kinds) for position in positions(variant)}
    names = [kind.name for kind in positions(variant)[0].game.description.actions]
    known = {name for kinds in found for name in kinds}
    for seed in range(100, 106):
        state, rng = positions(variant)[0].game.new_state(seed), Random(seed)
        for _ in range(1500):
            if not (pending := state.pending()):
                break
            legal = state.legal(pending[0])
            assert {names[kind] for kind in set(legal.packed()[::12])} <= known
            state.apply(pending[0], legal.sample(rng))


@pytest.mark.parametrize("variant", VARIANTS)
def test_positions_are_what_they_say(variant: str) -> None:
    for position in positions(variant):
        legal = position.state.legal(position.seat)
        assert len(legal) == position.ranges > 0
    longest = max(positions(variant), key=lambda position: position.ranges)
    assert positions(variant)[-1] == longest or positions(variant)[-1].ranges == longest.ranges


def test_the_positions_of_chains_have_lists_of_hundreds_of_ranges() -> None:
    assert max(position.ranges for position in positions("world_conquest")) > 500


@pytest.mark.parametrize("program", ["crash_at_start", "never_joins", "leaves_at_once"])
def test_a_bot_that_does_not_start_is_told_why_and_examined_no_further(program: str) -> None:
    patient = Patient(command_bot(f"{program}.py"), ("classic",), Limits(start=2), quick=True)
    found = list(examine(patient))
    assert (found[0].check, found[0].grade) == ("start", "fix")
    assert {(finding.grade, finding.message) for finding in found[1:]} == {
        ("skip", "not done: `start` has to be fixed first")
    }
    assert {finding.check for finding in found} == {module.NAME for module in scan()} - {"build"}


def test_a_bot_is_built_first_and_without_a_build_examined_no_further(tmp_path: Path) -> None:
    toml = 'name = "made"\ncommand = ["sh", "bot.sh"]\nbuild = ["sh", "-c", "echo making; test -e parts"]\n'
    (tmp_path / "bot.toml").write_text(toml)
    made = Player("made", load_bot(tmp_path))
    broken, *rest = examine(Patient(made, ("classic",), QUICK))
    assert {finding.message for finding in rest} == {"not done: `build` has to be fixed first"}
    assert (broken.check, broken.grade) == ("build", "fix")
    assert broken.message.endswith("exited with code 1:\nmaking")
    assert "run its build step by hand" in broken.advice
    (tmp_path / "parts").touch()
    (built,) = findings(made, "build")
    assert (built.grade, built.message[:8]) == ("ok", "built in")
    assert findings(made, "build") == []


def test_a_program_that_is_not_there_is_to_be_installed(tmp_path: Path) -> None:
    bot = Player("gone", BotSpec("gone", "command", str(tmp_path), ("no-such-program",)))
    (found,) = findings(bot, "start")
    assert found.message.startswith(f"crash: cannot start `no-such-program` in {tmp_path}: ")
    assert found.advice.startswith("install the program, or name another in `command`")


@pytest.mark.parametrize("then", ["", "sleep 60", "exit 3"])
def test_json_lines_of_a_bot_that_did_not_say_so_are_recognised(tmp_path: Path, then: str) -> None:
    """It leaves, waits for ever or breaks, and is told in each case which line its bot.toml lacks."""
    (tmp_path / "bot.toml").write_text('name = "unsaid"\ncommand = ["sh", "bot.sh"]\n')
    (tmp_path / "bot.sh").write_text(f"echo '{{\"join\":{{}}}}'\n{then}\n")
    (found,) = findings(Player("unsaid", load_bot(tmp_path)), "start", Limits(start=6, decision=1))
    assert found.message.endswith(
        'it wrote JSON lines, such as `{"join":{}}`: add `protocol = "jsonlines"` to its bot.toml'
    )
    assert found.advice.startswith('add `protocol = "jsonlines"` to its bot.toml')


def test_a_grpc_bot_declared_as_json_lines_is_recognised() -> None:
    bot = command_bot("first_legal.py")
    (found,) = findings(replace(bot, bot=replace(bot.bot, protocol="jsonlines")), "start")
    assert found.advice.startswith('take `protocol = "jsonlines"` out of its bot.toml')


def test_the_bot_is_examined_in_the_isolation_that_was_asked_for() -> None:
    bot, limited = command_bot("first_legal.py"), Isolation("limits")
    patient = Patient(bot, ("classic",), QUICK, quick=True, isolation=limited)
    with patient.interview() as started:
        assert started.door.guard == "limits"
    assert whole_games._plan(patient, "classic").isolation == limited
    patient.isolation = Isolation("sandbox")
    (found,) = whole_games.examine(patient)
    assert (found[0], found[1]) == ("ok", "1 game against patient, no fault")


def test_a_slow_start_is_worth_a_warning() -> None:
    """B16: a start within a fifth of its limit."""
    quick = findings(command_bot("first_legal.py"), "start")
    assert grades(quick) == {"ok"}
    assert "% of 60 s" in quick[0].message


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("illegal.py", "illegal"),
        ("wrong_range.py", "malformed"),
        ("raises_mid_game.py", "crash"),
        ("garbage.py", "malformed"),
        ("hang.py", "timeout"),
        ("floods.py", "flood"),
    ],
)
def test_a_wrong_answer_is_shown_with_its_position_and_rule(program: str, kind: str) -> None:
    limits = SHORT if kind == "timeout" else QUICK
    found = findings(command_bot(program), "answers", limits)
    problems = [finding for finding in found if finding.grade == "fix"]
    assert problems
    assert any(f": {kind}: " in finding.message for finding in problems)
    assert all("classic" in finding.message for finding in problems)


def test_the_processes_of_a_bot_that_multiplies_are_told() -> None:
    """What it lacks is not time."""
    (found,) = findings(command_bot("ill.py", "multiplies"), "answers", BUSY)
    assert (found.grade, ": timeout: " in found.message) == ("fix", True)
    assert re.search(r"; it has (\d|1[012]) child processes, 0 declared", found.message)
    assert found.advice.endswith("; end its child processes, or declare them: `children = N` in bot.toml")
    (alone,) = findings(command_bot("hang.py"), "answers", SHORT)
    assert "child" not in alone.message + alone.advice


def test_an_answer_that_was_not_heard_is_told_with_the_line_it_stood_on() -> None:
    bot = command_bot("lines.py", "trails")
    spoken = replace(bot, bot=replace(bot.bot, protocol="jsonlines"))
    (found,) = findings(spoken, "answers", BUSY)
    assert "timeout: no answer" in found.message
    assert "looks like a message but was not one: `{" in found.message
    assert found.advice.startswith("write each message as a line of its own")


def test_one_cause_is_found_once() -> None:
    """Neither the broken stream nor the sandbox is to blame for what goes wrong without them, too."""
    wrong = command_bot("ill.py", "illegal")
    (found,) = findings(wrong, "reconnect", faults=("illegal",))
    assert found.grade == "ok"
    (found,) = findings(wrong, "sandbox", faults=("illegal",))
    assert (found.grade, found.message) == (
        "ok",
        "starts in the sandbox, and is as wrong there as outside: illegal",
    )


def test_times_are_in_one_unit_and_numbers_agree_with_their_nouns() -> None:
    assert [seconds(used) for used in (0.00148, 0.25, 1.507)] == ["0.0015 s", "0.2500 s", "1.51 s"]
    assert [count(number, "game") for number in (0, 1, 2)] == ["0 games", "1 game", "2 games"]


def test_thinking_close_to_the_limit_is_worth_a_warning() -> None:
    found = findings(command_bot("ill.py", "slow"), "answers", SHORT)
    assert any(finding.grade == "warn" and "at worst" in finding.message for finding in found) or any(
        "timeout" in finding.message for finding in found
    )


def test_a_fault_in_a_whole_game_is_found() -> None:
    found = findings(command_bot("leaves_mid_game.py"), "whole games")
    assert grades(found) == {"fix"}
    assert "disconnect" in found[0].message


def test_a_bot_that_does_not_resume_is_warned() -> None:
    assert grades(findings(command_bot("ill.py", "never_resumes"), "reconnect")) == {"warn"}
    assert grades(findings(command_bot("first_legal.py"), "reconnect")) == {"ok"}


def test_growth_and_children_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "QUICK_PART_S", 120.0)  # as many decisions as it asks for, on any machine
    grown = findings(command_bot("ill.py", "grows"), "memory")
    assert [finding.grade for finding in grown] == ["fix", "ok"]
    assert "KiB with each, without end: 2048 MiB are full after" in grown[0].message
    assert grown[0].advice == "forget a decision once it is answered, and bound every cache"
    kept = findings(command_bot("ill.py", "keeps_games"), "memory")
    assert [finding.grade for finding in kept] == ["ok", "warn"]
    assert "GameEnd" in kept[1].advice
    sound = findings(command_bot("first_legal.py"), "memory")
    assert grades(sound) == {"ok"}
    assert re.search(r"MiB in \d+ decisions$", sound[0].message)
    forked = findings(command_bot("forks.py", os.devnull), "memory")
    assert any(
        finding.grade == "fix" and "1 child process between games, 0 declared" in finding.message
        for finding in forked
    )


def test_a_heap_that_fills_up_is_told_from_a_slow_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that grows slowly is asked on: what grows to a bound, as the heap of a Java bot, is no leak."""
    monkeypatch.setattr(holding, "QUICK_PART_S", 120.0)
    filled = findings(command_bot("ill.py", "fills_a_heap"), "memory")
    assert [finding.grade for finding in filled] == ["ok", "ok"], filled
    monkeypatch.setattr(holding, "MORE_ROUNDS", 1)
    leaking, _ = findings(command_bot("ill.py", "seeps"), "memory")
    assert leaking.grade == "warn"
    assert re.search(r" 2[345] KiB with each, without end: 2048 MiB are full after", leaking.message)


def test_a_bot_has_no_more_games_open_than_in_a_tournament() -> None:
    """What it holds for each would not fit its limit for a position of every kind."""
    large, limited = command_bot("ill.py", "large_games"), Isolation("limits", memory_mib=320)
    assert len(positions("classic")) * 16 > limited.memory_mib
    patient = Patient(large, ("classic",), QUICK, quick=True, isolation=limited)
    decisions, *_ = holding.examine(patient)
    assert decisions[0] == "ok", decisions


def test_a_bot_that_never_rests_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it burns is what others leave of a core: on a crowded machine, less than the check asks for."""
    assert grades(findings(command_bot("first_legal.py"), "idle")) == {"ok"}
    assert idle.BUSY_SHARE == 0.2
    monkeypatch.setattr(idle, "BUSY_SHARE", 0.03)
    (burning,) = findings(command_bot("ill.py", "burns"), "idle")
    assert burning.grade == "warn"
    assert int(burning.message.split()[0]) >= 30
    assert "without polling" in burning.advice


def test_the_end_of_what_a_broken_bot_wrote_is_shown() -> None:
    for check in ("answers", "whole games"):
        found = findings(command_bot("raises_mid_game.py"), check)
        (broken,) = [finding for finding in found if finding.grade == "fix"]
        assert "\n      raise KeyError(" in broken.message
        assert broken.advice.startswith("see the last lines of what it wrote, above")


@pytest.mark.parametrize(
    ("ended_by", "advice"), [("SIGKILL", "ended from outside"), ("SIGSEGV", "run it in a debugger")]
)
def test_advice_tells_who_was_ended_from_who_died(ended_by: str, advice: str) -> None:
    """Nobody finds in a debugger what the system did to a bot."""
    broken, *_ = findings(command_bot("crash_mid_game.py", ended_by), "answers")
    assert f"killed by {ended_by}" in broken.message
    assert advice in broken.advice


def test_a_bot_that_hangs_is_not_said_to_think() -> None:
    found = findings(command_bot("hang.py"), "answers", SHORT)
    assert grades(found) == {"fix"}
    assert not any("thinks" in finding.message for finding in found)
    assert "if it hangs, find out where" in found[0].advice


@pytest.mark.parametrize("program", ["garbage.py", "leaves_mid_game.py", "raises_mid_game.py"])
def test_a_bot_that_breaks_while_it_is_looked_at_breaks_no_check(program: str) -> None:
    for check in ("idle", "memory"):
        found = findings(command_bot(program), check)
        assert grades(found) <= {"ok", "skip"}
    assert (found[0].grade, found[0].message[:20]) == ("skip", "not done: the bot do")


def test_what_is_not_done_says_why() -> None:
    hanging = command_bot("hang.py")
    (memory,) = findings(hanging, "memory", SHORT)
    assert (memory.grade, memory.message) == (
        "skip",
        "not done: the bot does not answer with an action (timeout)",
    )
    inside = Player("inside", load_bot(ROOT / "bots" / "random.py"))
    for check in ("idle", "memory", "ending", "reconnect"):
        (found,) = findings(inside, check)
        assert found.grade == "skip"
        assert found.message.startswith("not done: a Python file ")
    piped = Player("piped", load_bot(ROOT / "bots" / "shell_random"))
    (found,) = findings(piped, "reconnect")
    assert found.message == "not done: bots on pipes have no stream that could be resumed"
    done = arena("doctor", str(ROOT / "bots" / "random.py"), "--variant", "endor", "--quick")
    assert "\n-    memory       not done: a Python file" in done.stdout


def test_a_bot_that_stays_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "LIMIT_S", 60.0)
    assert grades(findings(command_bot("ill.py", "stays"), "ending")) == {"warn"}
    assert grades(findings(command_bot("first_legal.py"), "ending")) == {"ok"}


def test_what_the_sandbox_hides_is_found(tmp_path: Path) -> None:
    """Its code lies outside of its folder, where the sandbox shows nothing."""
    elsewhere = tmp_path / "elsewhere.py"
    elsewhere.write_text((ROOT / "bots" / "outrider" / "bot.py").read_text())
    home = tmp_path / "home"
    home.mkdir()
    assert grades(findings(command_bot(str(elsewhere), folder=home), "sandbox")) == {"warn"}
    assert grades(findings(command_bot("bot.py", folder=ROOT / "bots" / "outrider"), "sandbox")) == {"ok"}


def test_every_check_has_a_bot_that_fails_it() -> None:
    """Adding a check asks for a test above."""
    tested = {"build", "start", "answers", "whole games", "reconnect", "idle", "memory", "ending", "sandbox"}
    assert {module.NAME for module in scan()} == tested


def test_a_sound_bot_is_ready() -> None:
    done = arena("doctor", str(ROOT / "bots" / "random.py"), "--variant", "endor", "--quick", *PATIENT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("ready")


def test_what_to_fix_is_listed_and_fails_the_command(tmp_path: Path) -> None:
    bot = tmp_path / "wrong.py"
    bot.write_text("def decide(view, legal, rng):\n    return 63\n")
    done = arena("doctor", str(bot), "--variant", "classic", "--quick")
    assert done.returncode == 1
    assert "To fix:" in done.stdout
    assert "answer with one of the ranges offered" in done.stdout
    told = arena("doctor", str(bot), "--variant", "classic", "--quick", "--json")
    facts = json.loads(told.stdout)
    assert (told.returncode, facts["ready"]) == (1, False)
    assert {finding["check"] for finding in facts["findings"]} >= {"start", "answers"}


def test_wrong_use(tmp_path: Path) -> None:
    assert arena("doctor", "nobody").returncode == 2
    for option in ("--start", "--decision"):
        done = arena("doctor", "random", option, "-1")
        assert (done.returncode, "must be a positive number of seconds" in done.stderr) == (2, True)
    lost = tmp_path / "lost.py"
    lost.write_text("VARIANTS = ('clasic',)\ndef decide(view, legal):\n    return legal[0]\n")
    done = arena("doctor", lost)
    assert done.returncode == 2
    assert "it claims clasic; variants and families are: capital, classic" in done.stderr
    (tmp_path / "bot.toml").write_text("name = 3\n")
    told = arena("doctor", tmp_path).stderr
    assert told.startswith("Error: ")
    assert told == arena("play", tmp_path, "random").stderr
    done = arena("doctor", "greedy_endor", "--variant", "classic")
    assert done.returncode == 2
    assert "greedy_endor plays endor" in done.stderr
