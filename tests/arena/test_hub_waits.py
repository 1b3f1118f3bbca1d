"""What a served tournament waits for, and the lobby's clocks."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hub_house import SHORT, House, WaitClock, cup, first, remote

from arena.commands._serving import read_tournaments
from arena.errors import SpecError
from arena.hub.guests import NETWORK_S
from arena.types import Limits
from engine_core import ActionRange, Legal, View


def test_a_match_with_bots_of_this_host_waits_for_the_first_that_dials_in(house: House) -> None:
    """Nobody is missed while none is here, however long; the bots of this host do not count as company."""
    anna = house.token("anna")
    house.open(tournament=cup(remote("anna"), '"random"', connect=0.3))
    house.wait_for("waiting", players=("anna",))
    time.sleep(0.8)
    assert house.of("match_begun") == []
    house.bot(anna)
    house.wait_for("tournament_done")
    assert house.store.faults(house.store.tournament("cup").id) == ()
    house.wait_for("nothing_left")


def test_who_comes_second_has_the_connect_limit_from_when_the_first_came(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long ago the server was started and the match's turn came."""
    clock = WaitClock(monkeypatch)
    anna, bert = house.token("anna"), house.token("bert")
    house.open(tournament=cup(remote("anna"), remote("bert"), connect=600.0))
    house.wait_for("waiting")
    clock.ahead_s = 3600.0
    house.bot(anna)
    (alone, _) = house.wait_for("waiting", 2)
    assert alone.text == "cup: waits for anna v1, bert v1, for as long as none is here"
    (waiting,) = house.wait_for("waiting", players=("bert",))
    assert waiting.text == "cup: waits for bert v1, 600 s, then it is no_show"
    house.bot(bert)
    house.wait_for("tournament_done")
    assert house.store.faults(house.store.tournament("cup").id) == ()


def test_a_bot_that_comes_late_loses_a_match_a_wait_and_plays_the_others(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each match waits for itself, from when the last one was begun without the bot."""
    clock = WaitClock(monkeypatch)
    anna, bert = house.token("anna"), house.token("bert")
    file = cup(remote("anna"), remote("bert"), rounds=5, connect=600.0)
    house.open(tournament=f"{file}[faults]\nquarantine_after = 2\n")
    house.bot(anna)
    house.wait_for("waiting", players=("bert",))
    clock.ahead_s = 601.0
    house.wait_for("match_done")
    house.bot(bert)
    house.wait_for("tournament_done")
    identity = house.store.tournament("cup").id
    faults = house.store.faults(identity)
    assert {(fault.player, fault.kind, fault.sequence) for fault in faults} == {("bert", "no_show", 0)}
    assert house.store.quarantines(identity) == ()
    assert {game.sequence for game in house.store.games(identity)} == set(range(5))


def test_the_operator_says_how_long_matches_wait(tmp_path: Path) -> None:
    """For all tournaments of a server, whatever their files say; nothing else changes."""
    (tmp_path / "cup.toml").write_text(cup(remote("anna"), remote("bert"), connect=5.0))
    url = f"sqlite:///{tmp_path}/cup.db"
    (as_said,), (longer,) = (
        read_tournaments([tmp_path / "cup.toml"], url, wait_s) for wait_s in (None, 60.0)
    )
    assert as_said.limits.connect == 5.0
    assert longer == replace(as_said, limits=replace(as_said.limits, connect=60.0))


def test_players_that_have_no_account_are_named_before_anything_starts(house: House) -> None:
    house.token("anna")
    house.token("carl")
    house.store.tokens.revoke_player("carl")
    with pytest.raises(SpecError) as refused:
        house.open(tournament=cup(remote("anna"), remote("bert"), remote("carl")))
    assert str(refused.value).splitlines() == [
        "cup: not usable",
        f"players (bert): no such player; create it with `arena player add bert --db {house.store.url}`",
        "players (carl): all its tokens are revoked; make one with "
        f"`arena player token carl --db {house.store.url}`",
    ]
    assert house.store.tournaments() == ()


def test_one_tournament_has_bots_inside_the_server_and_the_next_has_programs(house: House) -> None:
    anna = house.token("anna")
    files = [house.folder / f"{name}.toml" for name in ("inside", "programs")]
    for file, bot in zip(files, ("random", "outrider"), strict=True):
        file.write_text(cup(remote("anna"), f'"{bot}"').replace('"cup"', f'"{file.stem}"'))
    for spec in read_tournaments(files, house.store.url):
        house.hub.add_tournament(spec)
    house.open()
    house.bot(anna)
    house.wait_for("tournament_done", 2, seconds=240.0)
    assert [house.store.tournament(file.stem).state for file in files] == ["finished"] * 2
    assert [house.store.faults(house.store.tournament(file.stem).id) for file in files] == [(), ()]


def dawdle(_view: View, legal: Legal) -> ActionRange:
    time.sleep(1.5)
    return legal[0]


def test_the_operator_sets_the_clocks_of_the_lobby(house: House) -> None:
    """A bot that is slow for them loses on time; the way over the network is told, and not counted.

    Slow enough for a crowded host, too, which excuses four times the limit.
    """
    anna, bert = house.token("anna"), house.token("bert")
    house.open(SHORT, limits=Limits(decision=0.25, game=60.0))
    house.bot(anna, dawdle)
    house.bot(bert, first)
    house.wait_for("match_done")
    faults = house.store.faults(house.store.tournament("lobby").id)
    slow = [fault for fault in faults if fault.player == "anna 1"]
    assert {fault.kind for fault in slow} == {"timeout"}
    assert slow[0].limit_ms == 250.0
    assert slow[0].transport_ms > 0.0
    assert "s transport, a margin of" in slow[0].message
    (joined,) = house.of("joined", bot="anna 1")
    network_ms = joined.facts["network_ms"]
    assert isinstance(network_ms, float)
    assert 0.0 < network_ms <= 1000.0 * NETWORK_S
