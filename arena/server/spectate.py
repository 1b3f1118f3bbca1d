"""SpectatorService: the public view of the games that a driver plays, for any number of watchers."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Iterator
from queue import SimpleQueue

import grpc

from arena import wire
from arena.types import MatchPlan
from arena.v1 import spectator_pb2 as pb
from arena.v1 import spectator_pb2_grpc
from engine_core import Event, View

SERVICE = pb.DESCRIPTOR.services_by_name["SpectatorService"].full_name
# How many steps a watcher may lag behind.
MAX_BACKLOG = 2000

Outbox = SimpleQueue[pb.WatchResponse | None]


class Feed:
    """One game's public side: what a referee calls after every step. Steps cost next to nothing unwatched."""

    def __init__(self, game: pb.LiveGame) -> None:
        """Nothing has happened yet."""
        self.game = game
        self._lock = threading.Lock()
        self._view: View | None = None
        self._outboxes: list[Outbox] = []
        # A game that is broken off just drops its feed: then this ends it.
        self._end = weakref.finalize(self, _finish, self._outboxes, pb.WatchEnd())

    def __call__(self, events: tuple[Event, ...], view: View) -> None:
        """Take one step (arena.referee.Watch)."""
        with self._lock:
            self._view = view
            if self._outboxes:
                step = _step(events, view)
                for outbox in self._outboxes:
                    outbox.put(step)
                self._drop_slow()
            if not self.live:
                result = view.result()
                _finish(self._outboxes, pb.WatchEnd(termination=result.termination, winners=result.winners))

    @property
    def live(self) -> bool:
        """Whether the game has begun and goes on."""
        return self._view is not None and bool(self._view.pending())

    def join(self) -> Outbox | None:
        """What a new watcher is to be sent, ended by None; None if there is nothing to see (any more)."""
        with self._lock:
            if self._view is None or not self.live:
                return None
            game = self._view.game
            outbox: Outbox = SimpleQueue()
            start = pb.WatchStart(
                game=self.game, rules=wire.rules_message(game.description), ruleset=game.ruleset.text
            )
            outbox.put(pb.WatchResponse(start=start))
            outbox.put(_step((), self._view))
            self._outboxes.append(outbox)
            return outbox

    def leave(self, outbox: Outbox) -> None:
        """A watcher has gone."""
        with self._lock:
            if outbox in self._outboxes:
                self._outboxes.remove(outbox)

    def _drop_slow(self) -> None:
        for outbox in [box for box in self._outboxes if box.qsize() > MAX_BACKLOG]:
            self._outboxes.remove(outbox)
            outbox.put(None)


def _step(events: tuple[Event, ...], view: View) -> pb.WatchResponse:
    return pb.WatchResponse(step=pb.WatchStep(events=wire.pack_events(events), view=view.packed()))


def _finish(outboxes: list[Outbox], end: pb.WatchEnd) -> None:
    for outbox in outboxes:
        outbox.put(pb.WatchResponse(end=end))
        outbox.put(None)
    outboxes.clear()


class Spectators(spectator_pb2_grpc.SpectatorServiceServicer):
    """All live games; `watch` has the shape of arena.driver.WatchGame."""

    def __init__(self) -> None:
        """No game yet."""
        self._numbers = itertools.count(1)
        self._feeds: weakref.WeakValueDictionary[str, Feed] = weakref.WeakValueDictionary()

    def watch(self, plan: MatchPlan, rotation: int) -> Feed:
        """The feed of a game that is about to begin; it is listed for as long as its referee holds it."""
        game_id = f"{plan.sequence}.{rotation}.{next(self._numbers)}"
        players = [plan.players[position].name for position in plan.setup.rotations[rotation]]
        feed = Feed(pb.LiveGame(game_id=game_id, variant=plan.setup.variant, players=players))
        self._feeds[game_id] = feed
        return feed

    def Games(self, _request: pb.GamesRequest, _context: grpc.ServicerContext) -> pb.GamesResponse:
        """List the games that are being played."""
        feeds = [kept() for kept in self._feeds.valuerefs()]  # a copy: others begin games meanwhile
        return pb.GamesResponse(games=[feed.game for feed in feeds if feed is not None and feed.live])

    def Watch(self, request: pb.WatchRequest, context: grpc.ServicerContext) -> Iterator[pb.WatchResponse]:
        """Follow one game."""
        feed = self._feeds.get(request.game_id)
        outbox = feed.join() if feed else None
        if feed is None or outbox is None:
            context.abort(grpc.StatusCode.NOT_FOUND, f"no game {request.game_id!r} is being played")
        leave = weakref.WeakMethod(feed.leave)
        del feed  # only its referee keeps a game alive
        context.add_callback(lambda: outbox.put(None))
        last = None
        for last in iter(outbox.get, None):
            yield last
        if left := leave():
            left(outbox)
        if context.is_active() and (last is None or last.WhichOneof("content") != "end"):
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "the game moves faster than it is read")
