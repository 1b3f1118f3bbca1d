"""What the classic game did when it was last looked at: perft counts, playthroughs, one behaviour signature.

`.venv/bin/python tests/engine/goldens.py` writes them anew. They change only with the rules, the generator or
the policy below, so a commit that changes them says why.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import engine_core
from engine_core import Action, Legal, State, bench

DATA = Path(__file__).parent.parent / "data"
PERFT = DATA / "perft" / "classic.toml"
SIGNATURE = DATA / "signature.toml"
SEATS = range(2, 7)
DECISIONS = 800
INTERVAL = 50


def perft_entries() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = tomllib.loads(PERFT.read_text(encoding="utf-8"))["perft"]
    return entries


def perft_state(entry: dict[str, Any]) -> State:
    game = engine_core.load("classic", seats=entry["seats"], **entry.get("options", {}))
    if "position" in entry:
        return game.position(entry["position"], seed=entry["seed"])
    return game.new_state(entry["seed"])


def perft_counts(entry: dict[str, Any], depth: int) -> list[int]:
    """How many sequences of 1, 2, ..., depth concrete actions there are."""
    return [bench.perft(perft_state(entry), ply) for ply in range(1, depth + 1)]


def playthrough_file(seats: int) -> Path:
    return DATA / "playthroughs" / f"classic_{seats}.txt"


def chosen(legal: Legal, number: int) -> Action:
    """The policy: plain arithmetic, nothing random; every eighth time the last range, mostly `end`."""
    entry = legal[len(legal) - 1] if number % 8 == 7 else legal[number * 2654435761 % 4294967296 % len(legal)]
    return entry.action(entry.lo + number * 40503 % 65536 % len(entry))


def playthrough(seats: int) -> Iterator[str]:
    """The lines of a playthrough: what each seat played, and at intervals a digest of the position."""
    game = engine_core.load("classic", seats=seats)
    state = game.new_state(seats)
    for number in range(1, DECISIONS + 1):
        if not state.pending():
            break
        (seat,) = state.pending()
        action = chosen(state.legal(seat), number)
        yield f"{seat} {game.action_text(action)}"
        state.apply(seat, action)
        if number % INTERVAL == 0:
            yield f"= {state.digest()[:16]}"
    yield f"# {state.text()}"


def signatures() -> dict[str, int]:
    return {str(seats): bench.signature(engine_core.load("classic", seats=seats)) for seats in SEATS}


def write() -> None:
    for seats in SEATS:
        playthrough_file(seats).write_text("\n".join(playthrough(seats)) + "\n", encoding="utf-8")
    lines = [f'"{seats}" = "{number:016x}"' for seats, number in signatures().items()]
    note = "# engine_core.bench.signature of the classic game by seats; see tests/engine/goldens.py.\n"
    SIGNATURE.write_text(note + "\n".join(lines) + "\n", encoding="utf-8")
    head, *blocks = PERFT.read_text(encoding="utf-8").split("[[perft]]\n")
    for place, entry in enumerate(perft_entries()):
        counts = perft_counts(entry, len(entry["counts"]))
        blocks[place] = re.sub(r"counts = .*", f"counts = {counts}", blocks[place])
    PERFT.write_text("[[perft]]\n".join([head, *blocks]), encoding="utf-8")


if __name__ == "__main__":
    write()
