"""Helpers that bots for the conquest family may share: exact odds, the board, goals, a frame by phases."""

from arena.tactics.frame import Choice, PhaseBot
from arena.tactics.goals import Goals
from arena.tactics.odds import capture_chance
from arena.tactics.situation import Situation
from arena.tactics.terrain import Terrain, terrain_of

__all__ = ["Choice", "Goals", "PhaseBot", "Situation", "Terrain", "capture_chance", "terrain_of"]
