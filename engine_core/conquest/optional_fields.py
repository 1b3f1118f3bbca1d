"""The fields that only some rulesets have, in the order of optional_fields.pxd, and the names of goals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine_core.conquest.tables import REWARDS
from engine_core.description import Field
from engine_core.registry import options_of

if TYPE_CHECKING:
    from engine_core.options import OptionValue
    from engine_core.ruleset import Ruleset

REWARD_NAMES = (*REWARDS["minor"], *REWARDS["major"])
BATTLE_DICE = 5
AIRFIELDS = 2


def labels(ruleset: Ruleset) -> dict[str, tuple[str, ...]]:
    """The names of missions, objectives and rewards, as far as the ruleset has them."""
    options, names = options_of(ruleset), {}
    if options["missions"]:
        names["mission"] = tuple(row["id"] for row in ruleset.tables["missions"]["missions"])
    if options["objectives"] != "none":
        names["objective"] = tuple(row["id"] for row in ruleset.tables["edition"]["objectives"])
    if options["rewards"]:
        names["reward"] = REWARD_NAMES
    return names


def optional_fields(ruleset: Ruleset) -> Iterator[Field]:
    """The fields of moves, dice on the table, missions, capitals, cities, objectives and rewards."""
    options = options_of(ruleset)
    colours, territories = len(ruleset.colours), len(ruleset.board.territories)
    headquarters = options["headquarters"] != "none"
    if options["fortify"] in ("path_one_to_many", "path_many") or options["rewards"]:
        yield Field("moved", territories, per="territory", summary="1 gave, 2 took troops in this phase")
        yield Field("moves_left", 1, summary="fortifying moves that may follow the next one")
    if options["expert_card_reroll"] or options["expert_commander"]:
        yield Field("rolled", BATTLE_DICE, summary="dice on the table: 3 of attack, 2 of defence, 0 = none")
        yield Field("commander_used", 1, summary="1 when a die was set to 6 in this turn")
        yield Field("rerolled", 1, summary="1 when a die of this roll was rolled again")
    if options["missions"]:
        yield Field("mission", colours, "mission", "colour", "-1 hidden", -1)
        yield Field("mission_void", colours, per="colour", summary="1 = the mission has become the fallback")
        yield Field("mission_refused", colours, per="colour", summary="1 = gave back the one against itself")
    if headquarters or options["capitals"] != "none":
        yield Field("capital", colours, "territory", "colour", "capital or headquarters; -1 none, hidden", -1)
    if headquarters:
        yield Field("capital_known", colours, per="colour", summary="1 when everybody knows it")
    if options["cities"] != "none":
        yield Field("city", territories, per="territory", summary="1 where a city is")
    if options["objectives"] != "none":
        yield from _objective_fields(ruleset)
    if options["rewards"]:
        yield from _reward_fields(ruleset, options)
    if options["missions"] or headquarters or options["objectives"] != "none":
        yield Field("winner", 1, "colour", summary="who won by reaching a goal", default=-1)


def _objective_fields(ruleset: Ruleset) -> Iterator[Field]:
    objectives = len(ruleset.tables["edition"]["objectives"])
    yield Field(
        "turn_owned",
        len(ruleset.board.territories),
        per="territory",
        summary="1 where the turn's colour was at the start of its turn",
    )
    yield Field("objective", objectives, "claimant", "objective", "-1 box, 100 board, or who holds it", -1)
    yield Field("objective_claimed", 1, summary="1 when one was claimed in this turn")


def _reward_fields(ruleset: Ruleset, options: dict[str, OptionValue]) -> Iterator[Field]:
    objectives = len(ruleset.tables["edition"]["objectives"])
    yield Field("reward_on", objectives, "reward", "objective", "what came with it; -1 none, hidden", -1)
    yield Field("reward", len(REWARD_NAMES), "colour", "reward", "who has it; -1 nobody", -1)
    yield Field("airfield", AIRFIELDS, "territory", summary="the minor and the major token", default=-1)
    if options["reward_placement"] == "pile":
        yield Field("reward_pile", len(REWARD_NAMES), "reward", summary="as they are taken", default=-1)
