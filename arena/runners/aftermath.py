"""What a worker adds to matches once they are over: processes that bots left running, and CPU burnt idly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from arena.types import Fault, GameResult, MatchPlan, MatchResult, Player


def undeclared(player: Player, children: int) -> str:
    """What is wrong with so many processes of a bot between matches; empty when it declared them."""
    if children <= player.bot.children:
        return ""
    processes = "1 child process" if children == 1 else f"{children} child processes"
    return (
        f"keeps {processes} between matches, {player.bot.children} declared (`children` in "
        "its bot.toml); all were ended and the bot is started anew"
    )


def add_fault(
    plans: Sequence[MatchPlan],
    results: list[MatchResult],
    player: Player,
    message: str,
    last_message: str = "",
) -> None:
    """Note the fault `resource` in the last game that a player has finished; its result stands."""
    for index in reversed(range(len(plans))):
        result = results[index]
        if result.games and player in plans[index].players:
            game = result.games[-1]
            seat = game.players.index(plans[index].players.index(player))
            text = f"{message}; the game was over and stands"
            fault = Fault(
                seat, "resource", game.decisions, 0.0, 0.0, "default", text, last_message=last_message
            )
            game = replace(game, faults=(*game.faults, fault))
            results[index] = replace(result, games=(*result.games[:-1], game))
            return


def add_outputs(
    plans: Sequence[MatchPlan], results: Sequence[MatchResult], output_of: Callable[[Player], str]
) -> list[MatchResult]:
    """The results with what each faulting player's process wrote, where its door could not know it yet."""
    outputs: dict[Player, str] = {}

    def complete(player: Player, fault: Fault) -> Fault:
        if fault.output:
            return fault
        if player not in outputs:
            outputs[player] = output_of(player)
        return replace(fault, output=outputs[player])

    def complete_game(plan: MatchPlan, game: GameResult) -> GameResult:
        if not game.faults:
            return game
        faults = (complete(plan.players[game.players[fault.seat]], fault) for fault in game.faults)
        return replace(game, faults=tuple(faults))

    return [
        replace(result, games=tuple(complete_game(plan, game) for game in result.games))
        if any(game.faults for game in result.games)
        else result
        for plan, result in zip(plans, results, strict=True)
    ]


def add_idle_cpu(
    plans: Sequence[MatchPlan], results: Sequence[MatchResult], burnt_ms: Mapping[str, float]
) -> list[MatchResult]:
    """The results with each player's idle CPU, shared evenly between matches that were played at once."""
    shares = Counter(player.name for plan in plans for player in plan.players)
    return [
        replace(
            result,
            idle_cpu_ms=tuple(burnt_ms.get(p.name, 0.0) / shares[p.name] for p in plan.players),
        )
        for plan, result in zip(plans, results, strict=True)
    ]
