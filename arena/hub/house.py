"""Who is in the house, for those who look on: each bot with what it does, its way, its results and rating."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.clocks import NO_WAY
from arena.errors import StoreError
from arena.hub.guests import GuestDoor, Guests
from arena.hub.news import News, Tally, shown

# Ratings are read from the database at most so often.
RATINGS_S = 2.0

Ratings = Mapping[tuple[str, str], float]


@dataclass(frozen=True, slots=True)
class Row:
    """One bot: `way_s` is what the network takes there and back, if it was `measured`."""

    name: str
    host: str
    state: str
    way_s: float
    measured: bool
    tally: Tally
    rating: float | None


class House:
    """Looks at guests and news; `read_ratings` gives ratings by bot's name and version."""

    def __init__(self, guests: Guests, news: News, read_ratings: Callable[[], Ratings]) -> None:
        """Nothing is read yet."""
        self._guests, self._news = guests, news
        self._read_ratings = read_ratings
        self._ratings: Ratings = {}
        self._read_at = 0.0

    def rows(self) -> list[Row]:
        """The bots that are here or may come back, in the order in which they came."""
        self._refresh()
        return [self._row(door) for door in self._guests.everybody()]

    def _row(self, door: GuestDoor) -> Row:
        bot = door.bot
        return Row(
            name=shown(bot),
            host=door.host,
            state=self._state(door),
            way_s=door.way.median_s,
            measured=door.way is not NO_WAY,
            tally=self._news.tallies.get(bot) or Tally(),
            rating=self._ratings.get((bot.name, bot.version)),
        )

    def _state(self, door: GuestDoor) -> str:
        if not door.connected:
            return "cut off"
        if door.busy:
            return "plays"
        return "waits" if self._guests.wanted(door.bot) else "idle"

    def _refresh(self) -> None:
        now = time.monotonic()
        if now - self._read_at < RATINGS_S:
            return
        self._read_at = now
        try:
            self._ratings = self._read_ratings()
        except StoreError:  # somebody else will say so; what was known is still the best guess
            return
