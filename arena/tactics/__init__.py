"""Plain helpers that bots may share: exact odds, the board, a frame by phases for the conquest family."""

from arena.tactics.frame import Choice, PhaseBot
from arena.tactics.odds import capture_chance
from arena.tactics.situation import Situation
from arena.tactics.terrain import Terrain, terrain_of

__all__ = ["Choice", "PhaseBot", "Situation", "Terrain", "capture_chance", "terrain_of"]
