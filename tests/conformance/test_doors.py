"""Three doors, one referee, one schema: the same scripted games through all of them, message by message.

Each game is played with the bot in this process, and in a process of its own over gRPC and over JSON lines,
packed and typed. Every message is brought to one form, and the first difference is told by its place and both
values, such as `game 2, message 17, view, troops, 3: 4 in_process, 5 jsonlines typed`.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any, get_args

import pytest
from google.protobuf import json_format
from scripted import ILLEGAL_AT, LEVEL, MALFORMED_AT, read_events, read_legal, read_view

from arena.botfiles import load_bot
from arena.driver import Driver
from arena.launcher import Launcher
from arena.seats import Answer, Door, GameOpening, InProcessDoor, Question
from arena.server import PlayServer, launch_bot
from arena.setups import setup_for
from arena.types import BotSpec, FaultPolicy, GameResult, Limits, MatchPlan, MatchResult, Player, Protocol
from arena.v1 import play_pb2
from arena.wire import event_messages, game_end, game_start

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SCRIPTED = load_bot(HERE / "scripted.py")
RANDOM = load_bot(ROOT / "bots" / "random.py")
# Enough faults for a message of each kind, and none of them ends the seat's game.
POLICY = FaultPolicy(retire=frozenset(), strikes=10_000)
# A good bot is never late, however busy the machine is.
LIMITS = Limits(start=120.0, decision=60.0, game=3600.0, increment=0.25)
WAIT_S = 60.0
UNCLOCKED = ("secret_mission", "endor")
ENDLESS_MS = 2**31 - 1
WAYS = [(door, form) for door in get_args(Protocol) for form in ("packed", "typed")]
GAMES = {
    "classic": (2, {"turn_cap": 3}),
    "world_conquest": (3, {"turn_cap": 2}),
    "endor": (2, {"turn_cap": 3}),
    "secret_mission": (3, {"turn_cap": 2}),
    "command_room": (3, {"turn_cap": 2}),
    "expert": (2, {"turn_cap": 2}),
}

Message = dict[str, Any]
Transcript = dict[int, list[Message]]


@dataclass(frozen=True)
class Run:
    """What one way of playing brought about: the bot's messages by game, and the results."""

    way: str
    messages: Transcript
    result: MatchResult


# ---- one form for all


def start_form(start: Mapping[str, Any]) -> Message:
    return {"kind": "start", **{key: value for key, value in start.items() if key != "game"}}


def question_form(question: Mapping[str, Any], layout: Sequence[tuple[str, int]]) -> Message:
    """All but the numbers of the connection, and the time left, which depends on the machine."""
    return {
        "kind": "question",
        "view": read_view(question, layout),
        "legal": read_legal(question),
        "events": read_events(question),
        "bank": bank_form(question["gameLeftMs"]),
    }


def bank_form(left_ms: float) -> str:
    """What is left of the bank, but for what depends on the machine."""
    if left_ms >= ENDLESS_MS:
        return "endless"
    return "within" if 0 < left_ms < 2000 * LIMITS.game else "out of bounds"


def end_form(end: Mapping[str, Any]) -> Message:
    """All but the times used, and the sentence about an answer that each door finds malformed in its way."""
    faults = [dict(fault) for fault in end["faults"]]
    for fault in faults:
        del fault["usedMs"]
        if fault["kind"] == "malformed":
            _, _, fault["message"] = fault["message"].rpartition("; ")
    return {"kind": "end", **end, "faults": faults, "game": None}


def spelt(message: Any) -> dict[str, Any]:
    """A message in protobuf's JSON mapping, with every field."""
    return json_format.MessageToDict(message, always_print_fields_with_no_presence=True)


def by_game(messages: Iterator[Mapping[str, Any]]) -> Transcript:
    """The bot's messages in the common form, by the number of the game."""
    found: Transcript = {}
    layouts: dict[int, list[tuple[str, int]]] = {}
    for message in messages:
        if start := message.get("gameStart"):
            layouts[start["game"]] = [(f["name"], f["length"]) for f in start["rules"]["fields"]]
            found[start["game"]] = [start_form(start)]
        elif end := message.get("gameEnd"):
            found[end["game"]].append(end_form(end))
        for question in message.get("decides", {}).get("decides", []):
            form = question_form(question, layouts[question["game"]])
            found[question["game"]].append(form)
    return found


def difference(one: Run, other: Run) -> str:
    """Where two runs differ first, and how; "" if they do not."""
    return _difference(one.messages, other.messages, one.way, other.way, "game ")


def _difference(one: Any, other: Any, way: str, other_way: str, place: str) -> str:
    if one == other:
        return ""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in one.keys() | other.keys():
            if key not in one or key not in other:
                return f"{place}{key}: not there {way if key not in one else other_way}"
        pairs = [(key, one[key], other[key]) for key in one]
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
        pairs = [(index, *pair) for index, pair in enumerate(zip(one, other, strict=False))]
    else:
        return f"{place.removesuffix(', ')}: {one!r} {way}, {other!r} {other_way}"
    for key, ours, theirs in pairs:
        word = "message " if isinstance(key, int) and place.count(",") == 1 and place[:5] == "game " else ""
        if found := _difference(ours, theirs, way, other_way, f"{place}{word}{key}, "):
            return found
    return f"{place.removesuffix(', ')}: {len(one)} {way}, {len(other)} {other_way}"


# ---- the doors


class Tap(InProcessDoor):
    """The door to a bot in this process, with every message that passes it written down."""

    wants_events = True

    def __init__(self, spec: BotSpec, inbox: SimpleQueue[Answer]) -> None:
        super().__init__(spec, inbox)
        self.messages: Transcript = {}
        self._numbers: dict[tuple[int, int], int] = {}

    def open_game(self, opening: GameOpening) -> None:
        number = len(self._numbers) + 1
        key = opening.game_id, opening.seat
        self._numbers[key] = number
        super().open_game(opening)
        decide: Any = self._bots[key][0]
        limits = decide.__self__.limits  # what the bot itself was told
        start = game_start(
            number,
            opening.seat,
            opening.game,
            limits,
            opening.bot_seed,
            opening.labels,
            opening.options,
        )
        self.messages[number] = [start_form(spelt(start))]

    def ask(self, questions: Sequence[Question]) -> None:
        for question in questions:
            fields = question.view.game.description.fields
            form = {
                "kind": "question",
                "view": {field.name: question.view.field(field.name) for field in fields},
                "legal": [(r.kind, r.a, r.b, r.c, r.lo, r.hi) for r in question.legal],
                "events": [
                    (e.kind, e.seat, e.a, e.b, e.c, e.n, tuple(e.dice))
                    for e in event_messages(question.events)
                ],
                "bank": bank_form(1000 * question.bank_s),
            }
            self.messages[self._numbers[question.game_id, question.seat]].append(form)
        super().ask(questions)

    def close_game(self, game_id: int, seat: int, result: GameResult | None) -> None:
        if number := self._numbers.pop((game_id, seat), None):
            self.messages[number].append(end_form(spelt(game_end(number, seat, result))))
            self._numbers[-number, seat] = number
        super().close_game(game_id, seat, result)


def play_in_process(plan: MatchPlan) -> Run:
    inbox: SimpleQueue[Answer] = SimpleQueue()
    tap = Tap(SCRIPTED, inbox)
    return Run("in_process", tap.messages, play(plan, tap, inbox))


def play_in_a_process(plan: MatchPlan, door: Protocol, form: str, folder: Path) -> Run:
    """The same over a wire: another process, whose own record of its messages is read."""
    path = folder / "messages"
    argv = (sys.executable, str(HERE / "scripted.py"), door, form, str(path))
    spec = replace(SCRIPTED, kind="command", target=str(ROOT), argv=argv, protocol=door)
    inbox: SimpleQueue[Answer] = SimpleQueue()
    with PlayServer([f"unix:{folder}/play"]) as server, Launcher() as launcher:
        remote = launch_bot(server, launcher, spec, inbox, start_s=LIMITS.start)
        result = play(plan, remote, inbox)
        assert remote.fault is None
        assert remote.protocol == door
        pid, messages = heard(path, door, len(result.games))
        assert pid not in (os.getpid(), launcher.pid)
        assert f"scripted.py\0{door}" in Path(f"/proc/{pid}/cmdline").read_text()
        remote.close()
        assert within(WAIT_S, lambda: not Path(f"/proc/{pid}").exists()), "the bot's process is still there"
    return Run(f"{door} {form}", messages, result)


def heard(path: Path, door: str, games: int) -> tuple[int, Transcript]:
    """The process id that a bot wrote down, and its messages once it has been told how all games ended."""

    def lines() -> list[str]:
        return [line for line in path.read_text(encoding="utf-8").splitlines(True) if line.endswith("\n")]

    def is_end(line: str) -> bool:
        if door == "jsonlines":
            return line.startswith('{"gameEnd"')
        return play_pb2.PlayResponse.FromString(base64.b64decode(line)).HasField("game_end")

    told = within(WAIT_S, lambda: sum(map(is_end, lines()[1:])) == games)
    assert told, f"the bot was not told how its {games} games ended"
    pid, *messages = lines()
    return int(pid), by_game(map(json.loads if door == "jsonlines" else of_bytes, messages))


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Wait for a condition; whether it came true."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def of_bytes(line: str) -> dict[str, Any]:
    """A serialised message as a line would spell it: a question has one form, the one asked for."""
    message = spelt(play_pb2.PlayResponse.FromString(base64.b64decode(line)))
    for question in message.get("decides", {}).get("decides", []):
        packed, other = ("view", "legal", "events"), ("typedView", "typedLegal", "typedEvents")
        for key in other if question["view"] else packed:
            del question[key]
    return message


def play(plan: MatchPlan, door: Door, inbox: SimpleQueue[Answer]) -> MatchResult:
    doors: dict[Any, Door] = {plan.players[0]: door}
    doors |= {player: InProcessDoor(RANDOM, inbox) for player in plan.players[1:]}
    result = Driver(doors, inbox).play(plan)
    assert result.error == ""
    return result


# ---- the suite


@pytest.fixture(scope="module", params=GAMES)
def runs(request: pytest.FixtureRequest) -> list[Run]:
    """One match of a variant, played in every way; the first is the one in this process."""
    seats, options = GAMES[request.param]
    setup = setup_for(request.param, seats, options, "split")
    players = [Player("scripted", SCRIPTED, (("level", LEVEL),))]
    players += [Player(f"random {number}", RANDOM) for number in range(1, len(set(setup.rotations[0])))]
    limits = replace(LIMITS, clocked=request.param not in UNCLOCKED)
    plan = MatchPlan(1, bytes(range(16)), setup, tuple(players), limits, POLICY)
    made = [play_in_process(plan)]
    for door, form in WAYS:
        with tempfile.TemporaryDirectory(prefix="arena-") as folder:
            made.append(play_in_a_process(plan, door, form, Path(folder)))
    return made


def test_every_message_is_the_same_through_every_door(runs: list[Run]) -> None:
    """Starts, questions (view, legal ranges, events), ends and the faults told in them; typed says packed."""
    reference = runs[0]
    assert [difference(reference, run) for run in runs[1:]] == [""] * len(WAYS)
    for messages in reference.messages.values():
        kinds = [message["kind"] for message in messages]
        assert kinds == ["start", *["question"] * (len(kinds) - 2), "end"]
        assert len(kinds) > MALFORMED_AT + 2
    questions = [m for messages in reference.messages.values() for m in messages if m["kind"] == "question"]
    assert any(question["events"] for question in questions)


def test_the_clock_is_told_the_same_through_every_door(
    runs: list[Run], request: pytest.FixtureRequest
) -> None:
    """Limit of a decision, bank, increment, and whether no clock runs; the bank goes with it."""
    unclocked = request.node.callspec.params["runs"] in UNCLOCKED
    told = {"decisionMs": 60_000, "gameMs": 3_600_000, "incrementMs": 250, "unclocked": unclocked}
    for run in runs:
        for start, *questions, _ in run.messages.values():
            assert start["limits"] == told, run.way
            assert {question["bank"] for question in questions} == {"endless" if unclocked else "within"}


def test_an_illegal_and_a_malformed_answer_cost_the_same_through_every_door(runs: list[Run]) -> None:
    """Same kind at the same decision, same price, same rule named; only `malformed` is worded by the door."""
    for run in runs:
        for game in run.result.games:
            scripted = [fault for fault in game.faults if game.players[fault.seat] == 0]
            assert [fault.kind for fault in scripted] == ["illegal", "malformed"]
            assert {fault.action for fault in scripted} == {"default"}
        ends = [messages[-1] for messages in run.messages.values()]
        assert all([f["kind"] for f in end["faults"]] == ["illegal", "malformed"] for end in ends)
    told = [
        [[(f.seat, f.kind, f.decision, f.limit_ms) for f in game.faults] for game in run.result.games]
        for run in runs
    ]
    assert all(each == told[0] for each in told)


def test_results_are_the_same_through_every_door(runs: list[Run]) -> None:
    """Down to the record, which has every action, and the digest of the final state."""

    def facts(game: GameResult) -> GameResult:
        return replace(game, wall_ms=0.0, faults=(), guards=())

    results = [[facts(game) for game in run.result.games] for run in runs]
    assert all(result == results[0] for result in results)


# ---- how a difference is told


def test_difference_is_told_by_its_place_and_both_values() -> None:
    start = {"kind": "start", "seat": 0}
    question = {"kind": "question", "view": {"troops": (3, 1)}, "legal": [(1, 0, 0, 0, 1, 3)], "events": []}
    one = Run("in_process", {1: [start, question]}, MatchResult(1, (), "", 0.0, 0.0))

    def other(**changes: object) -> Run:
        return Run("jsonlines typed", {1: [start, question | changes]}, one.result)

    assert difference(one, other()) == ""
    told = difference(one, other(view={"troops": (3, 2)}))
    assert told == "game 1, message 1, view, troops, 1: 1 in_process, 2 jsonlines typed"
    told = difference(one, other(legal=[]))
    assert told == "game 1, message 1, legal: 1 in_process, 0 jsonlines typed"
    told = difference(one, other(view={}))
    assert told == "game 1, message 1, view, troops: not there jsonlines typed"
    fewer = Run("grpc packed", {1: [start]}, one.result)
    assert difference(one, fewer) == "game 1: 2 in_process, 1 grpc packed"
    assert ILLEGAL_AT < MALFORMED_AT
