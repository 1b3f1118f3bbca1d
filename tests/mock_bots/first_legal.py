"""Behaves: always the first legal action."""

from arena.client import serve
from engine_core import ActionRange, Legal, View


def decide(_view: View, legal: Legal) -> ActionRange:
    return legal[0]


if __name__ == "__main__":
    serve(decide)
