"""Does it answer every kind of decision, legally and in time?"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from arena.doctor import WARN_SHARE, Patient, count, seconds, share
from arena.doctor.advice import CHILDREN, advice_for, kind_of, last_words
from arena.doctor.checks import Found
from arena.doctor.positions import Position, positions
from arena.rerun import problem_of
from arena.runners.interview import Interview
from arena.seats import Door
from arena.server import RemoteDoor

ORDER = 20
NAME = "answers"
MOST_PROBLEMS = 3  # of one variant: the rest would say the same
SEED = bytes(16)


def examine(patient: Patient) -> Found:
    """Ask it in positions of every kind of decision of every variant it claims."""
    times: list[float] = []
    kinds: set[tuple[str, ...]] = set()
    problems = 0
    left = list(patient.variants)
    while left:
        with patient.interview() as bot:
            while left:
                found = list(_problems(bot, positions(left.pop(0)), times, kinds))
                for problem, position, used_s, output, children in found:
                    patient.faults.add(kind_of(problem))
                    told = f"{position}: {problem} (after {seconds(used_s)}){children}{last_words(output)}"
                    yield "fix", told, advice_for(problem) + (f"; {CHILDREN}" if children else "")
                problems += len(found)
                if found:
                    break  # for the next variant it is started anew
    if times and "timeout" not in patient.faults:  # else the fault has said how long it thinks
        yield _pace(patient, times)
    if not problems:
        where = f"{count(len(kinds), 'kind')} of decisions in {count(len(patient.variants), 'variant')}"
        yield "ok", f"{count(len(times), 'answer')} to {where}, all legal", ""


def _problems(
    bot: Interview,
    asked: tuple[Position, ...],
    times: list[float],
    kinds: set[tuple[str, ...]],
) -> Iterator[tuple[str, Position, float, str, str]]:
    """What is wrong with its answers: what, where, after how long, what it wrote, and its child processes.

    All times go into `times`. After a fault that ends it, it is not asked further in the variant.
    """
    found = 0
    for position in asked:
        door = bot.door
        number = bot.open(position.game, position.seat, SEED)
        answer, used_s = bot.ask(number, position.seat, position.state)
        problem = problem_of(position.game, position.state, answer)
        kinds.add(position.kinds)
        if answer.fault is None:
            times.append(used_s)
        if problem:
            found += 1
            yield problem, position, used_s, answer.output, _children(door, bot.player.bot.children)
            if found == MOST_PROBLEMS or answer.fault not in (None, "malformed"):
                return
        bot.close(number, position.seat)


def _children(door: Door, declared: int) -> str:
    """What to say of more child processes than a bot declared; nothing of a process that has ended."""
    census = door.process.census() if isinstance(door, RemoteDoor) and door.process is not None else None
    if census is None or census.children <= declared:
        return ""
    return f"; it has {count(census.children, 'child process', 'child processes')}, {declared} declared"


def _pace(patient: Patient, times: list[float]) -> tuple[str, str, str]:
    worst, median = max(times), statistics.median(times)
    limit_s = patient.limits.decision
    patient.notes["think_worst_s"] = worst
    text = f"thinks {seconds(median)} in the middle, {share(worst, limit_s)} at worst"
    if worst > WARN_SHARE * limit_s:
        return "warn", text, "think less in the worst case: a busier machine will be slower"
    return "ok", text, ""
