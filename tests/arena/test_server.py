"""The server's services as a stranger meets them: health, reflection, joining, rules, spectators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event as Signal
from typing import Any
from weakref import KeyedRef

import grpc
import pytest
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from wire_samples import LIMITS, RANDOM, Table, bundled, plan, status_of, table, wait_until

import engine_core
from arena.driver import Driver
from arena.errors import ArenaError
from arena.scores import Facts, scores
from arena.server import PlayServer
from arena.server.spectate import Feed, Spectators
from arena.types import MatchPlan
from arena.v1 import engine_pb2, engine_pb2_grpc, play_pb2, play_pb2_grpc, spectator_pb2, spectator_pb2_grpc
from arena.wire import action_message, unpack_events
from engine_core import Action

NO_CONTEXT: Any = None


@pytest.fixture(scope="module")
def shared() -> Iterator[Table]:
    with table() as made:
        yield made


@pytest.fixture(params=[0, 1], ids=["unix", "tcp"])
def channel(shared: Table, request: pytest.FixtureRequest) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(shared.server.addresses[request.param]) as made:
        yield made


@pytest.fixture
def engine(channel: grpc.Channel) -> engine_pb2_grpc.EngineServiceStub:
    return engine_pb2_grpc.EngineServiceStub(channel)


# ---- the server


def test_addresses_are_the_bound_ones(shared: Table) -> None:
    unix, tcp = shared.server.addresses
    assert unix.startswith("unix:/")
    assert tcp.startswith("127.0.0.1:")
    assert int(tcp.rpartition(":")[2]) > 0


def test_address_in_use_is_named(shared: Table) -> None:
    with pytest.raises(ArenaError, match=f"cannot serve on {shared.server.addresses[1]}"):
        PlayServer([shared.server.addresses[1]])


def test_every_service_is_healthy_and_reflected(channel: grpc.Channel) -> None:
    services = set(ProtoReflectionDescriptorDatabase(channel).get_services())
    ours = {f"arena.v1.{name}Service" for name in ("Play", "Engine", "Spectator")}
    assert ours <= services
    health: Any = health_pb2_grpc.HealthStub(channel)  # its types name no methods
    for service in (*ours, ""):
        answer = health.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_token_in_use_is_refused(shared: Table) -> None:
    door = shared.server.door("one", shared.inbox, start_s=120.0, token="same")
    with pytest.raises(ArenaError, match="the token of two is in use"):
        shared.server.door("two", shared.inbox, start_s=120.0, token="same")
    door.close()
    shared.server.door("two", shared.inbox, start_s=120.0, token="same").close()


# ---- joining


def opened(channel: grpc.Channel, *requests: play_pb2.PlayRequest) -> Iterator[play_pb2.PlayResponse]:
    """The server's side of a new stream; it stays open for as long as this is kept."""
    waiting: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()
    for request in requests:
        waiting.put(request)
    return play_pb2_grpc.PlayServiceStub(channel).Play(iter(waiting.get, None), timeout=120.0)


def join(token: str, **more: Any) -> play_pb2.PlayRequest:
    return play_pb2.PlayRequest(join=play_pb2.Join(token=token, **more))


def refusal(channel: grpc.Channel, *requests: play_pb2.PlayRequest) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.RpcError) as caught:
        next(opened(channel, *requests))
    return status_of(caught.value)


def test_unknown_token_is_unauthenticated(channel: grpc.Channel) -> None:
    code, words = refusal(channel, join("guess"))
    assert code == grpc.StatusCode.UNAUTHENTICATED
    assert "ARENA_TOKEN" in words


def test_stream_must_open_with_join(channel: grpc.Channel) -> None:
    code, words = refusal(channel, play_pb2.PlayRequest(log=play_pb2.Log(text="hello")))
    assert (code, words) == (grpc.StatusCode.INVALID_ARGUMENT, "the first message of a stream must be Join")


def test_join_has_the_size_limit_of_every_message(shared: Table, channel: grpc.Channel) -> None:
    door = shared.server.door("big", shared.inbox, start_s=120.0)
    code, words = refusal(channel, join(door.token, name="x" * 2**20))
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert "1048576 are allowed" in words
    door.close()


def test_d02_name_is_a_label_and_token_the_identity(shared: Table, channel: grpc.Channel) -> None:
    door = shared.server.door("real", shared.inbox, start_s=120.0)
    assert refusal(channel, join("", name="real"))[0] == grpc.StatusCode.UNAUTHENTICATED
    assert next(opened(channel, join(door.token, name="somebody else"))).HasField("welcome")
    door.close()


def test_second_process_with_a_token_is_refused(shared: Table, channel: grpc.Channel) -> None:
    door = shared.server.door("bot", shared.inbox, start_s=120.0)
    stream = opened(channel, join(door.token))
    assert next(stream).HasField("welcome")
    assert refusal(channel, join(door.token))[0] == grpc.StatusCode.ALREADY_EXISTS
    door.close()


def test_connection_that_never_was_cannot_be_resumed(shared: Table, channel: grpc.Channel) -> None:
    door = shared.server.door("bot", shared.inbox, start_s=120.0)
    assert refusal(channel, join(door.token, connection_id="made up"))[0] == grpc.StatusCode.NOT_FOUND
    door.close()


def test_nobody_joins_is_a_no_show(shared: Table) -> None:
    door = shared.server.door("absent", shared.inbox, start_s=0.1)
    door.expect()
    assert wait_until(lambda: door.fault)
    assert door.fault == ("no_show", "nobody joined with the bot's token within 0.1 s")
    door.close()


# ---- rules questions


def test_variants_lists_what_the_engine_has(engine: engine_pb2_grpc.EngineServiceStub) -> None:
    listed = {variant.name: variant for variant in engine.Variants(engine_pb2.VariantsRequest()).variants}
    assert set(listed) == set(engine_core.variants())
    classic = engine_core.variants()["classic"]
    assert (listed["classic"].seats_lo, listed["classic"].seats_hi) == classic.seats
    assert [option.name for option in listed["classic"].options] == [
        option.name for option in classic.options
    ]


def test_resolve_gives_the_ruleset_that_load_makes(engine: engine_pb2_grpc.EngineServiceStub) -> None:
    options = {"turn_cap": "7", "defender_dice": "max"}
    answer = engine.Resolve(engine_pb2.ResolveRequest(variant="classic", seats=4, options=options))
    game = engine_core.load("classic", seats=4, turn_cap=7, defender_dice="max")
    assert (answer.ruleset, answer.ruleset_hash) == (game.ruleset.text, game.ruleset.hash)
    assert list(answer.rules.territories) == list(game.description.territories)


def move(seat: int, action: Action) -> engine_pb2.Move:
    return engine_pb2.Move(seat=seat, action=action_message(int(action)))


def test_game_through_the_service_equals_the_engines(engine: engine_pb2_grpc.EngineServiceStub) -> None:
    """Every step by position text and key: legal ranges, events, positions and the final scores."""
    game = engine_core.load("classic", seats=3, turn_cap=2)
    seed = bytes(range(16))
    state = game.new_state(seed)
    setup = engine.Setup(engine_pb2.SetupRequest(ruleset=game.ruleset.text, seed=seed))
    assert (setup.position, tuple(setup.pending)) == (state.text(), state.pending())
    position, steps = setup.position, 0
    while pending := state.pending():
        here = engine_pb2.Situation(ruleset=game.ruleset.text, position=position, seed=seed)
        (legal,) = engine.Legal(engine_pb2.LegalRequest(situation=here)).seats
        (seat,) = pending
        ranges = state.legal(seat)
        assert legal.seat == seat
        assert [(r.kind, r.a, r.b, r.c, r.lo, r.hi) for r in legal.ranges] == [
            (r.kind, r.a, r.b, r.c, r.lo, r.hi) for r in ranges
        ]
        action = ranges.pick(7 * steps)
        played = engine.Apply(engine_pb2.ApplyRequest(situation=here, moves=[move(seat, action)]))
        events = state.play(seat, action)
        assert [(e.kind, e.n, tuple(e.dice)) for e in played.events] == [
            (e.kind, e.n, e.dice) for e in events
        ]
        assert (played.position, tuple(played.pending)) == (state.text(), state.pending())
        position, steps = played.position, steps + 1
    there = engine_pb2.Situation(ruleset=game.ruleset.text, position=position)
    answer = engine.Score(engine_pb2.ScoreRequest(situation=there))
    assert (answer.over, answer.termination) == (True, state.result().termination)
    assert tuple(answer.scores) == scores(Facts.of(state.result()), "split")
    assert steps > 100


def middle() -> tuple[engine_core.State, str]:
    """A state after the set-up, and its ruleset."""
    state = engine_core.load("classic", seats=3, setup="deal").new_state(3)
    for number in range(150):
        state.apply(state.pending()[0], state.legal(state.pending()[0]).pick(number))
    return state, state.game.ruleset.text


def test_view_is_filled_in_by_the_seed(engine: engine_pb2_grpc.EngineServiceStub) -> None:
    """A bot can search from what it sees: text and packed view give the same, legal answers included."""
    state, ruleset = middle()
    (seat,) = state.pending()
    view = state.view(seat)
    ours = [(r.kind, r.a, r.b, r.c, r.lo, r.hi) for r in state.legal(seat)]
    for source in ({"view": view.text()}, {"packed_view": view.packed()}):
        situation = engine_pb2.Situation(ruleset=ruleset, seat=seat, seed=b"x", **source)
        (legal,) = engine.Legal(engine_pb2.LegalRequest(situation=situation)).seats
        assert [(r.kind, r.a, r.b, r.c, r.lo, r.hi) for r in legal.ranges] == ours
    positions = {
        engine.Apply(
            engine_pb2.ApplyRequest(
                situation=engine_pb2.Situation(ruleset=ruleset, seat=seat, seed=seed, view=view.text())
            )
        ).position
        for seed in (b"x", b"x", b"y")
    }
    assert len(positions) == 2


def test_score_of_a_running_game_has_facts_and_no_scores(engine: engine_pb2_grpc.EngineServiceStub) -> None:
    state, ruleset = middle()
    situation = engine_pb2.Situation(ruleset=ruleset, position=state.text())
    answer = engine.Score(engine_pb2.ScoreRequest(situation=situation))
    assert (answer.over, answer.termination, list(answer.scores)) == (False, "", [])
    assert tuple(answer.territories) == state.result().territories


def test_what_is_wrong_with_a_question_is_said(engine: engine_pb2_grpc.EngineServiceStub) -> None:
    state, ruleset = middle()
    here = engine_pb2.Situation(ruleset=ruleset, position=state.text())
    (seat,) = state.pending()
    wrong: list[tuple[Callable[[Any], object], Message, str]] = [
        (engine.Resolve, engine_pb2.ResolveRequest(variant="clasic"), "classic"),
        (engine.Resolve, engine_pb2.ResolveRequest(variant="classic", options={"turncap": "3"}), "turn_cap"),
        (
            engine.Resolve,
            engine_pb2.ResolveRequest(variant="classic", options={"turn_cap": '"x"'}),
            "turn_cap",
        ),
        (engine.Setup, engine_pb2.SetupRequest(ruleset="{}"), ""),
        (engine.Setup, engine_pb2.SetupRequest(ruleset=ruleset + " " * 2**20), "1048576 are allowed"),
        (engine.Setup, engine_pb2.SetupRequest(ruleset=ruleset, seed=bytes(17)), "at most 16"),
        (engine.Legal, engine_pb2.LegalRequest(), ""),
        (engine.Legal, engine_pb2.LegalRequest(situation=engine_pb2.Situation(ruleset=ruleset)), "neither"),
        (
            engine.Legal,
            engine_pb2.LegalRequest(
                situation=engine_pb2.Situation(ruleset=ruleset, seat=9, packed_view=state.packed())
            ),
            "0..2",
        ),
        (
            engine.Apply,
            engine_pb2.ApplyRequest(situation=here, moves=[move(seat, Action(6, 0, 0, 0, 3))]),
            f"seat {seat} may not play",
        ),
        (engine.Score, engine_pb2.ScoreRequest(situation=here, point_rule="best"), "split, adjudicate, void"),
    ]
    for method, request, words in wrong:
        with pytest.raises(grpc.RpcError) as caught:
            method(request)
        assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert words in status_of(caught.value)[1]


# ---- spectators


def test_spectator_sees_the_public_game_to_its_end(shared: Table) -> None:
    """Watched from the first step on: every view hides hands and deck, and the last word is the result."""
    game = plan(RANDOM, RANDOM, cap=2)
    with grpc.insecure_channel(shared.server.addresses[0]) as channel:
        spectator = spectator_pb2_grpc.SpectatorServiceStub(channel)
        feed = shared.server.spectators.watch(game, 0)
        state = engine_core.load_resolved(game.setup.ruleset).new_state(game.key)
        feed((), state.public_view())
        (live,) = spectator.Games(spectator_pb2.GamesRequest()).games
        assert list(live.players) == [player.name for player in game.players]
        stream = spectator.Watch(spectator_pb2.WatchRequest(game_id=live.game_id))
        seen = [next(stream), next(stream)]
        steps = 0
        while pending := state.pending():
            seat = pending[0]
            events = state.play(seat, state.legal(seat).pick(steps))
            feed(tuple(event for event in events if event.visible_to(-1)), state.public_view())
            steps += 1
        seen += list(stream)
        assert list(spectator.Games(spectator_pb2.GamesRequest()).games) == []
    assert [word.WhichOneof("content") for word in seen] == ["start", *["step"] * (steps + 1), "end"]
    assert seen[0].start.ruleset == game.setup.ruleset
    assert seen[-2].step.view == state.public_view().packed()
    assert unpack_events(seen[-2].step.events)
    assert (seen[-1].end.termination, tuple(seen[-1].end.winners)) == (
        state.result().termination,
        state.result().winners,
    )


def test_game_that_is_broken_off_ends_its_watchers_streams(shared: Table) -> None:
    with grpc.insecure_channel(shared.server.addresses[0]) as channel:
        spectator = spectator_pb2_grpc.SpectatorServiceStub(channel)
        game = plan(RANDOM, RANDOM)
        feed = shared.server.spectators.watch(game, 1)
        feed((), engine_core.load_resolved(game.setup.ruleset).new_state(1).public_view())
        (live,) = spectator.Games(spectator_pb2.GamesRequest()).games
        stream = spectator.Watch(spectator_pb2.WatchRequest(game_id=live.game_id))
        assert [next(stream).WhichOneof("content") for _ in range(2)] == ["start", "step"]
        del feed
        assert [(word.WhichOneof("content"), word.end.termination) for word in stream] == [("end", "")]


def test_games_are_listed_while_others_begin() -> None:
    """Tables have threads of their own: one begins a game whenever the list looks at the first one."""
    spectators, game = Spectators(), plan(RANDOM, RANDOM)
    feed = spectators.watch(game, 0)
    feed((), engine_core.load_resolved(game.setup.ruleset).new_state(1).public_view())
    begun: list[Feed] = []

    class LookedAt(KeyedRef[str, Feed]):
        def __call__(self) -> Feed | None:
            begun.append(spectators.watch(game, 1))
            return super().__call__()

    (name,) = spectators._feeds
    vars(spectators._feeds)["data"][name] = LookedAt(feed, lambda _: None, name)
    listed = spectators.Games(spectator_pb2.GamesRequest(), NO_CONTEXT).games
    assert ([live.game_id for live in listed], len(begun)) == ([name], 1)


def test_drivers_games_can_be_watched(shared: Table) -> None:
    """Through the driver's own hook, against an external bot."""
    game = plan(bundled("outrider"), RANDOM, cap=4)
    shared.seat(game)
    watched = Signal()

    def watch(match: MatchPlan, rotation: int) -> Feed:
        assert rotation == 0 or watched.wait(LIMITS.decision)  # the first game goes on when it is watched
        return shared.server.spectators.watch(match, rotation)

    driver = Driver(shared.doors, shared.inbox, watch=watch)
    with (
        grpc.insecure_channel(shared.server.addresses[1]) as channel,
        ThreadPoolExecutor(1) as background,
    ):
        spectator = spectator_pb2_grpc.SpectatorServiceStub(channel)
        playing = background.submit(driver.play, game)
        assert wait_until(lambda: spectator.Games(spectator_pb2.GamesRequest()).games)
        (live,) = spectator.Games(spectator_pb2.GamesRequest()).games
        stream = spectator.Watch(spectator_pb2.WatchRequest(game_id=live.game_id))
        assert next(stream).HasField("start")
        watched.set()
        *_, last = stream
        result = playing.result()
    shared.leave()
    rotation = int(live.game_id.split(".")[1])
    assert last.end.termination == result.games[rotation].termination
    assert tuple(last.end.winners) == result.games[rotation].winners


def test_game_that_is_not_played_cannot_be_watched(channel: grpc.Channel) -> None:
    stub = spectator_pb2_grpc.SpectatorServiceStub(channel)
    with pytest.raises(grpc.RpcError) as caught:
        next(stub.Watch(spectator_pb2.WatchRequest(game_id="1.0.999")))
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND
