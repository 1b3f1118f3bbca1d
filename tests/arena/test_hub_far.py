"""A bot at the other end of a slow line: what the network takes is measured, and not billed as thinking."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from far_network import NEAR, far_away
from hub_samples import add_player, dialling_in, network, serving
from wire_samples import MOCK_BOTS

from arena.hub.guests import NETWORK_S

ONE_WAY_S, DECISION_S = 0.2, 0.3


def test_a_bot_that_is_far_away_loses_no_time_for_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], record_property: Callable[[str, object], None]
) -> None:
    """Question and answer take longer than a decision may; where no such line can be laid, nothing is far.

    Were that billed, no match would be without faults; a stall of the host may spoil one and another.
    """
    tokens = {name: add_player(tmp_path / "cup.db", name) for name in ("anna", "bert")}
    with ExitStack() as opened:
        places = opened.enter_context(network("anna"))
        host = opened.enter_context(far_away(places, "anna", ONE_WAY_S))
        line = f"a line of {1000.0 * ONE_WAY_S:g} ms each way" if host == NEAR else f"no line: {places.kind}"
        record_property("line", line)
        with capsys.disabled():
            print(f"\n[a bot dials in over {line}]", end=" ")
        arguments: list[str | Path] = ["--listen", f"{places.listen}:0", "--insecure"]
        arguments += ["--db", tmp_path / "cup.db"]
        lobby = ["--lobby", "endor:2,turn_cap=1", "--lobby-clocks", f"decision={DECISION_S}"]
        server = opened.enter_context(serving(*arguments, *lobby, prefix=places.prefix("server")))
        port = server.address.rpartition(":")[2]
        for name, where, at in (("anna", "anna", host), ("bert", "server", "127.0.0.1")):
            access = {"address": f"{at}:{port}", "token": tokens[name], "prefix": places.prefix(where)}
            opened.enter_context(dialling_in([sys.executable, "first_legal.py"], MOCK_BOTS, **access))
        server.wait_for("match_done", faults=[], seconds=300.0)
        joined, *_ = server.of("joined", bot="anna 1")
        server.kill()
    if host == NEAR:
        assert 2000.0 * ONE_WAY_S <= joined["network_ms"] <= 1000.0 * NETWORK_S
