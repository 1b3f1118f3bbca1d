"""Decisions over gRPC, beside a bare bidirectional stream that echoes the same bytes in the same run."""

from __future__ import annotations

from arena import bench_grpc
from arena.bench import Figure

TITLE = "Decisions over gRPC"


def measure(quick: bool) -> list[Figure]:
    """Decisions a second of one external no-op bot, 1, 8 and 64 questions a message."""
    seconds, repeats = (0.3, 3) if quick else (1.0, 7)
    return [
        Figure(
            name=f"{figure.batch} a message (share of the echo)",
            value=figure.decisions_per_s,
            unit="decisions/s",
            beside="bare stream echo",
            beside_value=figure.echo_per_s,
            ratio=figure.share_of_echo,
            conditions=f"Unix socket, one external Python process, {figure.question_bytes} bytes of question",
        )
        for figure in bench_grpc.measure(seconds=seconds, repeats=repeats)
    ]
