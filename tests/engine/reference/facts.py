"""The fields of a position as the reference knows them, under the names of the engine's description."""

from __future__ import annotations

from collections.abc import Sequence

from reference.game import Reference

TERMINATIONS = {"": 0, "rules": 1, "turn_cap": 2}


def flags(members: set[int], length: int) -> tuple[int, ...]:
    return tuple(int(number in members) for number in range(length))


def facts(model: Reference) -> dict[str, Sequence[int]]:
    """Every field that the rules determine in this phase; what is missing here they leave open."""
    found = _board(model) | _extras(model)
    if not model.ending:
        found |= _go(model) | _turn(model)
    return found


def _board(model: Reference) -> dict[str, Sequence[int]]:
    falls = {colour: order for order, colour in enumerate(model.fallen)}
    return {
        "owner": model.owner,
        "troops": model.troops,
        "pool": model.pool,
        "cards": model.holders(),
        "cards_held": [len(hand) for hand in model.hand],
        "deck_count": [model.deck],
        "reshuffles": [model.reshuffles],
        "sets_traded": [model.sets],
        "living": flags(model.living, model.colours),
        "eliminated_at": [falls.get(colour, -1) for colour in range(model.colours)],
        "eliminations": [len(model.fallen)],
        "lap": [model.lap],
        "first_colour": [model.first],
        "decisions": [model.decisions],
        "termination": [TERMINATIONS[model.ending]],
    }


def _extras(model: Reference) -> dict[str, Sequence[int]]:
    places = len(model.owner)
    minors = [name for name in model.rewards if name.startswith("airfield")]
    found: dict[str, Sequence[int]] = {
        "winner": [model.winner],
        "capital": model.capital,
        "capital_known": flags(model.known, model.colours),
        "city": flags(model.cities, places),
        "objective": model.held,
        "reward_on": model.token,
        "reward": [model.has_reward.get(name, -1) for name in model.rewards],
        "airfield": [model.airfield.get(name, -1) for name in minors],
        "mission": model.mission,
        "mission_refused": model.refused,
        "mission_void": flags(model.void, model.colours),
    }
    return found


def _go(model: Reference) -> dict[str, Sequence[int]]:
    battle = model.battle
    return {
        "turn_colour": [model.turn],
        "placed": [model.placed],
        "attack_from": [battle.source if battle else -1],
        "attack_to": [battle.target if battle else -1],
        "attack_dice": [battle.dice if battle else 0],
        "victim": [model.victim],
        "bonus_choice": flags(model.choices, len(model.owner)),
    }


def _turn(model: Reference) -> dict[str, Sequence[int]]:
    """What is only there once turns are taken."""
    if not model.playing:
        return {}
    moved = [0] * len(model.owner)
    for place in model.gave | model.took:
        moved[place] = 1 if place in model.gave else 2
    found: dict[str, Sequence[int]] = {
        "reinforcements": [model.reinforcements],
        "captured": [int(model.captured)],
        "bonuses_used": [model.bonuses],
        "trades_this_turn": [model.trades],
        "during_attack": [int(model.forced)],
        "turn_owned": flags(model.at_start, len(model.owner)),
        "objective_claimed": [int(model.claimed_objective)],
        "commander_used": [int(model.commanded)],
    }
    if model.phase == "reroll":
        found |= {"rolled": model.rolled, "rerolled": [int(model.rerolled)]}
    if model.phase in ("fortify", "maneuver"):
        found |= {"moved": moved, "moves_left": [model.moves_left - 1]}
    return found
