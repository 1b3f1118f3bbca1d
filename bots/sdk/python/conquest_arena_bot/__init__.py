"""Play in Conquest Arena: `serve(decide)` is all a bot needs, on any machine, without the platform.

A bot is a function `decide(view, legal, rng)` or a class `Bot(game, seat, rng, **options)` with a method
`decide(view, legal)`: the shape of the platform's own Python bots, so that a file may play in both ways.
"""

from conquest_arena_bot.actions import Action, ActionRange, Event, Legal
from conquest_arena_bot.client import play, serve
from conquest_arena_bot.errors import ArenaError
from conquest_arena_bot.game import Board, Description, Field, Game, Kind, Limits, Ruleset, View
from conquest_arena_bot.session import Session

__all__ = [
    "Action",
    "ActionRange",
    "ArenaError",
    "Board",
    "Description",
    "Event",
    "Field",
    "Game",
    "Kind",
    "Legal",
    "Limits",
    "Ruleset",
    "Session",
    "View",
    "play",
    "serve",
]
