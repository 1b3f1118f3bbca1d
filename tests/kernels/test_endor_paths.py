"""The endor family's hidden choices through referee, driver, gRPC and what spectators see."""

from __future__ import annotations

import math
from random import Random

import grpc
import pytest
from test_proof_grpc import BLIND, CHOOSER, Mail, Table, actions_of, mail, plan_of, table
from test_proof_referee import RANDOM, WIDE, answer, match, play_on, referee_of

import engine_core
from arena.record import unpack
from arena.types import BotSpec, FaultPolicy, Player
from arena.v1 import spectator_pb2, spectator_pb2_grpc
from engine_core import Event, View

__all__ = ["mail", "table"]  # fixtures

VARIANTS = ("endor", "endor_teams")
CHOSEN = {"endor": 3, "endor_teams": 2}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_match_is_played_in_all_rotations_and_sides_share_the_score(variant: str) -> None:
    game = engine_core.load(variant)
    result = match(variant, [RANDOM] * game.seats, WIDE, FaultPolicy())
    assert len(result.games) == len(game.ruleset.rotations) == game.seats
    for played in result.games:
        assert played.faults == ()
        assert math.fsum(played.scores) == 1.0
        assert sorted(set(played.scores)) == [0.0, 2 / game.seats]
        winners = {seat for seat, score in enumerate(played.scores) if score}
        assert len({game.description.teams[seat] for seat in winners}) == 1
        assert len({played.placements[seat] for seat in winners}) == 1
    again = match(variant, [RANDOM] * game.seats, WIDE, FaultPolicy())
    assert [played.record for played in again.games] == [played.record for played in result.games]


def test_a_capped_game_is_a_draw_for_every_point_rule() -> None:
    game = engine_core.load("endor_teams", turn_cap=1)
    result = play_on(referee_of(game))
    assert result.termination == "turn_cap"
    assert result.scores == (0.25, 0.25, 0.25, 0.25)
    assert set(result.placements) == {(1, 4)}


def test_spectators_see_nothing_of_the_choice_before_all_are_done() -> None:
    shown: list[tuple[tuple[Event, ...], View]] = []
    referee = referee_of(
        engine_core.load("endor_teams"), watch=lambda events, view: shown.append((events, view))
    )
    texts: list[str] = []
    while referee.state.field("turn") == (-1,):
        for question in referee.questions():
            answer(referee, question, Random(question.decision_id).randrange(len(question.legal)))
        texts += [view.text() for events, view in shown[len(texts) :] if not events]
    assert len(set(texts)) == 1


def public_stream(table: Table, number: int) -> list[spectator_pb2.WatchResponse]:
    """What a spectator's stream brings of a game round's choices, each the offered one of that number."""
    feed = table.server.spectators.watch(plan_of("endor", Player("one", RANDOM), Player("two", RANDOM)), 0)
    referee = referee_of(engine_core.load("endor"), watch=feed)
    questions = referee.questions()
    with grpc.insecure_channel(table.server.addresses[0]) as channel:
        spectator = spectator_pb2_grpc.SpectatorServiceStub(channel)
        (live,) = spectator.Games(spectator_pb2.GamesRequest()).games
        stream = spectator.Watch(spectator_pb2.WatchRequest(game_id=live.game_id))
        seen = [next(stream), next(stream)]
        while referee.state.field("turn") == (-1,):
            for question in questions:
                answer(referee, question, number)
            questions = referee.questions()
        del feed, referee
        return [*seen, *stream]


def test_a_spectators_stream_does_not_depend_on_what_is_being_chosen(table: Table) -> None:
    """Three choices of both seats, and only the third, which ends in the flip, tells one from the other."""
    first, last = public_stream(table, 0), public_stream(table, -1)
    kinds = [word.WhichOneof("content") for word in first]
    assert kinds == [word.WhichOneof("content") for word in last]
    assert kinds == ["start", *["step"] * (len(kinds) - 2), "end"]
    steps = [[(word.step.events, word.step.view) for word in told[1:-1]] for told in (first, last)]
    assert len({view for _, view in steps[0][:-1]}) == 1
    assert steps[0][:-1] == steps[1][:-1]
    assert steps[0][-1] != steps[1][-1]


@pytest.mark.parametrize("variant", VARIANTS)
def test_processes_play_the_same_games_as_bots_in_this_one(table: Table, variant: str) -> None:
    seats = engine_core.load(variant).seats
    outside = [Player(f"player{number}", CHOOSER if number < 2 else RANDOM) for number in range(seats)]
    result = table.play(plan_of(variant, *outside))
    assert [game.faults for game in result.games] == [()] * len(result.games)
    again = table.play(plan_of(variant, *outside))
    assert [game.record for game in again.games] == [game.record for game in result.games]


@pytest.mark.parametrize("watcher", [CHOOSER, BLIND], ids=["packed", "typed-with-events"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_seats_messages_do_not_depend_on_what_the_others_have_hidden(
    table: Table, mail: Mail, variant: str, watcher: BotSpec
) -> None:
    """The first seat plays two different games; up to the flip the Empire cannot tell one from the other."""
    seats, chosen = engine_core.load(variant).seats, CHOSEN[variant]
    watching = Player("watcher", watcher, (("choice", "first"),))
    rest = [Player(f"rest{number}", RANDOM) for number in range(seats - 2)]
    told: list[list[bytes]] = []
    hidden: list[list[int]] = []
    for choice in ("first", "last"):
        mail.messages.clear()
        other = Player("other", CHOOSER, (("choice", choice),))
        (game,) = table.play(plan_of(variant, other, watching, *rest, rotations=1)).games
        hidden.append(actions_of(unpack(game.record), 0)[:chosen])
        questions = mail.questions(seat=1)
        for question in questions:
            question.game_left_ms = 0
        table.leave(watching)
        told.append([question.SerializeToString(deterministic=True) for question in questions])
    assert set(hidden[0]) != set(hidden[1])
    assert told[0][:chosen] == told[1][:chosen]
    assert told[0][chosen] != told[1][chosen], "after the flip everybody knows"
