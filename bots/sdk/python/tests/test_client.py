"""A bot against a real server over a real line: it plays, resumes what breaks, and says why it is refused."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import grpc
import pytest
from samples import SDK, asked, golden, opened, welcome

from conquest_arena_bot import Action, ActionRange, ArenaError, Legal, View, play, serve
from conquest_arena_bot.v1 import play_pb2, play_pb2_grpc

START, BATCH, _ = golden("classic")
PLATFORMS = SDK.parents[2] / "arena" / "dialling.py"
ONE, TWO = BATCH.decides[:2]

Requests = Iterator[play_pb2.PlayRequest]
Play = Callable[[Requests, grpc.ServicerContext, int], Iterator[play_pb2.PlayResponse]]


class Server(play_pb2_grpc.PlayServiceServicer):
    """Plays one side of the stream by a script; the script is told how many streams there have been."""

    def __init__(self, play: Play, *, tls: grpc.ServerCredentials | None = None) -> None:
        self._play = play
        self._streams = 0
        self.heard: list[play_pb2.PlayRequest] = []
        self._server = grpc.server(ThreadPoolExecutor(4))
        play_pb2_grpc.add_PlayServiceServicer_to_server(self, self._server)
        bind = self._server.add_insecure_port
        port = self._server.add_secure_port("localhost:0", tls) if tls else bind("localhost:0")
        self.address = f"localhost:{port}"

    def Play(self, requests: Requests, context: grpc.ServicerContext) -> Iterator[play_pb2.PlayResponse]:
        self._streams += 1
        yield from self._play(self._hear(requests), context, self._streams)

    def _hear(self, requests: Requests) -> Requests:
        for request in requests:
            self.heard.append(request)
            yield request

    def __enter__(self) -> Server:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop(0)


def first(_view: View, legal: Legal) -> ActionRange:
    return legal[0]


def one_question(requests: Requests, _context: object, _stream: int) -> Iterator[play_pb2.PlayResponse]:
    next(requests)
    yield from (welcome("here"), opened(START), asked(ONE))
    next(requests)


def test_c12_a_broken_stream_is_resumed_and_a_question_asked_again_is_answered_the_same() -> None:
    calls = 0

    def decide(_view: View, legal: Legal, rng: Random) -> Action:
        nonlocal calls
        calls += 1
        return legal.sample(rng)

    def script(
        requests: Requests, context: grpc.ServicerContext, stream: int
    ) -> Iterator[play_pb2.PlayResponse]:
        yield from one_question(requests, context, stream)
        if stream == 1:
            context.abort(grpc.StatusCode.UNAVAILABLE, "cut")
        yield asked(TWO)
        next(requests)

    with Server(script) as server:
        play(decide, address=server.address, token="secret")
    joins = [r.join for r in server.heard if r.WhichOneof("content") == "join"]
    assert [(join.token, join.connection_id, join.acknowledged) for join in joins] == [
        ("secret", "", 0),
        ("secret", "here", ONE.decision_id),
    ]
    acts = [act for request in server.heard for act in request.acts.acts]
    assert [act.decision_id for act in acts] == [ONE.decision_id, ONE.decision_id, TWO.decision_id]
    assert acts[0] == acts[1]
    assert calls == 2


def test_a_server_that_goes_away_is_no_error() -> None:
    def script(
        _requests: Requests, context: grpc.ServicerContext, _stream: int
    ) -> Iterator[play_pb2.PlayResponse]:
        yield welcome("here")
        context.abort(grpc.StatusCode.UNAVAILABLE, "going")

    with Server(script) as server:
        play(first, address=server.address)


def test_while_it_may_retry_it_dials_again_and_joins_anew() -> None:
    """The first stream ends well, the second is refused as still connected, the third plays on."""

    def script(
        requests: Requests, context: grpc.ServicerContext, stream: int
    ) -> Iterator[play_pb2.PlayResponse]:
        if stream == 2:
            context.abort(grpc.StatusCode.ALREADY_EXISTS, "still connected")
        if stream == 4:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "revoked")
        yield from one_question(requests, context, stream)

    with Server(script) as server, pytest.raises(ArenaError, match="revoked"):
        play(first, address=server.address, retry_s=20.0)
    joins = [r.join for r in server.heard if r.WhichOneof("content") == "join"]
    assert {join.connection_id for join in joins} == {""}
    assert len([act for request in server.heard for act in request.acts.acts]) == 2


def test_a_refusal_is_an_error_with_the_servers_words() -> None:
    def script(
        _requests: Requests, context: grpc.ServicerContext, _stream: int
    ) -> Iterator[play_pb2.PlayResponse]:
        context.abort(grpc.StatusCode.UNAUTHENTICATED, "unknown token")
        yield welcome("never")

    with Server(script) as server, pytest.raises(ArenaError, match="the token in ARENA_TOKEN: unknown token"):
        play(first, address=server.address)


def test_what_the_bot_raises_comes_through() -> None:
    def decide(_view: View, _legal: Legal) -> Action:
        raise ZeroDivisionError("bot's own trouble")

    with Server(one_question) as server, pytest.raises(ZeroDivisionError, match="bot's own trouble"):
        play(decide, address=server.address)


def test_it_says_what_to_set_and_whom_it_did_not_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_ADDRESS", raising=False)
    with pytest.raises(ArenaError, match=r"set ARENA_ADDRESS to host:port or unix:/path"):
        play(first)
    for address, why in (
        ("unix:/nowhere", r"No such file or directory"),
        ("127.0.0.1:1", r"Connection refused"),
        ("no.such.host.invalid:1", r"[Nn]ame"),
        ("no..host:1", r"no host can have this name"),
    ):
        with pytest.raises(
            ArenaError, match=rf"no server answers at {address} within 0\.2 s: .*\? \(.*{why}"
        ):
            play(first, address=address, connect_s=0.2)


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """A key and a self-made certificate for localhost."""
    key, made = folder / f"{name}.key", folder / f"{name}.pem"
    kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command = ["openssl", "req", *kind, "-keyout", key, "-out", made, *subject]
    subprocess.run(command, check=True, capture_output=True)
    return key, made


def test_arena_ca_turns_tls_on_and_is_the_only_certificate_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, mine = certificate(tmp_path, "mine")
    _, other = certificate(tmp_path, "other")
    tls = grpc.ssl_server_credentials([(key.read_bytes(), mine.read_bytes())])
    monkeypatch.setenv("ARENA_CA", str(mine))
    with Server(one_question, tls=tls) as server:
        play(first, address=server.address)
        assert [act.decision_id for r in server.heard for act in r.acts.acts] == [ONE.decision_id]
        with pytest.raises(ArenaError, match=r"that ARENA_CA \(.*other\.pem\) does not vouch for"):
            play(first, address=server.address, ca=str(other))
        with pytest.raises(ArenaError, match="speaks TLS: set ARENA_CA"):
            play(first, address=server.address, ca="")
    with Server(one_question) as server, pytest.raises(ArenaError, match="TLS: unset ARENA_CA"):
        play(first, address=server.address, ca=str(other))


@pytest.mark.parametrize("address", ["foo", ":50051", "foo:", "foo:port", "foo:0", "foo:70000"])
def test_serve_says_what_is_wrong_in_one_line_and_ends_the_process(address: str) -> None:
    with pytest.raises(SystemExit) as ended:
        serve(first, address=address)
    assert ended.value.code == f"first: ARENA_ADDRESS: {address} is neither host:port nor unix:/path"


def test_a_ca_that_is_no_certificate_is_named(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "none.pem", "No such file"), (Path(__file__), "it is no PEM file")):
        with pytest.raises(ArenaError, match=f"ARENA_CA: no certificate can be read from {path} .{why}"):
            play(first, address="127.0.0.1:1", ca=str(path))


def test_the_line_is_the_platforms_own() -> None:
    own, platforms = (path.read_text() for path in (SDK / "conquest_arena_bot/dialling.py", PLATFORMS))
    assert own == platforms.replace("from arena.errors", "from conquest_arena_bot.errors")
