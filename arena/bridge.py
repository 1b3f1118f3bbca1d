"""Lets a bot that speaks JSON lines dial in: its lines on one side, a gRPC stream on the other.

The bot knows nothing of breaks: what is sent again after one it gets once, and what it has answered is
answered again for it. When its games are lost with the server, it is started anew.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress

from arena.dialling import CONNECT_S, Line
from arena.errors import ArenaError
from arena.server.jsonlines import CHUNK_BYTES, Lines, Piece
from arena.server.spelling import line_of, request_of
from arena.session import Session, Stream
from arena.v1 import play_pb2

# How long a bot may take to say its join, and to go when its input has ended.
START_S, GO_S = 10.0, 2.0
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
        self._hear, self._ended = hear, ended
        self._started = threading.Event()
        environment = {name: value for name, value in os.environ.items() if name != "ARENA_TOKEN"}
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                start_new_session=True,  # it ends as one, with whatever it has started
            )
        except OSError as error:
            raise ArenaError(f"cannot start {command[0]}: {error.strerror}") from None
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        threading.Thread(target=self._read, name="bot", daemon=True).start()
        self._started.wait(START_S)
        if self.join is None:
            silent = self._process.poll() is None
            why = f"it has not said so within {START_S:g} s" if silent else self.ending()
            self.stop()
            raise ArenaError(f'the bot does not join: {why}; a bot begins with {{"join":{{}}}}')

    def tell(self, message: play_pb2.PlayResponse) -> None:
        """Write a message; a bot that has closed its input is told no more. ArenaError: it does not read."""
        assert self._process.stdin is not None
        line = line_of(message)
        with suppress(OSError, ValueError):
            # Past the file's own buffer: what is left in that would keep `stop` from closing it.
            descriptor = self._process.stdin.fileno()
            while line:
                if not select.select([], [descriptor], [], READ_S)[1]:
                    raise ArenaError(f"the bot has not read what it is told for {READ_S:g} s")
                line = line[os.write(descriptor, line) :]

    def stop(self) -> None:
        """End its input, and a while later whatever is left of it."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GO_S)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def ending(self) -> str:
        """How it ended, in words."""
        code = self._process.wait()
        return f"it ended by signal {-code}" if code < 0 else f"it ended with exit code {code}"

    def _read(self) -> None:
        assert self._process.stdout is not None
        lines = Lines()
        while data := os.read(self._process.stdout.fileno(), CHUNK_BYTES):
            for piece in lines.feed(data):
                self._take(piece)
        for piece in lines.end():
            self._take(piece)
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
        self._bot = LinesBot(self._command, self._hear, self._end)
        return self._bot

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
