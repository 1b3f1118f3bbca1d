"""Whoever watches a game through the server's stream learns no mission before the end."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event as Signal

import grpc
import pytest
from match_samples import checked
from wire_samples import LIMITS, RANDOM, Table, bundled, table, wait_until

import engine_core
from arena.driver import Driver
from arena.record import unpack, walk
from arena.server.spectate import Feed
from arena.setups import setup_for
from arena.types import FaultPolicy, MatchPlan, Player
from arena.v1 import spectator_pb2, spectator_pb2_grpc
from arena.wire import pack_events, unpack_events
from engine_core import Event, Game

PUBLIC = -1
TOLD_TO_ONE = ("mission", "mission_changed", "headquarters_picked", "card_taken")
WAIT_S = 60.0


@pytest.fixture(scope="module")
def shared() -> Iterator[Table]:
    with table() as made:
        yield made


def secret_match(options: dict[str, str | int]) -> MatchPlan:
    """Three seats with missions, one of them an external bot."""
    bots = (bundled("outrider"), RANDOM, RANDOM)
    players = tuple(Player(f"{number}-{bot.name}", bot) for number, bot in enumerate(bots))
    setup = setup_for("secret_mission", 3, {"turn_cap": 4, **options}, "split")
    return MatchPlan(1, bytes(range(16)), setup, players, LIMITS, FaultPolicy())


def watched(shared: Table, match: MatchPlan) -> tuple[str, list[spectator_pb2.WatchResponse], list[bytes]]:
    """(game id, what a spectator was sent, the records of the match) of the match's first game."""
    joined = Signal()

    def watch(plan: MatchPlan, rotation: int) -> Feed:
        assert rotation == 0 or joined.wait(WAIT_S)  # the first game goes on when it is watched
        return shared.server.spectators.watch(plan, rotation)

    shared.seat(match)
    driver = Driver(shared.doors, shared.inbox, watch=watch)
    with (
        grpc.insecure_channel(shared.server.addresses[0]) as channel,
        ThreadPoolExecutor(1) as background,
    ):
        spectator = spectator_pb2_grpc.SpectatorServiceStub(channel)
        playing = background.submit(driver.play, match)
        assert wait_until(lambda: spectator.Games(spectator_pb2.GamesRequest()).games, WAIT_S)
        (live,) = spectator.Games(spectator_pb2.GamesRequest()).games
        stream = spectator.Watch(spectator_pb2.WatchRequest(game_id=live.game_id))
        start = next(stream)
        joined.set()
        seen = [start, *stream]
        result = checked(playing.result())
    shared.leave()
    return live.game_id, seen, [game.record for game in result.games]


def check_step(game: Game, step: spectator_pb2.WatchStep) -> bool:
    """Whether the game is over; until then the view and the events say nothing that is secret."""
    view = game.unpack_view(step.view, PUBLIC)
    names = [game.description.events[event.kind].name for event in unpack_events(step.events)]
    assert not set(names) & set(TOLD_TO_ONE)
    if view.result().over:
        assert min(view.mission) >= 0
        return True
    assert set(view.mission) == {-1}
    assert set(view.mission_void) == {0}
    assert set(view.deck) == {-1}
    assert set(view.cards) <= {-1, 101, 102}
    assert view.decisions == 0
    assert "fulfilled" not in names
    return False


@pytest.mark.parametrize("options", [{}, {"headquarters": "hidden"}], ids=["missions", "headquarters too"])
def test_a_spectator_learns_no_mission_before_the_end(shared: Table, options: dict[str, str | int]) -> None:
    match = secret_match(options)
    game_id, seen, records = watched(shared, match)
    game = engine_core.load_resolved(seen[0].start.ruleset)
    steps = [response.step for response in seen if response.WhichOneof("content") == "step"]
    over = [check_step(game, step) for step in steps]
    assert over == [False] * (len(steps) - 1) + [True]
    record = unpack(records[int(game_id.split(".")[1])])
    *_, (state, _) = walk(record)
    assert game.unpack_view(steps[-1].view, PUBLIC).mission == state.mission


def test_what_the_stream_says_does_not_depend_on_missions(shared: Table) -> None:
    """The same actions with other missions: the same bytes go out, for as long as nobody wins."""
    _, _, records = watched(shared, secret_match({}))
    for packed in records:
        record = unpack(packed)
        game = engine_core.load_resolved(record.ruleset)
        state = game.new_state(record.key)
        other = game.unpack_position(changed(game, state.packed()), seed=record.key)
        assert other.mission != state.mission
        for seat, what in record.steps:
            assert isinstance(what, int)
            one, two = state.play(seat, what), other.play(seat, what)
            if state.result().over or other.result().over:
                break
            assert pack_events(public(one)) == pack_events(public(two))
            assert state.public_view().packed() == other.public_view().packed()
        assert state.decisions > 50


def public(events: list[Event]) -> tuple[Event, ...]:
    return tuple(event for event in events if event.visible_to(PUBLIC))


def changed(game: Game, position: bytes) -> bytes:
    """The position with the missions passed on round the table."""
    start, length = game.description.offset("mission")
    begin, cut, end = (4 * (start + 1 + words) for words in (0, length - 1, length))
    moved = position[:begin] + position[cut:end] + position[begin:cut] + position[end:]
    return clear(game, moved, "mission_void")


def clear(game: Game, position: bytes, name: str) -> bytes:
    """The position with zeros in a field; words are 4 bytes, and the first is the version."""
    start, length = game.description.offset(name)
    begin, end = 4 * (start + 1), 4 * (start + 1 + length)
    return position[:begin] + bytes(end - begin) + position[end:]
