"""The conditions of a tournament, read from its file: clocks, isolation, and what a fault costs."""

from __future__ import annotations

from typing import get_args

from arena.tables import Table, one_of
from arena.types import (
    FaultAction,
    FaultKind,
    FaultPolicy,
    Isolation,
    IsolationLevel,
    Limits,
    RetireMode,
)

QUARANTINE_AFTER = 5


def read_limits(table: Table) -> Limits:
    """The table `clocks`: limits in seconds, and whether decisions are clocked at all."""
    default = Limits()
    limits = Limits(
        connect=table.seconds("connect", default.connect),
        start=table.seconds("start", default.start),
        decision=table.seconds("decision", default.decision),
        game=table.seconds("game", default.game),
        increment=table.seconds("increment", default.increment, zero=True),
        clocked=table.flag("clocked", default.clocked),
    )
    table.done()
    return limits


def read_isolation(table: Table) -> Isolation:
    """The table `isolation`; amounts without a level that enforces them are a mistake."""
    default = Isolation()
    levels: tuple[IsolationLevel, ...] = get_args(IsolationLevel)
    isolation = Isolation(
        level=table.choice("level", levels, default.level),
        memory_mib=table.whole("memory_mib", default.memory_mib),
        processes=table.whole("processes", default.processes),
        file_mib=table.whole("file_mib", default.file_mib),
        cpu_s=table.whole("cpu_s", default.cpu_s),
    )
    if table.data.get("level", default.level) == "none":
        for key in sorted(table.data.keys() & {"memory_mib", "processes", "file_mib", "cpu_s"}):
            table.problem(key, 'is not enforced at level "none"; set level = "limits" or "sandbox"')
    table.done()
    return isolation


def read_faults(table: Table) -> tuple[FaultPolicy, int]:
    """The table `faults`: the policy, and after how many lost games in a row a player is quarantined."""
    default = FaultPolicy()
    kinds: tuple[FaultKind, ...] = get_args(FaultKind)
    names = table.texts("retire", sorted(default.retire))
    for index, name in enumerate(names):
        if name not in kinds:
            table.problem(f"retire[{index}]", one_of("fault", name, kinds))
    modes: tuple[RetireMode, ...] = get_args(RetireMode)
    actions = _actions(table.table("policy"), {kind for kind in kinds if kind in names})
    policy = FaultPolicy(
        retire=frozenset(kind for kind, action in actions.items() if action == "retire"),
        strikes=table.whole("strikes", default.strikes),
        mode=table.choice("mode", modes, default.mode),
    )
    quarantine_after = table.whole("quarantine_after", QUARANTINE_AFTER, low=0)
    table.done()
    return policy, quarantine_after


def _actions(table: Table, retire: set[FaultKind]) -> dict[FaultKind, FaultAction]:
    """What each kind of fault costs; kinds the table does not name keep what the list `retire` says."""
    actions: tuple[FaultAction, ...] = get_args(FaultAction)
    kinds: tuple[FaultKind, ...] = get_args(FaultKind)
    found: dict[FaultKind, FaultAction] = {}
    for kind in kinds:
        default: FaultAction = "retire" if kind in retire else "default"
        found[kind] = table.choice(kind, actions, default)
    table.done()
    return found
