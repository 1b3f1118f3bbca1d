"""What does it hold: memory, its growth by decisions and by games, and processes left between games?"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.doctor import WARN_SHARE, Patient, count
from arena.doctor.advice import CHILDREN
from arena.doctor.checks import Found, Unanswered, ask_once
from arena.doctor.positions import Position, positions
from arena.launcher import Census
from arena.runners.interview import Interview
from arena.server import RemoteDoor
from arena.types import Isolation

ORDER = 50
NAME = "memory"
GAMES, QUICK_GAMES = 300, 60
GROWTH_MIB = 32
# So many games are open while decisions are asked, about as many as a tournament has with one bot.
OPEN_GAMES = 8
# Decisions are asked in parts: the first warms the bot up, a leak grows in every other, a cache or a heap in
# few. A part ends early where a bot has grown so much that the host's memory could run out.
PARTS = 4
PART_MIB = 64
LOOK_EVERY = 50
DECISIONS, QUICK_DECISIONS = 1000, 250
PART_S, QUICK_PART_S = 5.0, 1.5
LEAK_MIB = 2.0  # in each part
# A slow growth may be a heap that fills up to its bound: such a bot is asked on, as many parts at a time as
# at first, until it grows no more or has been asked so often.
MORE_ROUNDS = 4
# A bot that meets its memory limit within as many decisions does not survive a small tournament.
TOURNAMENT = 20_000
SURE_DECISIONS = 50  # of one part: of fewer nothing certain is told


class Part(NamedTuple):
    """How many decisions were asked for, and how many MiB more the bot held after them."""

    decisions: int
    growth_mib: float


def examine(patient: Patient) -> Found:
    """Ask for many decisions, play many short games, and look at its processes in between."""
    if not patient.remote:
        yield "skip", "not done: a Python file runs inside the arena's process", ""
        return
    asked = [position for variant in patient.variants for position in positions(variant)]
    parts: list[Part] = []
    try:
        with patient.interview() as bot:
            for part in _decisions(bot, asked, quick=patient.quick):
                parts.append(part)
            games = QUICK_GAMES if patient.quick else GAMES
            before, after = _games(bot, asked, games)
    except Unanswered as error:
        if len(parts) >= PARTS:
            yield _leak(parts)
        yield "skip", f"not done: {error}", ""
        return
    grade, growth, advice = _leak(parts)
    yield grade, growth, advice
    yield from _held(before, after, games, leaks=grade != "ok")
    declared = patient.player.bot.children
    if after.children > declared:
        children = count(after.children, "child process", "child processes")
        yield "fix", f"{children} between games, {declared} declared", CHILDREN


def _decisions(bot: Interview, asked: Sequence[Position], *, quick: bool) -> Iterator[Part]:
    """What it holds more after each part of many decisions in a few games; more of them where it may leak."""
    few = asked[:: math.ceil(len(asked) / OPEN_GAMES)]
    games = [(bot.open(position.game, position.seat, bytes(16)), position) for position in few]
    most, most_s = (QUICK_DECISIONS, QUICK_PART_S) if quick else (DECISIONS, PART_S)
    parts: list[Part] = []
    for _ in range(1 + MORE_ROUNDS):
        for _ in range(PARTS):
            parts.append(_part(bot, games, most, most_s))
            yield parts[-1]
        if _leak(parts)[0] != "warn":
            break
        most = DECISIONS
    for number, position in games:
        bot.close(number, position.seat)


def _part(bot: Interview, games: Sequence[tuple[int, Position]], most: int, most_s: float) -> Part:
    end = time.monotonic() + most_s
    before = _census(bot).memory_mib
    for made in range(1, most + 1):
        number, position = games[made % len(games)]
        ask_once(bot, number, position)
        looked = made % LOOK_EVERY == 0
        if time.monotonic() > end or (looked and _census(bot).memory_mib - before > PART_MIB):
            break
    return Part(made, _census(bot).memory_mib - before)


def _games(bot: Interview, asked: Sequence[Position], games: int) -> tuple[Census, Census]:
    """What it holds after a third of many games of one decision, and after all."""
    held = []
    for index in range(games):
        position = asked[index % len(asked)]
        number = bot.open(position.game, position.seat, bytes(16))
        ask_once(bot, number, position)
        bot.close(number, position.seat)
        if index in (games // 3, games - 1):
            held.append(_census(bot))
    before, after = held
    return before, after


def _census(bot: Interview) -> Census:
    """What the bot holds now; Unanswered when it has ended."""
    door = bot.door
    assert isinstance(door, RemoteDoor)
    held = door.process.census() if door.process is not None else None
    if held is None:
        raise Unanswered("the bot ends while it is asked")
    return held


def _leak(parts: Sequence[Part]) -> tuple[str, str, str]:
    """Whether it holds more with every decision.

    At first the least that it grew by in any part counts, of a bot that was asked on the mean of the last.
    """
    judged = parts[1:] if len(parts) <= PARTS else [_mean(parts[-PARTS:])]
    steady = min(judged, key=lambda part: part.growth_mib / part.decisions)
    decisions, growth = sum(part.decisions for part in parts), sum(part.growth_mib for part in parts)
    text = f"{growth:+.0f} MiB in {count(decisions, 'decision')}"
    if min(part.growth_mib for part in judged) < LEAK_MIB:
        return "ok", text, ""
    each_mib, limit = steady.growth_mib / steady.decisions, Isolation().memory_mib
    left = round(limit / each_mib)
    text += f", {1024 * each_mib:.0f} KiB with each, without end: {limit} MiB are full after {left} of them"
    sure = steady.decisions >= SURE_DECISIONS and left < TOURNAMENT
    return "fix" if sure else "warn", text, "forget a decision once it is answered, and bound every cache"


def _mean(parts: Sequence[Part]) -> Part:
    decisions, growth = (sum(amounts) / len(parts) for amounts in zip(*parts, strict=True))
    return Part(round(decisions), growth)


def _held(before: Census, after: Census, games: int, *, leaks: bool) -> Found:
    limit = Isolation().memory_mib
    growth = after.memory_mib - before.memory_mib
    text = f"{after.memory_mib:.0f} MiB after {count(games, 'game')}, {growth:+.0f} in the last two thirds"
    if after.memory_mib > WARN_SHARE * limit:
        yield "warn", text, f"hold less: the default limit is {limit} MiB"
    elif growth > GROWTH_MIB and not leaks:
        yield "warn", text, "forget games when they end (GameEnd): a tournament has thousands"
    else:
        yield "ok", text, ""
