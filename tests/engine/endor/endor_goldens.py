"""What the endor variants did when they were last looked at: perft counts, playthroughs, signatures.

`.venv/bin/python tests/engine/endor/endor_goldens.py` writes them anew. They change only with the rules, the
generator or the policy below, so a commit that changes them says why.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import engine_core
from engine_core import Action, Legal, State, bench

DATA = Path(__file__).parents[2] / "data"
PERFT = DATA / "perft" / "endor.toml"
SIGNATURE = DATA / "signature_endor.toml"
VARIANTS = ("endor", "endor_teams")
DECISIONS = 800
INTERVAL = 50
DEPTHS = {"choosing orders": 4, "four seats choosing": 4}
USUAL_DEPTH = 3


def perft_entries() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = tomllib.loads(PERFT.read_text(encoding="utf-8"))["perft"]
    return entries


def perft_state(entry: dict[str, Any]) -> State:
    game = engine_core.load(entry["variant"])
    if "position" in entry:
        return game.position(entry["position"], seed=entry["seed"])
    return game.new_state(entry["seed"])


def perft_counts(entry: dict[str, Any], depth: int) -> list[int]:
    """How many sequences of 1, 2, ..., depth concrete actions there are."""
    return [bench.perft(perft_state(entry), ply) for ply in range(1, depth + 1)]


def playthrough_file(variant: str) -> Path:
    return DATA / "playthroughs" / f"{variant}.txt"


def chosen(legal: Legal, number: int) -> Action:
    """The policy: plain arithmetic, nothing random; passes seldom, for playing on is what tells more."""
    entry = legal[number * 2654435761 % 4294967296 % len(legal)]
    if entry.kind == 0 and number % 5:
        entry = legal[1 if number % 2 else len(legal) - 1]
    return entry.action(entry.lo + number * 40503 % 65536 % len(entry))


def playthrough(variant: str) -> Iterator[str]:
    """The lines of a playthrough: what each seat played, and at intervals a digest of the position."""
    game = engine_core.load(variant)
    state = game.new_state(1)
    for number in range(1, DECISIONS + 1):
        if not state.pending():
            break
        seat = state.pending()[number % len(state.pending())]
        action = chosen(state.legal(seat), number)
        yield f"{seat} {game.action_text(action)}"
        state.apply(seat, action)
        if number % INTERVAL == 0:
            yield f"= {state.digest()[:16]}"
    yield f"# {state.text()}"


def signatures() -> dict[str, int]:
    return {variant: bench.signature(engine_core.load(variant)) for variant in VARIANTS}


def write() -> None:
    for variant in VARIANTS:
        playthrough_file(variant).write_text("\n".join(playthrough(variant)) + "\n", encoding="utf-8")
    lines = [f'{variant} = "{number:016x}"' for variant, number in signatures().items()]
    note = "# engine_core.bench.signature of the endor variants; see tests/engine/endor/endor_goldens.py.\n"
    SIGNATURE.write_text(note + "\n".join(lines) + "\n", encoding="utf-8")
    head, *blocks = PERFT.read_text(encoding="utf-8").split("[[perft]]\n")
    for place, entry in enumerate(perft_entries()):
        counts = perft_counts(entry, DEPTHS.get(entry["name"], USUAL_DEPTH))
        blocks[place] = re.sub(r"counts = .*", f"counts = {counts}", blocks[place])
    PERFT.write_text("[[perft]]\n".join([head, *blocks]), encoding="utf-8")


if __name__ == "__main__":
    write()
