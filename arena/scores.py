"""Points and places: what a game's facts are worth under a point rule.

Both follow from one order of the seats, best first:

1. winners (a game decided by the rules or by forfeit), or the survivors of a draw or at the cap: all tied,
   except that under `adjudicate` territories and then troops decide at the cap;
2. the other survivors, tied;
3. the fallen, later falls first, those who fell together tied;
4. retired seats, tied, whatever they hold on the board.

Seats of a team share the place of their best, a retired one too, unless the team is first. The first place's
point is split evenly over its teams, and a team's part evenly over its seats that did not retire; so scores
sum to 1 (math.fsum), or to 0 where `void` drops a capped game, or a game was stopped before its first
decision (nobody came to it, or not all of any team): all are tied, and it counts for nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from arena.errors import PlatformFault
from arena.types import PointRule, Termination

if TYPE_CHECKING:
    from engine_core.game import Result

DECIDED: tuple[Termination, ...] = ("rules", "forfeit")
_TERMINATIONS: dict[str, Termination] = {word: word for word in get_args(Termination)}


@dataclass(frozen=True, slots=True)
class Facts:
    """The engine's Result as a plain value, with the platform's word on why the game ended."""

    termination: Termination
    winners: tuple[int, ...]
    survivors: tuple[int, ...]
    eliminated_at: tuple[int, ...]
    territories: tuple[int, ...]
    troops: tuple[int, ...]
    retired: tuple[int, ...]
    lap: int
    decisions: int

    @staticmethod
    def of(result: Result, stopped: Termination | None = None) -> Facts:
        """Take a result over; `stopped` says why the platform ended a game that the engine had not."""
        termination = stopped or termination_of(result.termination)
        return Facts(
            termination,
            result.winners,
            result.survivors,
            result.eliminated_at,
            result.territories,
            result.troops,
            result.retired,
            result.lap,
            result.decisions,
        )


def termination_of(word: str) -> Termination:
    """One of the platform's words for why a game ended; PlatformFault for any other."""
    if word not in _TERMINATIONS:
        raise PlatformFault(f"termination {word!r} is not known; valid: {', '.join(_TERMINATIONS)}")
    return _TERMINATIONS[word]


def scores(facts: Facts | Result, rule: PointRule, teams: Sequence[int] = ()) -> tuple[float, ...]:
    """The score of every seat in [0, 1]; `teams[seat]` numbers teams (none: every seat for itself)."""
    seats = len(facts.eliminated_at)
    teams = teams or range(seats)
    if _unplayed(facts) or (rule == "void" and facts.termination not in DECIDED):
        return (0.0,) * seats
    first = _groups(facts, rule, teams)[0]
    if any(facts.retired[seat] for seat in first):
        raise PlatformFault("every seat of the game is retired: nobody is left to take its point")
    sides = [teams[seat] for seat in first]
    part = 1.0 / len(set(sides))
    return tuple(part / sides.count(teams[seat]) if seat in first else 0.0 for seat in range(seats))


def placements(
    facts: Facts | Result, rule: PointRule, teams: Sequence[int] = ()
) -> tuple[tuple[int, int], ...]:
    """The place of every seat as an interval (lo, hi), 1 = first; a tie spans all places it takes."""
    seats = len(facts.eliminated_at)
    places = [(0, 0)] * seats
    taken = 0
    for group in _groups(facts, rule, teams or range(seats)):
        for seat in group:
            places[seat] = (taken + 1, taken + len(group))
        taken += len(group)
    return tuple(places)


def winners(facts: Facts | Result, rule: PointRule, teams: Sequence[int] = ()) -> tuple[int, ...]:
    """The seats that won, by the rules, by forfeit or as adjudicated; none where it is a draw or shared."""
    seats = len(facts.eliminated_at)
    if not facts.winners if facts.termination in DECIDED else rule != "adjudicate" or _unplayed(facts):
        return ()
    return tuple(_groups(facts, rule, teams or range(seats))[0])


def _unplayed(facts: Facts | Result) -> bool:
    """Whether the game was stopped before its first decision; a position written by hand may count none."""
    return not facts.decisions and facts.termination not in (*DECIDED, "turn_cap")


def _groups(facts: Facts | Result, rule: PointRule, teams: Sequence[int]) -> list[list[int]]:
    """The seats in groups of equals, best first, ascending in a group."""
    members: dict[int, list[int]] = {}
    for seat, team in enumerate(teams):
        if not facts.retired[seat]:
            members.setdefault(team, []).append(seat)
    standing = {team: _standing(facts, rule, seats) for team, seats in members.items()}
    groups: dict[tuple[int, int, int], list[int]] = {}
    for team, key in standing.items():
        groups.setdefault(key, []).extend(members[team])
    first = min(groups, default=None)
    last: list[int] = []
    for seat in (seat for seat, mode in enumerate(facts.retired) if mode):
        place = standing.get(teams[seat], first)
        (last if place is None or place == first else groups[place]).append(seat)
    return [sorted(groups[key]) for key in sorted(groups)] + [last] * bool(last)


def _standing(facts: Facts | Result, rule: PointRule, seats: Sequence[int]) -> tuple[int, int, int]:
    """A key that orders teams, the best lowest, from their seats that did not retire."""
    if facts.termination in DECIDED and any(seat in facts.winners for seat in seats):
        return 0, 0, 0
    if any(seat in facts.survivors for seat in seats):
        if facts.termination in DECIDED or rule != "adjudicate" or _unplayed(facts):
            return 1, 0, 0
        return 1, -sum(facts.territories[seat] for seat in seats), -sum(facts.troops[seat] for seat in seats)
    return 2, -max(facts.eliminated_at[seat] for seat in seats), 0
