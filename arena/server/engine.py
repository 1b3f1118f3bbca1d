"""EngineService: questions about the rules, answered by the engine; nothing is kept but loaded rulesets."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar, cast

import grpc
from google.protobuf.message import Message

import engine_core
from arena import wire
from arena.scores import Facts, scores
from arena.server.flood import MAX_MESSAGE_BYTES
from arena.types import PointRule
from arena.v1 import engine_pb2 as pb
from arena.v1 import engine_pb2_grpc
from engine_core import EngineError, Game, OptionValue, State, Variant

SERVICE = pb.DESCRIPTOR.services_by_name["EngineService"].full_name
POINT_RULES = ("split", "adjudicate", "void")
KEY_BYTES = 16
_load = lru_cache(maxsize=64)(engine_core.load_resolved)

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response")


class EngineService(engine_pb2_grpc.EngineServiceServicer):
    """Every method is a pure function of its request."""

    def Variants(self, request: pb.VariantsRequest, context: grpc.ServicerContext) -> pb.VariantsResponse:
        """List the variants."""
        return _checked(_variants, request, context)

    def Resolve(self, request: pb.ResolveRequest, context: grpc.ServicerContext) -> pb.ResolveResponse:
        """Turn a name and options into a whole ruleset."""
        return _checked(_resolve, request, context)

    def Setup(self, request: pb.SetupRequest, context: grpc.ServicerContext) -> pb.SetupResponse:
        """Set up a new game."""
        return _checked(_setup, request, context)

    def Legal(self, request: pb.LegalRequest, context: grpc.ServicerContext) -> pb.LegalResponse:
        """Tell who may do what."""
        return _checked(_legal, request, context)

    def Apply(self, request: pb.ApplyRequest, context: grpc.ServicerContext) -> pb.ApplyResponse:
        """Play actions."""
        return _checked(_apply, request, context)

    def Score(self, request: pb.ScoreRequest, context: grpc.ServicerContext) -> pb.ScoreResponse:
        """Tell how a game stands."""
        return _checked(_score, request, context)


def _checked(
    answer: Callable[[Request], Response], request: Request, context: grpc.ServicerContext
) -> Response:
    """The answer, or INVALID_ARGUMENT with the engine's sentence; anybody may ask, but not at any length."""
    try:
        if (size := request.ByteSize()) > MAX_MESSAGE_BYTES:
            raise ValueError(f"a request of {size} bytes; {MAX_MESSAGE_BYTES} are allowed")
        return answer(request)
    except (EngineError, ValueError) as error:
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))


def _variants(_request: pb.VariantsRequest) -> pb.VariantsResponse:
    return pb.VariantsResponse(
        variants=[_variant(variant) for _, variant in sorted(engine_core.variants().items())]
    )


def _variant(variant: Variant) -> pb.Variant:
    options = [
        pb.Option(
            name=option.name, allowed=option.allowed, default=json.dumps(option.default), summary=option.doc
        )
        for option in variant.options
    ]
    lo, hi = variant.seats
    return pb.Variant(
        name=variant.name,
        family=variant.family,
        seats_lo=lo,
        seats_hi=hi,
        summary=variant.summary,
        options=options,
    )


def _resolve(request: pb.ResolveRequest) -> pb.ResolveResponse:
    options = {key: _option_value(text) for key, text in request.options.items()}
    game = engine_core.load(request.variant, seats=request.seats or None, **options)
    return pb.ResolveResponse(
        ruleset=game.ruleset.text,
        ruleset_hash=game.ruleset.hash,
        rules=wire.rules_message(game.description),
    )


def _option_value(text: str) -> OptionValue:
    """A JSON value; what is not JSON is a bare word. The engine checks the type."""
    try:
        return cast(OptionValue, json.loads(text))
    except ValueError:
        return text


def _setup(request: pb.SetupRequest) -> pb.SetupResponse:
    state = _load(request.ruleset).new_state(_key(request.seed))
    return pb.SetupResponse(position=state.text(), pending=state.pending())


def _legal(request: pb.LegalRequest) -> pb.LegalResponse:
    state = _state(request.situation)
    return pb.LegalResponse(
        seats=[
            pb.SeatLegal(seat=seat, ranges=wire.range_messages(state.legal(seat))) for seat in state.pending()
        ]
    )


def _apply(request: pb.ApplyRequest) -> pb.ApplyResponse:
    state = _state(request.situation)
    state.script(request.dice)
    events = []
    for move in request.moves:
        events += state.play(move.seat, wire.action_code(move.action))
    return pb.ApplyResponse(
        position=state.text(), events=wire.event_messages(events), pending=state.pending()
    )


def _score(request: pb.ScoreRequest) -> pb.ScoreResponse:
    rule = request.point_rule or "split"
    if rule not in POINT_RULES:
        raise ValueError(f"point_rule {rule!r} is not known; valid: {', '.join(POINT_RULES)}")
    state = _state(request.situation)
    result = state.result()
    message = pb.ScoreResponse(
        over=result.over,
        winners=result.winners,
        survivors=result.survivors,
        eliminated_at=result.eliminated_at,
        territories=result.territories,
        troops=result.troops,
        laps=result.lap,
    )
    if result.over:
        teams = state.game.description.teams
        message.termination = result.termination
        message.scores.extend(scores(Facts.of(result), cast(PointRule, rule), teams))
    return message


def _state(situation: pb.Situation) -> State:
    game: Game = _load(situation.ruleset)
    key = _key(situation.seed)
    source = situation.WhichOneof("source")
    if source == "position":
        return game.position(situation.position, seed=key)
    if source == "view":
        return game.view(situation.view, _seat(situation.seat, game)).resample(key)
    if source == "packed_view":
        return game.unpack_view(situation.packed_view, _seat(situation.seat, game)).resample(key)
    raise ValueError("situation: gives neither position, view nor packed_view")


def _seat(seat: int, game: Game) -> int:
    if not -1 <= seat < game.seats:
        raise ValueError(f"situation.seat: {seat} is not a seat; valid: 0..{game.seats - 1}, -1 the public")
    return seat


def _key(seed: bytes) -> bytes:
    if len(seed) > KEY_BYTES:
        raise ValueError(f"seed: has {len(seed)} bytes; at most {KEY_BYTES} are allowed")
    return seed.ljust(KEY_BYTES, b"\0")
