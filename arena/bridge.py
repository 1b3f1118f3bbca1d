"""Lets a bot that speaks JSON lines dial in: its lines on one side, a gRPC stream on the other.

The bot knows nothing of breaks: what is sent again after one it gets once, and what it has answered is
answered again for it. When its games are lost with the server, it is started anew.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from arena.dialling import CONNECT_S, Line
from arena.errors import ArenaError
from arena.server.jsonlines import CHUNK_BYTES, Lines, Piece
from arena.server.spelling import line_of, request_of
from arena.session import Session, Stream
from arena.v1 import play_pb2

SOURCES = Path(__file__).resolve().parents[1]
# How long a bot may take to say its join, and to go when its input has ended; its keeper, to end the rest.
START_S, GO_S, CLEAR_S = 10.0, 2.0, 5.0
# How long a bot may leave its input full; long enough for one that thinks about a question that is over.
READ_S = 60.0
_REMEMBERED_ANSWERS = 4096


class LinesBot:
    """A process that speaks JSON lines; `hear` gets each of its messages behind the join, `ended` its end."""

    def __init__(
        self,
        command: Sequence[str],
        hear: Callable[[LinesBot, play_pb2.PlayRequest], None],
        ended: Callable[[LinesBot], None],
    ) -> None:
        """Start it and wait for its join; ArenaError when that does not come."""
        self.join: play_pb2.Join | None = None
        self.over = False
        self._hear, self._ended = hear, ended
        self._started = threading.Event()
        self._keeper, self._report = _start(command)
        assert self._keeper.stdin is not None
        os.set_blocking(self._keeper.stdin.fileno(), False)
        told = self._told()
        if "pid" not in told:
            self.stop()
            raise ArenaError(f"cannot start {command[0]}: {told.get('why') or 'its keeper has ended'}")
        self.pid = int(told["pid"])
        threading.Thread(target=self._read, name="bot", daemon=True).start()
        silent = not self._started.wait(START_S)
        if self.join is None:
            why = f"it has not said so within {START_S:g} s" if silent else self.ending()
            self.stop()
            raise ArenaError(f'the bot does not join: {why}; a bot begins with {{"join":{{}}}}')

    def tell(self, message: play_pb2.PlayResponse) -> None:
        """Write a message; a bot that has closed its input is told no more. ArenaError: it does not read."""
        assert self._keeper.stdin is not None
        line = line_of(message)
        with suppress(OSError, ValueError):
            # Past the file's own buffer: what is left in that would keep `stop` from closing it.
            descriptor = self._keeper.stdin.fileno()
            while line:
                if not select.select([], [descriptor], [], READ_S)[1]:
                    raise ArenaError(f"the bot has not read what it is told for {READ_S:g} s")
                line = line[os.write(descriptor, line) :]

    def stop(self) -> None:
        """End its input, and a while later whatever it has started and is left."""
        assert self._keeper.stdin is not None
        with suppress(OSError):
            self._keeper.stdin.close()
        for end, patience_s in ((self._keeper.terminate, GO_S), (self._keeper.kill, CLEAR_S)):
            try:
                self._keeper.wait(patience_s)
            except subprocess.TimeoutExpired:
                end()
        self._keeper.wait()
        self._report.close()

    def ending(self) -> str:
        """How it ended, in words; its output has."""
        try:
            self._keeper.wait(CLEAR_S)
        except subprocess.TimeoutExpired:
            return "it has closed its output"
        status = self._told().get("status")
        if status is None:
            return "its keeper was killed"
        return f"it ended by signal {-status}" if status < 0 else f"it ended with exit code {status}"

    def _told(self) -> dict[str, Any]:
        """What the keeper reports next; nothing when it is gone, or silent for too long."""
        ready = select.select([self._report], [], [], START_S)[0]
        line = self._report.readline() if ready else b""
        told: dict[str, Any] = json.loads(line) if line else {}
        return told

    def _read(self) -> None:
        assert self._keeper.stdout is not None
        lines = Lines()
        while data := os.read(self._keeper.stdout.fileno(), CHUNK_BYTES):
            for piece in lines.feed(data):
                self._take(piece)
        for piece in lines.end():
            self._take(piece)
        self.over = True
        self._started.set()
        self._ended(self)

    def _take(self, piece: Piece) -> None:
        """A message, or what the bot prints beside, which goes to stderr; what is no message is sent as none.

        The server then bills it as malformed, as it does where it reads the lines itself.
        """
        request = play_pb2.PlayRequest()
        if not piece.message:
            sys.stderr.buffer.write(piece.data + b"\n")
            sys.stderr.flush()
            return
        try:
            request = request_of(piece.data)
        except ValueError as error:
            print(error, file=sys.stderr, flush=True)
        if self.join is not None:
            self._hear(self, request)
        elif request.HasField("join"):
            self.join = request.join
            self._started.set()


def _start(command: Sequence[str]) -> tuple[subprocess.Popen[bytes], BinaryIO]:
    """A bot below a keeper that outlives us, should we be killed, for as long as it takes to end the bot."""
    environment = {name: value for name, value in os.environ.items() if name != "ARENA_TOKEN"}
    report, report_end = os.pipe()
    arguments = str(report_end), str(os.getpid()), str(Path.cwd())
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "arena.launcher.guard", *arguments, *command],
            cwd=SOURCES,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            pass_fds=(report_end,),
            start_new_session=True,  # Ctrl-C is ours to handle
        )
    finally:
        os.close(report_end)
    return process, os.fdopen(report, "rb", buffering=0)


class Bridge(Session):
    """Plays a command that speaks JSON lines on a server; `play` returns when there are no more games.

    `games` and `decisions` count what was played.
    """

    def __init__(self, command: Sequence[str], token: str, version: str = "1", retry_s: float = 0.0) -> None:
        """Nothing is started yet."""
        super().__init__(retry_s)
        self.games = self.decisions = 0
        self._command = list(command)
        self._token, self._version = token, version
        self._lock = threading.Lock()
        self._bot: LinesBot | None = None
        self._told = False
        self._stream: Stream | None = None
        self._open_games: set[int] = set()
        self._open: dict[int, int] = {}  # the game of each question that the bot has
        self._answers: OrderedDict[int, play_pb2.Act] = OrderedDict()

    def play(self, line: Line) -> None:
        """Dial and play to the end; ArenaError when the bot or the server does not want to."""
        with line.channel:
            line.connect(max(CONNECT_S, self._retry_s))
            bot = self._started()
            try:
                self.run(line, self._join(bot))
                if self.over and self._bot is not None:
                    raise ArenaError(f"the bot is gone: {self._bot.ending()}")
            finally:
                if self._bot is not None:
                    self._bot.stop()

    def take(self, response: play_pb2.PlayResponse, stream: Stream) -> None:
        """See Session; passes on what the bot has not been told yet."""
        self._stream = stream
        if self.over:
            stream.end()
        elif response.HasField("welcome"):
            self._welcome(response)
        elif response.HasField("game_start"):
            if response.game_start.game not in self._open_games:
                self._open_games.add(response.game_start.game)
                self.games += 1
                self._tell(response)
        elif response.HasField("game_end"):
            if response.game_end.game in self._open_games:
                self._close(response.game_end.game)
                self._tell(response)
        else:
            self._ask(response.decides.decides, stream)

    def forget(self) -> None:
        """See Session."""
        with self._lock:
            self._open_games.clear()
            self._open.clear()
            self._answers.clear()

    def _started(self) -> LinesBot:
        self._bot = bot = LinesBot(self._command, self._hear, self._end)
        if bot.over:  # before it was known here
            self._end(bot)
        return bot

    def _join(self, bot: LinesBot) -> play_pb2.Join:
        """The bot's join with what it need not know: its token, and the form of its lines."""
        join = play_pb2.Join()
        join.CopyFrom(bot.join or join)
        join.token = self._token
        join.version = join.version or self._version
        join.encoding = join.encoding or play_pb2.ENCODING_TYPED
        join.ClearField("connection_id")
        return join

    def _welcome(self, response: play_pb2.PlayResponse) -> None:
        """Tell the bot that it is in; one that was in before, and lost its games, makes way for another."""
        if response.welcome.resumed:
            return
        if self._told and self._bot is not None:
            lost, self._bot = self._bot, None
            lost.stop()
            self._started()
        self._told = True
        self._tell(response)

    def _ask(self, decides: Sequence[play_pb2.Decide], stream: Stream) -> None:
        """Pass questions on, but those that the bot has, and answer those that it has answered."""
        with self._lock:
            again = [self._answers[each.decision_id] for each in decides if each.decision_id in self._answers]
            known = self._open.keys() | self._answers.keys()
            fresh = [each for each in decides if each.decision_id not in known]
            self._open.update((each.decision_id, each.game) for each in fresh)
        if again:
            stream.send(again)
        if fresh:
            self.received = max(self.received, *(each.decision_id for each in fresh))
            self._tell(play_pb2.PlayResponse(decides=play_pb2.DecideBatch(decides=fresh)))

    def _close(self, game: int) -> None:
        with self._lock:
            self._open_games.discard(game)
            self._open = {question: of for question, of in self._open.items() if of != game}

    def _tell(self, response: play_pb2.PlayResponse) -> None:
        if self._bot is not None:
            self._bot.tell(response)

    def _hear(self, bot: LinesBot, request: play_pb2.PlayRequest) -> None:
        """On the bot's thread: pass on what it says; what goes down with a broken stream is said again."""
        if bot is not self._bot:
            return
        with self._lock:
            for act in request.acts.acts:
                if self._open.pop(act.decision_id, None) is not None:
                    self._answers[act.decision_id] = act
                    self.decisions += 1
            while len(self._answers) > _REMEMBERED_ANSWERS:
                self._answers.popitem(last=False)
        if self._stream is not None:
            self._stream.say(request)

    def _end(self, bot: LinesBot) -> None:
        """On the bot's thread: without it there is nothing to play for."""
        if bot is self._bot:
            self.over = True
            if self._stream is not None:
                self._stream.end()
