"""The hub: who gets in, who plays whom, and what becomes of bots that stay away, leave, or come back."""

from __future__ import annotations

import sqlite3
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import grpc
import pytest
from click.testing import CliRunner
from hub_house import SHORT, House, WaitClock, cup, first, names_in, remote, slowly
from hub_samples import add_player, dialling_in, wait_until
from relay import Cutter
from wire_samples import MOCK_BOTS, status_of

from arena import spec
from arena.cli import cli
from arena.errors import SpecError
from arena.plugins import installed
from arena.server.connection import Refused, Stream
from arena.store import Store
from arena.types import BotSpec, Player
from arena.v1 import play_pb2, play_pb2_grpc, spectator_pb2, spectator_pb2_grpc
from engine_core import ActionRange, Legal, View


def try_to_join(house: House, **join: Any) -> tuple[grpc.StatusCode, str]:
    """Join by hand and leave again; the status and words of a refusal, or OK."""
    out: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()
    out.put(play_pb2.PlayRequest(join=play_pb2.Join(**join)))
    with grpc.insecure_channel(house.address) as channel:
        call = play_pb2_grpc.PlayServiceStub(channel).Play(iter(out.get, None), timeout=60.0)
        try:
            next(call)
        except grpc.RpcError as error:
            return status_of(error)
        finally:
            out.put(None)
        return grpc.StatusCode.OK, ""


# ---- who gets in


def test_d02_the_token_says_who_plays_and_a_name_is_a_label(house: House) -> None:
    """A bot that calls itself by another's name plays as its token's player."""
    house.open(SHORT)
    house.bot(house.token("anna"), name="bert")
    house.bot(house.token("carl"), name="bert")
    house.wait_for("match_done")
    house.token("bert")
    assert house.labels() == {"anna 1", "carl 1"}


def test_a_remote_player_is_no_bot_of_this_house_of_the_same_name(house: House) -> None:
    house.token("greedy")
    text = cup('{ remote = "greedy", name = "guest" }', '"greedy"')
    mixed = spec.parse(text, house.folder, installed(), source="cup")
    assert [player.bot.name for player in mixed.players] == ["remote:greedy", "greedy"]


def test_unknown_and_revoked_tokens_are_turned_away(house: House) -> None:
    token = house.token("anna")
    house.open(SHORT)
    assert try_to_join(house, token="guess")[0] is grpc.StatusCode.UNAUTHENTICATED
    assert try_to_join(house, token=token)[0] is grpc.StatusCode.OK
    house.store.tokens.revoke_player("anna")
    code, words = try_to_join(house, token=token)
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert "this token was revoked" in words
    house.wait_for("refused", 2)


def test_a_bot_is_asked_to_dial_again_while_the_database_cannot_be_written(house: House) -> None:
    house.open(SHORT)
    token = house.token("anna")
    with sqlite3.connect(house.database, timeout=60.0) as database:
        broken = "CREATE TRIGGER broken BEFORE UPDATE ON tokens BEGIN SELECT RAISE(ABORT, 'a disk'); END"
        database.execute(broken)
    code, words = try_to_join(house, token=token)
    assert code is grpc.StatusCode.UNAVAILABLE
    assert words == "the server cannot use its database at the moment; dial again in a while"
    (told,) = house.wait_for("refused")
    assert "since the database fails: sqlite:" in told.text  # for those who run it alone
    with sqlite3.connect(house.database, timeout=60.0) as database:
        database.execute("DROP TRIGGER broken")
    assert try_to_join(house, token=token)[0] is grpc.StatusCode.OK


def test_a_token_that_joins_again_and_again_is_slowed_down(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one is not; what was refused is not counted."""
    monkeypatch.setattr("arena.hub.guests.JOINS_AT_ONCE", 3)
    monkeypatch.setattr("arena.hub.guests.JOIN_EVERY_S", 600.0)
    anna, bert = house.token("anna"), house.token("bert")
    house.open(SHORT)
    joins = [try_to_join(house, token=anna, version=str(number)) for number in range(5)]
    assert [code for code, _ in joins[:3]] == [grpc.StatusCode.OK] * 3
    for code, words in joins[3:]:
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert words.startswith("too many joins with this token; try again in ")
        assert int(words.split()[-2]) <= 600
    assert try_to_join(house, token=bert)[0] is grpc.StatusCode.OK


def test_a_token_brings_few_new_versions_and_each_that_is_known(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has joined or has played is not new; nothing that has not played is entered."""
    monkeypatch.setattr("arena.hub.guests.VERSIONS_AT_ONCE", 2)
    anna, bert = house.token("anna"), house.token("bert")
    player = Player("anna 9", spec.remote_bot("anna", "9"))
    house.open(SHORT)
    house.store.add_entry(house.store.tournament("lobby").id, player)
    codes = [try_to_join(house, token=anna, version=version)[0] for version in ("1", "2", "1", "9")]
    assert codes == [grpc.StatusCode.OK] * 4
    code, words = try_to_join(house, token=anna, version="3")
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert words.startswith(
        "too many new versions with this token: 2 may come at once, one more every 3600 s;"
    )
    house.bot(anna, version="2")
    house.wait_for("joined", 2, bot="anna 2")
    time.sleep(0.5)
    assert house.labels() == {"anna 9"}
    house.bot(bert)
    house.wait_for("match_begun")
    assert house.labels() == {"anna 9", "anna 2", "bert 1"}


def test_two_peers_with_one_token_at_one_moment_are_not_mixed_up(house: House) -> None:
    """The address that counts is that of the stream which is let in."""
    guests, request = house.hub.guests, play_pb2.Join(token=house.token("anna"))
    here, there = (f"ipv4:192.0.2.{host}:50123" for host in (7, 8))
    door = guests.admit(request, here)
    assert door is not None
    assert guests.admit(request, there) is door
    door.attach(Stream(here), request)
    assert (door.host, door.peer) == ("192.0.2.7", ("192.0.2.7", 50123))
    with pytest.raises(Refused, match="connected already"):
        door.attach(Stream(there), request)
    assert door.host == "192.0.2.7"


def test_a_token_holds_one_connection_and_a_player_one_token(house: House) -> None:
    token, other = house.token("anna"), house.store.tokens.add_token("anna")
    house.open(SHORT)
    house.bot(token)
    house.wait_for("joined")
    assert try_to_join(house, token=token) == (
        grpc.StatusCode.ALREADY_EXISTS,
        "this token is connected already",
    )
    code, words = try_to_join(house, token=other)
    assert code is grpc.StatusCode.ALREADY_EXISTS
    assert "connected with another token of anna" in words
    assert try_to_join(house, token=other, version="2")[0] is grpc.StatusCode.OK


def test_a_new_version_is_a_new_player_and_takes_over_the_token(house: House) -> None:
    anna, bert = house.token("anna"), house.token("bert")
    house.open(SHORT)
    old = house.bot(anna)
    house.bot(bert)
    house.wait_for("match_done")
    assert try_to_join(house, token=anna, version="2")[0] is grpc.StatusCode.OK
    old.join(60.0)
    assert "its token joined again, as version 2" in house.errors[0]
    house.bot(anna, version="3")
    wait_until(lambda: house.labels() >= {"anna 1", "bert 1", "anna 3"}, "a third entry")


@pytest.mark.parametrize("version", ["-1", "a b", "x" * 41, "1\n2"])
def test_a_version_fits_a_table(house: House, version: str) -> None:
    house.open(SHORT)
    code, words = try_to_join(house, token=house.token("anna"), version=version)
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "use up to 40 letters" in words


def test_revoking_a_token_ends_the_stream_at_once_in_the_middle_of_a_match(house: House) -> None:
    """The match goes on without it: that is its fault `disconnect`, and counts."""
    anna, bert = house.token("anna"), house.token("bert")
    house.open("classic:2,turn_cap=40")
    revoked = house.bot(anna, slowly)
    house.bot(bert, slowly)
    house.wait_for("match_begun")
    house.store.tokens.revoke_player("anna")
    revoked.join(60.0)
    assert not revoked.is_alive()
    assert "its token was revoked" in house.errors[0]
    (done,) = house.wait_for("match_done")
    assert done.facts["points"] == {"anna 1": 0.0, "bert 1": 2.0}
    assert set(names_in(done, "faults")) == {"anna 1 disconnect"}


# ---- who stays away, leaves, comes back


def test_c15_a_remote_bot_that_stays_away_is_no_show_and_no_draw(house: House) -> None:
    """The side that is absent loses, the side that is there wins, the tournament ends, the server goes on."""
    anna, _ = house.token("anna"), house.token("bert")
    house.open(tournament=cup(remote("anna"), remote("bert"), rounds=2, connect=0.6))
    began = time.monotonic()
    house.bot(anna)
    house.wait_for("waiting", players=("bert",))
    house.wait_for("tournament_done")
    assert time.monotonic() - began > 0.4
    row = house.store.tournament("cup")
    assert (row.state, row.committed) == ("finished", 2)
    scores = [{seat.player: seat.score for seat in game.seats} for game in house.store.games(row.id)]
    assert scores == 4 * [{"anna": 1.0, "bert": 0.0}]
    faults = house.store.faults(row.id)
    assert {(fault.player, fault.kind) for fault in faults} == {("bert", "no_show")}
    told = [("cup", sequence, rotation) for sequence in range(2) for rotation in range(2)]
    assert sorted(house.games) == told  # what plugins hear, each game once
    assert "did not connect within 0.6 s of its match's turn" in faults[0].message
    assert house.of("failed") == []


def test_a_match_nobody_came_to_waits_and_is_played_when_they_come(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = WaitClock(monkeypatch)
    anna, bert = house.token("anna"), house.token("bert")
    house.open(tournament=cup(remote("anna"), remote("bert"), connect=600.0))
    house.wait_for("waiting", players=("anna", "bert"))
    clock.ahead_s = 3600.0
    time.sleep(1.0)
    assert house.of("match_begun") == []
    house.bot(anna)
    house.bot(bert)
    house.wait_for("tournament_done")
    assert house.store.faults(house.store.tournament("cup").id) == ()


def test_c15_two_that_never_come_win_nothing_and_hold_up_nobody(house: House) -> None:
    """At tables of two and three: who came wins; a match of the absent is nobody's; the tournament ends."""
    tokens = {name: house.token(name) for name in ("anna", "bert", "carl")}
    text = cup(*map(remote, tokens), connect=0.5).replace("seats = 2", "seats = [2, 3]")
    house.open(tournament=f"{text}[faults]\nquarantine_after = 1\n")
    house.bot(tokens["anna"])
    house.wait_for("tournament_done")
    row = house.store.tournament("cup")
    assert (row.state, row.committed) == ("finished", 4)
    missed, unrated = Counter[tuple[int, int, str]](), set[int]()
    for game in house.store.games(row.id):
        winners = {seat.player for seat in game.seats if seat.won}
        here = {seat.player for seat in game.seats} & {"anna"}
        assert winners == {seat.player for seat in game.seats if seat.score} == here
        last = (2, len(game.seats)) if here else (1, 2)
        for seat in game.seats:
            if seat.player not in here:
                assert seat.placement == last
                missed[game.sequence, game.rotation, seat.player] += 1
        if not here:
            unrated.add(game.sequence)
    faults = house.store.faults(row.id)
    assert Counter((fault.sequence, fault.rotation, fault.player) for fault in faults) == missed
    assert {fault.kind for fault in faults} == {"no_show"}
    rated = {change.sequence for change in house.store.rating_changes(row.id)}
    assert (len(unrated), rated) == (1, set(range(4)) - unrated)
    verified = CliRunner().invoke(cli, ["verify", "cup", "--all", "--db", house.store.url])
    assert verified.exit_code == 0, verified.output


def test_spectators_watch_what_remote_bots_play(house: House) -> None:
    tokens = [house.token(name) for name in ("anna", "bert")]
    house.open("classic:2,turn_cap=10")
    for token in tokens:
        house.bot(token, slowly)
    house.wait_for("match_begun")
    with grpc.insecure_channel(house.address) as channel:
        stub = spectator_pb2_grpc.SpectatorServiceStub(channel)
        seen: list[spectator_pb2.GamesResponse] = []

        def games() -> bool:
            seen.append(stub.Games(spectator_pb2.GamesRequest(), timeout=60.0))
            return bool(seen[-1].games)

        wait_until(games, "a game to watch")
        assert set(seen[-1].games[0].players) == {"anna 1", "bert 1"}


def test_a_process_that_starts_anew_gets_its_games_and_plays_on(house: House) -> None:
    """Killed in the middle of a match and started again by its keeper: no fault, the same match."""
    anna, bert = house.token("anna"), house.token("bert")
    house.open(tournament=cup(remote("anna"), remote("bert"), cap=20))
    house.bot(bert, slowly)
    command = [sys.executable, "first_legal.py"]
    with dialling_in(command, MOCK_BOTS, address=house.address, token=anna, again=True) as bot:
        house.wait_for("match_begun")
        time.sleep(0.3)
        bot.kill()
        house.wait_for("away", bot="anna 1")
        house.wait_for("back", bot="anna 1")
        (done,) = house.wait_for("match_done")
        assert len(bot.pids) >= 2  # or more, where it is back before its old connection is known to be dead
    assert done.facts["faults"] == []
    assert len(house.of("match_begun")) == 1


def test_the_clock_stands_still_while_a_bot_is_cut_off(tmp_path: Path) -> None:
    """Away for longer than its decision may take, and no fault: the time away is the line's."""
    house = House(tmp_path, resume_s=60.0)
    try:
        anna, bert = house.token("anna"), house.token("bert")
        house.open(tournament=cup(remote("anna"), remote("bert"), cap=4, decision=5.0))
        house.bot(bert)
        command = [sys.executable, "sleeps_when_cut.py", "8"]
        with dialling_in(command, MOCK_BOTS, address=house.address, token=anna) as bot:
            house.wait_for("back", bot="anna 1")
            (done,) = house.wait_for("match_done")
            assert bot.codes == []
        away, back = house.of("away", bot="anna 1")[0], house.of("back", bot="anna 1")[0]
        assert (back.time - away.time).total_seconds() > 5.0
        assert done.facts["faults"] == []
    finally:
        house.close()


def test_who_is_cut_off_for_too_long_in_all_is_disconnected(tmp_path: Path) -> None:
    """The allowance is one for the match: a second at least goes with every absence."""
    house = House(tmp_path, resume_s=3.0)
    try:
        anna, bert = house.token("anna"), house.token("bert")
        house.open(tournament=cup(remote("anna"), remote("bert"), cap=40))
        relay = Cutter(house.address)
        house.bot(bert, slowly)
        house.bot(anna, slowly, address=relay.address)
        house.wait_for("match_begun")
        for absences in range(1, 5):  # the fourth at the latest is one too many
            time.sleep(0.5)  # in the middle of its games
            relay.cut()
            house.wait_for("away", absences, bot="anna 1")
            wait_until(
                lambda: len(house.of("back")) + len(house.of("gone")) == len(house.of("away")), "a return"
            )
            if house.of("gone"):
                break
        (done,) = house.wait_for("match_done")
        relay.close()
        assert done.facts["points"] == {"anna": 0.0, "bert": 2.0}
        assert set(names_in(done, "faults")) == {"anna disconnect"}
    finally:
        house.close()


def test_a_bot_that_dials_again_finds_its_way_back(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ARENA_RETRY, what was given up meanwhile is joined anew: the connection is not known any more."""
    monkeypatch.setenv("ARENA_RETRY", "12")
    anna, bert = house.token("anna"), house.token("bert")
    house.open(SHORT)
    house.bot(anna)
    house.bot(bert)
    house.wait_for("match_done")
    door = house.hub.guests.find(spec.remote_bot("anna", "1"))
    assert door is not None
    with door._lock:
        door.cut()  # so that it does not hear what comes now
        door.dismiss("just for this test")
    house.wait_for("joined", 2, bot="anna 1")
    done = len(house.of("match_done"))
    house.wait_for("match_done", done + 2)


# ---- who plays whom


def most_games_at_once(house: House, token: str, most: list[int]) -> None:
    """Play the first legal action until the stream ends; note the largest number of games that were open."""
    out: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()
    out.put(play_pb2.PlayRequest(join=play_pb2.Join(token=token)))
    games: set[int] = set()
    with grpc.insecure_channel(house.address) as channel, suppress(grpc.RpcError):
        for message in play_pb2_grpc.PlayServiceStub(channel).Play(iter(out.get, None)):
            games |= {message.game_start.game} if message.HasField("game_start") else set()
            games -= {message.game_end.game} if message.HasField("game_end") else set()
            most.append(len(games))
            for asked in message.decides.decides:
                lowest = int.from_bytes(asked.legal[4:8], "little", signed=True)
                act = play_pb2.Act(decision_id=asked.decision_id, range=0, amount=lowest)
                out.put(play_pb2.PlayRequest(acts=play_pb2.ActBatch(acts=[act])))


def test_c13_a_bot_sits_at_one_table_at_a_time(house: House) -> None:
    """Offers that come together never seat it twice: tables are to spare, and a lobby is open beside."""
    names = ("anna", "bert", "carl", "dora")
    tokens = [house.token(name) for name in names]
    house.open(SHORT, tournament=cup(*map(remote, names), rounds=3))
    most: list[int] = []
    bots = [threading.Thread(target=most_games_at_once, args=(house, token, most)) for token in tokens]
    for bot in bots:
        bot.start()
    house.wait_for("tournament_done")
    house.wait_for("match_done", 3, tournament="lobby")
    house.close()
    for bot in bots:
        bot.join(60.0)
    assert max(most) == 2  # a match of two seats is two games


def test_c13_bots_are_claimed_all_or_none_by_one_of_many(house: House) -> None:
    """Claims from many threads: nobody is ever held twice, and everybody is free in the end."""
    bots = [spec.remote_bot(name, "1") for name in ("anna", "bert", "carl")]
    house.open()
    for bot in bots:
        house.bot(house.token(bot.target))
    house.wait_for("joined", 3)
    guests, held, clashes = house.hub.guests, set[BotSpec](), list[BotSpec]()

    def claim_and_release(number: int) -> None:
        for turn in range(200):
            wanted = [bots[(number + turn) % 3], bots[(number + turn + 1) % 3]]
            if (doors := guests.claim(wanted)) is not None:
                clashes.extend(held & doors.keys())
                held.update(doors)
                held.difference_update(doors)
                guests.release(doors.values())

    threads = [threading.Thread(target=claim_and_release, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    assert clashes == []
    assert len(guests.idle()) == 3
    assert guests.claim([*bots, spec.remote_bot("dora", "1")]) is None
    assert len(guests.idle()) == 3


def test_the_lobby_is_even_varied_and_rated(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among bots that came together: nobody moves before all are here, and all wait for the best opponent."""
    monkeypatch.setattr("arena.hub.lobby.PATIENCE_S", 600.0)
    names, all_here = ("anna", "bert", "carl", "dora"), threading.Event()

    def first_when_all_are_here(view: View, legal: Legal) -> ActionRange:
        assert all_here.wait(60.0)
        return first(view, legal)

    tokens = [house.token(name) for name in names]
    house.open(SHORT)
    for token in tokens:
        house.bot(token, first_when_all_are_here)
    house.wait_for("joined", 4)
    all_here.set()
    house.wait_for("match_done", 12)
    house.hub.stopping.set()
    pairs = Counter(tuple(sorted(names_in(event, "players"))) for event in house.of("match_begun"))
    assert len(pairs) == 6
    assert max(pairs.values()) - min(pairs.values()) <= 2
    games = Counter(name for event in house.of("match_begun") for name in names_in(event, "players"))
    assert max(games.values()) - min(games.values()) <= 2
    identity = house.store.tournament("lobby").id
    standings = house.store.leaderboard(tournament_id=identity)
    assert len(standings) == 4
    assert sum(standing.rating or 0.0 for standing in standings) == pytest.approx(6000.0)
    assert house.store.recompute_ratings(tournament_id=identity, repair=False).equal


def test_bots_of_this_host_play_with_those_that_dial_in(house: House) -> None:
    anna = house.token("anna")
    house.open(tournament=cup(remote("anna"), '"random"', '"outrider"'))
    house.bot(anna)
    house.wait_for("tournament_done", seconds=240.0)
    row = house.store.tournament("cup")
    assert (row.state, row.committed) == ("finished", 3)
    assert house.store.faults(row.id) == ()


def test_a_tournament_goes_on_where_it_was_and_is_not_played_twice(tmp_path: Path) -> None:
    text = cup(remote("anna"), remote("bert"), rounds=6)
    tokens = {name: add_player(tmp_path / "cup.db", name) for name in ("anna", "bert")}
    done = 0
    for stop_after in (2, 6, 6):
        house = House(tmp_path)
        try:
            house.open(tournament=text)
            for token in tokens.values():
                house.bot(token)
            if done < 6:
                house.wait_for("match_done", stop_after - done)
            else:
                house.wait_for("tournament_done")
                assert house.of("match_begun") == []
        finally:
            house.close()
        with Store(f"sqlite:///{tmp_path}/cup.db") as store:
            done = len(store.done_sequences(store.tournament("cup").id))
    with Store(f"sqlite:///{tmp_path}/cup.db") as store:
        assert [row.name for row in store.tournaments()] == ["cup"]
        assert store.tournament("cup").state == "finished"
    house = House(tmp_path)
    try:
        with pytest.raises(SpecError, match="was begun from another text"):
            house.open(tournament=text.replace("rounds = 6", "rounds = 7"))
    finally:
        house.close()


class Hold:
    """Bots that play until they are held: from then on one is in the middle of its match."""

    def __init__(self) -> None:
        self.asked, self.held, self.over = threading.Event(), threading.Event(), threading.Event()

    def first(self, view: View, legal: Legal) -> ActionRange:
        if self.asked.is_set():
            self.held.set()
            self.over.wait(60.0)
        return first(view, legal)

    def begin(self) -> None:
        self.asked.set()
        assert self.held.wait(60.0)


def test_a_number_whose_match_was_lost_is_given_to_the_next_pairing(tmp_path: Path) -> None:
    """A stop in the middle of a match leaves a number open; the next run fills it, and ratings go on."""
    tokens = [add_player(tmp_path / "cup.db", name) for name in ("anna", "bert", "carl", "dora")]
    lost: list[set[int]] = []
    for _ in range(2):
        house, hold = House(tmp_path), Hold()
        try:
            house.open(SHORT)
            for token in tokens:
                house.bot(token, hold.first)
            house.wait_for("match_done", 3)
            for number in lost[0] if lost else ():
                house.wait_for("match_done", match=number)
            hold.begin()
            house.hub.stopping.set()
        finally:
            hold.over.set()
            house.close()
        with Store(f"sqlite:///{tmp_path}/cup.db") as store:
            row = store.tournament("lobby")
            done = store.done_sequences(row.id)
            lost.append(set(range(row.total)) - set(done))
    assert lost[0]
    assert not lost[0] & lost[1]
    assert max(lost[0]) < done.prefix
    with Store(f"sqlite:///{tmp_path}/cup.db") as store:
        assert {change.sequence for change in store.rating_changes(row.id)} == set(range(done.prefix))
        assert store.recompute_ratings(tournament_id=row.id, repair=False).equal


def test_e17_who_only_faults_is_kept_out_of_the_lobby(tmp_path: Path) -> None:
    """Quarantine holds for rated games, too; a new version is back."""
    house = House(tmp_path, resume_s=1.0)
    try:
        anna, bert = house.token("anna"), house.token("bert")
        house.open(SHORT)
        house.bot(bert)
        command, access = [sys.executable, "crash_mid_game.py"], {"address": house.address, "token": anna}
        with dialling_in(command, MOCK_BOTS, again=True, **access):
            (told,) = house.wait_for("quarantined", seconds=300.0)
        assert (told.facts["player"], told.facts["tournament"]) == ("anna 1", "lobby")
        begun = len(house.of("match_begun"))
        house.bot(anna, version="2")
        house.wait_for("match_begun", begun + 1)
        assert set(names_in(house.of("match_begun")[-1], "players")) == {"anna 2", "bert 1"}
    finally:
        house.close()
