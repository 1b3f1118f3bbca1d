"""The plain values that travel between formats, runners, referee and store; all frozen and picklable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

FaultKind = Literal[
    "no_show",
    "start_timeout",
    "timeout",
    "illegal",
    "malformed",
    "flood",
    "crash",
    "disconnect",
    "resource",
]
Termination = Literal["rules", "turn_cap", "forfeit", "game_limit"]
PointRule = Literal["split", "adjudicate", "void"]
RetireMode = Literal["passive", "neutral"]
FaultAction = Literal["retire", "default"]
Protocol = Literal["grpc", "jsonlines"]
IsolationLevel = Literal["none", "limits", "sandbox"]


@dataclass(frozen=True, slots=True)
class BotSpec:
    """How to obtain a bot: a Python file or import path, run in-process; a command, run as a process; or by
    waiting for it to dial in.

    `target` is a file path or `package.module` for kind `python`, the folder holding bot.toml for `command`,
    the account for `remote`.
    A command speaks `protocol` and declares how many child processes it keeps between matches.
    """

    name: str
    kind: Literal["python", "command", "remote"]
    target: str
    argv: tuple[str, ...] = ()
    version: str = "1"
    variants: tuple[str, ...] = ()
    origin: str = ""
    protocol: Protocol = "grpc"
    children: int = 0


@dataclass(frozen=True, slots=True)
class Player:
    """A rated identity: bot + version + settings; `name` is only its label and unique in a tournament."""

    name: str
    bot: BotSpec
    options: tuple[tuple[str, str | int | float | bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """Clock limits in seconds; `clocked` False means that no decision is ever late (for debugging).

    `connect`: until a bot that dials in by itself has joined. `start`: until a launched process has.
    `decision`: one decision. `game`: the bank of a seat for all its decisions in a game, to which each
    answer adds `increment`.
    """

    start: float = 10.0
    decision: float = 2.0
    game: float = 120.0
    connect: float = 30.0
    increment: float = 0.0
    clocked: bool = True


@dataclass(frozen=True, slots=True)
class Isolation:
    """How far a command bot is kept apart from the machine and other bots; amounts hold from `limits` on.

    `none`: a process group of its own. `limits`: resource limits, a clean environment, a fresh work folder.
    `sandbox`: besides, a read-only system, private /tmp, home and process ids, no network but its own socket.
    `cpu_s` is CPU time of one process.
    """

    level: IsolationLevel = "none"
    memory_mib: int = 2048
    processes: int = 64
    file_mib: int = 64
    cpu_s: int = 3600


@dataclass(frozen=True, slots=True)
class FaultPolicy:
    """What a fault costs: kinds in `retire` take the seat out at once, others play the default action.

    The `strikes`-th fault of a seat in one game retires it in any case.
    """

    retire: frozenset[FaultKind] = frozenset(
        {"no_show", "start_timeout", "crash", "disconnect", "flood", "resource"}
    )
    strikes: int = 3
    mode: RetireMode = "passive"


@dataclass(frozen=True, slots=True)
class VariantSetup:
    """One playable thing of a tournament: resolved ruleset (text), its seats, the platform's point rule.

    `rotations[r][seat]` is the position of the pairing that sits there in game r of a match: one position a
    seat, or one a team where each player commands a whole team.
    """

    variant: str
    ruleset: str
    ruleset_hash: str
    seats: int
    turn_cap: int
    teams: tuple[int, ...]
    rotations: tuple[tuple[int, ...], ...]
    point_rule: PointRule = "split"

    @property
    def entrants(self) -> int:
        """How many players a match has."""
        return len(set(self.rotations[0]))


@dataclass(frozen=True, slots=True)
class Pairing:
    """A planned match: its place in the schedule and its players in circular order (indices of entries)."""

    sequence: int
    round: int
    setup: int
    players: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """All a worker needs to play one match, and nothing else; `key` is the 16-byte match key.

    `final`: no further attempt follows, so that what a bot loses by the host's doing counts. `opening` holds
    steps of a record that are played whatever the bots answer there, `dice` rolls that are dictated.
    `rotation` is the number of the first one, for the bots' own seeds.
    """

    sequence: int
    key: bytes
    setup: VariantSetup
    players: tuple[Player, ...]
    limits: Limits = field(default_factory=Limits)
    policy: FaultPolicy = field(default_factory=FaultPolicy)
    isolation: Isolation = field(default_factory=Isolation)
    final: bool = False
    opening: tuple[tuple[int, int | str], ...] = ()
    dice: tuple[int, ...] = ()
    rotation: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """What a seat did wrong, at which decision of the game; times are in milliseconds.

    `used_ms` is what counts against `limit_ms`: thinking. `queue_ms` and `transport_ms` are the rest of the
    time from question to answer. `output` is the head and tail of what the process wrote beside its
    messages, or the traceback of a bot that plays inside, `last_message` the last thing it sent, both as
    text for people.
    """

    seat: int
    kind: FaultKind
    decision: int
    limit_ms: float
    used_ms: float
    action: FaultAction
    message: str
    queue_ms: float = 0.0
    transport_ms: float = 0.0
    output: str = ""
    last_message: str = ""


@dataclass(frozen=True, slots=True)
class GameResult:
    """One finished game: who won (scores, placements) and why it ended are separate facts.

    Tuples are by seat; `players[seat]` is the index into the match plan's players. `placements` are intervals
    (lo, hi), 1 = first. `eliminated_at` is the elimination's order number in the game, -1 for survivors.
    `guards` says how far each seat's bot was kept apart: an isolation level, `in_process` or `remote`.
    """

    rotation: int
    players: tuple[int, ...]
    winners: tuple[int, ...]
    termination: Termination
    scores: tuple[float, ...]
    placements: tuple[tuple[int, int], ...]
    eliminated_at: tuple[int, ...]
    laps: int
    decisions: int
    faults: tuple[Fault, ...]
    record: bytes
    final_digest: str
    wall_ms: float
    guards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchResult:
    """One attempt at a match: its games in rotation order, or the platform fault that voided it (`error`).

    `idle_cpu_ms` is the CPU time each player's process burned while it owed no answer, by player's index.
    """

    sequence: int
    games: tuple[GameResult, ...]
    worker: str
    wall_ms: float
    cpu_ms: float
    error: str = ""
    idle_cpu_ms: tuple[float, ...] = ()


Options = Mapping[str, str | int | float | bool]
