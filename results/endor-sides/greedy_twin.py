"""The bot `greedy_endor` once more, since a player meets only others."""

from pathlib import Path
from runpy import run_path

Bot = run_path(str(Path(__file__).parents[2] / "bots" / "greedy_endor.py"))["Bot"]
