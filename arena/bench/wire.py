"""Decisions of a no-op bot in a process of its own, beside a bare gRPC stream of the same bytes."""

from __future__ import annotations

from arena import bench_grpc
from arena.bench import Figure

TITLE = "Decisions over gRPC and JSON lines"
# What is asked of the server: of the bare stream's pace, of 64 games' gain, and of CPU time a decision.
SHARE, GAIN, CPU_US = ">= 0.85", ">= 20", 10.0


def measure(quick: bool) -> list[Figure]:
    """Decisions a second, one game at a time and 64 on one stream; the server's CPU time for each."""
    seconds, repeats = (0.3, 3) if quick else (0.5, 15)
    alone, together, *others = bench_grpc.measure(seconds=seconds, repeats=repeats)
    cpu = Figure(
        name=f"{_name(together)}: server CPU",
        value=together.cpu_us,
        unit="us/decision",
        beside="bound",
        beside_value=CPU_US,
        ratio=together.cpu_us / CPU_US,
        goal="<= 1",
        conditions="CPU time of the process that serves, with packing questions; neither rules nor referee",
    )
    one = _name(alone)
    return [
        _figure(alone, f"{one} (share of the echo)", "bare stream echo", SHARE),
        _figure(together, f"{_name(together)} (times faster)", one, GAIN),
        cpu,
        *(_figure(pace, f"{_name(pace)} (times faster)", one) for pace in others),
    ]


def _name(pace: bench_grpc.Pace) -> str:
    return f"{pace.name}, {pace.games} game{'s' if pace.games > 1 else ''}"


def _figure(pace: bench_grpc.Pace, name: str, beside: str, goal: str = "") -> Figure:
    return Figure(
        name=name,
        value=pace.decisions_per_s,
        unit="decisions/s",
        beside=beside,
        beside_value=pace.beside,
        ratio=pace.ratio,
        goal=goal,
        conditions=f"one external process, {pace.question_bytes} bytes of packed question, "
        f"{pace.cpu_us:.3g} us of server CPU a decision",
    )
