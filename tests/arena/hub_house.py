"""A hub in a test's process: bots dial in to it on threads, by hand, or as processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hub_samples import wait_until

from arena.client import play
from arena.commands._serving import fill, read_lobby, read_tournaments
from arena.errors import ArenaError
from arena.hub.hub import Hub
from arena.hub.news import Event, News
from arena.store import Store
from arena.types import GameResult, Limits, MatchPlan
from engine_core import ActionRange, Legal, View

SHORT = "classic:2,turn_cap=4"
# A good bot is never late, however busy the machine is; a test of lateness has limits of its own.
PATIENT = Limits(decision=60.0, game=3600.0)


def names_in(event: Event, fact: str) -> list[str]:
    """A fact that is several names."""
    value = event.facts[fact]
    assert isinstance(value, Iterable)
    return list(value)


def first(_view: View, legal: Legal) -> ActionRange:
    return legal[0]


def slowly(_view: View, legal: Legal) -> ActionRange:
    time.sleep(0.01)
    return legal[0]


class WaitClock:
    """The time by which tournaments wait for bots: a test puts it forward, and no bot has to hurry."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead_s = 0.0
        monkeypatch.setattr("arena.hub.runner.time", self)

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead_s


class House:
    """A hub in this process, on loopback, with its database; bots dial in on threads or as processes."""

    def __init__(self, folder: Path, resume_s: float = 10.0) -> None:
        self.folder = folder
        self.database = folder / "cup.db"
        self.store = Store(f"sqlite:///{self.database}")
        self.store.migrate()
        self.told: list[Event] = []
        self.games: list[tuple[str, int, int]] = []
        self._news = News(self.told.append, self._finished)
        self.hub = Hub(self.store, self._news, ["127.0.0.1:0"], resume_s=resume_s)
        self.address = self.hub.server.addresses[0]
        self._thread = threading.Thread(target=self.hub.serve, daemon=True)
        self._bots: list[threading.Thread] = []
        self.errors: list[str] = []

    def _finished(self, tournament: str, plan: MatchPlan, game: GameResult) -> None:
        self.games.append((tournament, plan.sequence, game.rotation))

    def open(self, *lobby: str, tournament: str = "", limits: Limits | None = None) -> House:
        """Serve, with this lobby, which has these limits (PATIENT), and tournament."""
        files = [self.folder / "cup.toml"] if tournament else []
        for file in files:
            file.write_text(tournament)
        fill(self.hub, read_tournaments(files, self.store.url), read_lobby(lobby), limits or PATIENT)
        self._thread.start()
        return self

    def token(self, name: str) -> str:
        return self.store.tokens.add_player(name)

    def bot(self, token: str, decide: Callable[..., Any] = first, **settings: str) -> threading.Thread:
        """A bot on a thread of this process."""
        access = {"address": self.address, "token": token, **settings}

        def run() -> None:
            try:
                play(decide, **access)
            except ArenaError as error:
                self.errors.append(str(error))

        bot = threading.Thread(target=run, daemon=True)
        bot.start()
        self._bots.append(bot)
        return bot

    def of(self, kind: str, **facts: object) -> list[Event]:
        found = [event for event in list(self.told) if event.kind == kind]
        return [e for e in found if all(e.facts[key] == value for key, value in facts.items())]

    def wait_for(self, kind: str, count: int = 1, seconds: float = 60.0, **facts: object) -> list[Event]:
        try:
            wait_until(lambda: len(self.of(kind, **facts)) >= count, f"{count} {kind} {facts}", seconds)
        except AssertionError as error:
            raise AssertionError(
                "\n".join([str(error), *(event.text for event in self.told[-20:])])
            ) from None
        return self.of(kind, **facts)

    def labels(self) -> set[str]:
        """Who is entered in the lobby."""
        return {entry.label for entry in self.store.entries(self.store.tournament("lobby").id)}

    def close(self) -> None:
        self.hub.stopping.set()
        if self._thread.ident is None:
            self._thread.start()  # which ends what the hub has opened
        self._thread.join(60.0)
        for bot in self._bots:
            bot.join(60.0)
        self._news.close()
        self.store.close()


def cup(*players: str, rounds: int = 1, connect: float = 120.0, decision: float = 60.0, cap: int = 4) -> str:
    """A tournament's file."""
    return f"""
name = "cup"
rounds = {rounds}
players = [{", ".join(players)}]
[[variants]]
name = "classic"
seats = 2
options = {{ turn_cap = {cap} }}
[clocks]
start = 120.0
connect = {connect}
decision = {decision}
"""


def remote(name: str) -> str:
    return f'{{ remote = "{name}" }}'
