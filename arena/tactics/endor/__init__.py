"""Plain helpers that bots for the endor family may share: chart, fleets, salvos of dice, shield track."""

from arena.tactics.endor.chart import Chart, chart_of
from arena.tactics.endor.fleets import Fleets
from arena.tactics.endor.salvo import Mark, best_worth, expected_worth, give, total_worth
from arena.tactics.endor.shield import assaults_left

__all__ = [
    "Chart",
    "Fleets",
    "Mark",
    "assaults_left",
    "best_worth",
    "chart_of",
    "expected_worth",
    "give",
    "total_worth",
]
