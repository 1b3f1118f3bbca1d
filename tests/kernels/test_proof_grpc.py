"""The proof kernels over gRPC, with bots in processes of their own."""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue

import pytest
from proof_samples import FAMILIES, game_of

from arena.driver import Driver
from arena.launcher import Launcher
from arena.record import Record, unpack, verify
from arena.seats import Answer, Door, InProcessDoor
from arena.server import PlayServer, RemoteDoor, launch_bot
from arena.server.connection import Stream
from arena.setups import setup_for
from arena.types import BotSpec, FaultPolicy, Limits, MatchPlan, MatchResult, Player
from arena.v1 import play_pb2

KEY = bytes(range(16))
BOTS = Path(__file__).resolve().parent / "bots"
# A good bot is never late, however busy the machine is.
LIMITS = Limits(start=120.0, decision=60.0, game=3600.0)
CHOOSER = BotSpec("chooser", "command", str(BOTS), ("python", "chooser.py"))
BLIND = BotSpec("blind", "command", str(BOTS), ("python", "blind.py"))
PLANNER = BotSpec("planner", "command", str(BOTS), ("python", "blind.py", "plan"))
INSIDE = BotSpec("inside", "python", str(BOTS / "chooser.py"))


def plan_of(family: str, *players: Player, rotations: int | None = None) -> MatchPlan:
    setup = setup_for(family, len(players), {}, "split")
    setup = replace(setup, rotations=setup.rotations[:rotations])
    return MatchPlan(1, KEY, setup, players, LIMITS, FaultPolicy())


class Table:
    """A server and a launcher; players keep their doors, and so their processes, from match to match."""

    def __init__(self, folder: str) -> None:
        self.launcher = Launcher()
        self.server = PlayServer([f"unix:{folder}/play"]).start()
        self.inbox: SimpleQueue[Answer] = SimpleQueue()
        self.doors: dict[Player, Door] = {}

    def door(self, player: Player) -> Door:
        if player not in self.doors:
            if player.bot.kind == "python":
                self.doors[player] = InProcessDoor(player.bot, self.inbox)
            else:
                self.doors[player] = launch_bot(
                    self.server, self.launcher, player.bot, self.inbox, start_s=LIMITS.start
                )
        return self.doors[player]

    def play(self, plan: MatchPlan) -> MatchResult:
        for player in plan.players:
            self.door(player)
        result = Driver(self.doors, self.inbox).play(plan)
        assert result.error == ""
        for game in result.games:
            verify(unpack(game.record))
        return result

    def leave(self, player: Player) -> None:
        self.doors.pop(player).close()

    def pid(self, player: Player) -> int:
        door = self.doors[player]
        assert isinstance(door, RemoteDoor)
        assert door.pid is not None
        return door.pid


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        made = Table(folder)
        yield made
        made.server.stop()
        made.launcher.close()


@dataclass
class Mail:
    """What the server sent down each stream, in order."""

    messages: dict[int, list[play_pb2.PlayResponse]]

    def questions(self, seat: int) -> list[play_pb2.Decide]:
        """All questions to a seat of the one game that was played."""
        return [
            question
            for sent in self.messages.values()
            if any(message.HasField("game_start") and message.game_start.seat == seat for message in sent)
            for message in sent
            for question in message.decides.decides
        ]


@pytest.fixture
def mail(monkeypatch: pytest.MonkeyPatch) -> Mail:
    """Reads along; everything is still sent."""
    messages: dict[int, list[play_pb2.PlayResponse]] = defaultdict(list)
    put = Stream._put  # questions in packed form are bytes without ever being a message

    def copy(stream: Stream, data: bytes) -> int:
        messages[id(stream)].append(play_pb2.PlayResponse.FromString(data))
        return put(stream, data)

    monkeypatch.setattr(Stream, "_put", copy)
    return Mail(messages)


def actions_of(record: Record, seat: int) -> list[int]:
    return [what for who, what in record.steps if who == seat and isinstance(what, int)]


@pytest.mark.parametrize("family", FAMILIES)
def test_two_processes_play_the_same_games_as_bots_in_this_one(table: Table, family: str) -> None:
    seats = game_of(family).seats
    outside = [Player("one", CHOOSER), Player("two", CHOOSER)]
    others = [Player(f"inside{number}", INSIDE) for number in range(seats - 2)]
    result = table.play(plan_of(family, *outside, *others))
    assert len({os.getpid(), *(table.pid(player) for player in outside)}) == 3
    assert all(game.faults == () for game in result.games)
    inside = [Player(player.name, INSIDE) for player in (*outside, *others)]
    same = table.play(plan_of(family, *inside))
    assert [game.record for game in same.games] == [game.record for game in result.games]


@pytest.mark.parametrize("watcher", [CHOOSER, BLIND], ids=["packed", "typed-with-events"])
def test_a_seats_messages_do_not_depend_on_what_the_other_has_hidden(
    table: Table, mail: Mail, watcher: BotSpec
) -> None:
    """The other seat plays two different games; up to the flip nobody can tell one from the other."""
    watching = Player("watcher", watcher, (("choice", "first"),))
    told: list[list[bytes]] = []
    hidden: list[list[int]] = []
    for choice in ("first", "last"):
        mail.messages.clear()
        other = Player("other", CHOOSER, (("choice", choice),))
        (game,) = table.play(plan_of("picks", other, watching, rotations=1)).games
        hidden.append(actions_of(unpack(game.record), 0)[:3])
        questions = mail.questions(seat=1)
        for question in questions:
            question.game_left_ms = 0
        table.leave(watching)
        told.append([question.SerializeToString(deterministic=True) for question in questions])
    assert set(hidden[0]) != set(hidden[1])
    assert len(told[0]) == len(told[1]) == 6
    assert told[0][:3] == told[1][:3]
    assert told[0][3] != told[1][3], "after the flip everybody knows"


def test_a_plan_of_hidden_choices_is_played_without_asking_and_ends_at_the_flip(
    table: Table, mail: Mail
) -> None:
    planner, other = Player("planner", PLANNER), Player("other", CHOOSER, (("choice", "last"),))
    (game,) = table.play(plan_of("picks", planner, other, rotations=1)).games
    assert game.faults == ()
    assert len(actions_of(unpack(game.record), 0)) == 6
    assert len(mail.questions(seat=0)) == 2, "one for each lap; the fourth card of the plan is not played"
    assert len(mail.questions(seat=1)) == 6


@pytest.mark.parametrize(("family", "phase"), [("reaction", "cancel"), ("consent", "consent")])
def test_a_process_that_dies_in_its_window_does_not_stop_the_others(
    table: Table, family: str, phase: str
) -> None:
    """Every other seat plays on, in this process and in another."""
    dying = Player("dying", CHOOSER, (("crash_in", phase),))
    players = [dying, Player("one", CHOOSER)]
    players += [Player(f"inside{number}", INSIDE) for number in range(game_of(family).seats - 2)]
    for game in table.play(plan_of(family, *players)).games:
        seat = game.players.index(0)
        faults = [(fault.seat, fault.kind, fault.action) for fault in game.faults]
        assert faults == [(seat, "crash", "retire")]
        assert game.scores[seat] == 0.0
        assert sum(game.scores) == pytest.approx(1.0)
