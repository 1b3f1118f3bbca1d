"""What every variant did when it was last looked at: perft counts, playthroughs, one behaviour signature.

`.venv/bin/python tests/engine/goldens.py` writes them anew, and those of new variants. They change only with
the rules, the generator or the policy below, so a commit that changes them says why.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import engine_core
from engine_core import Action, Legal, State, bench, variants

DATA = Path(__file__).parent.parent / "data"
PERFT = DATA / "perft"
SIGNATURE = DATA / "signature.toml"
DECISIONS = 800
INTERVAL = 50
# Positions of a variant of which the new game and three moments of its playthrough are counted to this depth.
DEPTH = 4
MOMENTS = (0, 150, 300, 450)

VARIANTS = {name: variant.seats for name, variant in variants().items() if variant.family == "conquest"}


def seat_counts(variant: str) -> range:
    """All numbers of seats of a variant."""
    low, high = VARIANTS[variant]
    return range(low, high + 1)


GAMES = [(variant, seats) for variant in VARIANTS for seats in seat_counts(variant)]


# ---- perft


def perft_file(variant: str) -> Path:
    return PERFT / f"{variant}.toml"


def perft_entries(variant: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = tomllib.loads(perft_file(variant).read_text(encoding="utf-8"))["perft"]
    return [{"variant": variant, **entry} for entry in entries]


def perft_state(entry: dict[str, Any]) -> State:
    """The entry's position, or the new game after so many decisions of the policy."""
    game = engine_core.load(entry["variant"], seats=entry["seats"], **entry.get("options", {}))
    if "position" in entry:
        return game.position(entry["position"], seed=entry["seed"])
    state = game.new_state(entry["seed"])
    for _ in policy_play(state, entry.get("after", 0)):
        pass
    return state


def perft_counts(entry: dict[str, Any], depth: int) -> list[int]:
    """How many sequences of 1, 2, ..., depth concrete actions there are."""
    return [bench.perft(perft_state(entry), ply) for ply in range(1, depth + 1)]


def new_perft_file(variant: str) -> str:
    """Positions to count: of the highest number of seats, at moments of its playthrough."""
    seats = seat_counts(variant)[-1]
    blocks = [f"# Perft of {variant}, as in classic.toml; `after` = decisions of the policy of goldens.py."]
    for after in MOMENTS:
        counts = [0] * DEPTH
        blocks.append(
            f'[[perft]]\nname = "{variant} after {after} decisions"\nseats = {seats}\nseed = {seats}'
        )
        blocks[-1] += f"\nafter = {after}\ncounts = {counts}"
    return "\n\n".join(blocks) + "\n"


def write_perft(variant: str) -> None:
    file = perft_file(variant)
    text = file.read_text(encoding="utf-8") if file.exists() else new_perft_file(variant)
    file.write_text(text, encoding="utf-8")
    head, *blocks = text.split("[[perft]]\n")
    for place, entry in enumerate(perft_entries(variant)):
        counts = perft_counts(entry, len(entry["counts"]))
        blocks[place] = re.sub(r"counts = .*", f"counts = {counts}", blocks[place])
    file.write_text("[[perft]]\n".join([head, *blocks]), encoding="utf-8")


# ---- playthroughs


def playthrough_file(variant: str, seats: int) -> Path:
    return DATA / "playthroughs" / f"{variant}_{seats}.txt"


def chosen(legal: Legal, number: int) -> Action:
    """The policy: plain arithmetic, nothing random; every eighth time the last range, mostly `end`."""
    entry = legal[len(legal) - 1] if number % 8 == 7 else legal[number * 2654435761 % 4294967296 % len(legal)]
    return entry.action(entry.lo + number * 40503 % 65536 % len(entry))


def policy_play(state: State, decisions: int) -> Iterator[tuple[int, int, Action]]:
    """(number, seat, action) of each decision, once it is played; of several seats the lowest is first."""
    for number in range(1, decisions + 1):
        if not state.pending():
            return
        seat = state.pending()[0]
        action = chosen(state.legal(seat), number)
        state.apply(seat, action)
        yield number, seat, action


def playthrough(variant: str, seats: int) -> Iterator[str]:
    """The lines of a playthrough: what each seat played, and at intervals a digest of the position."""
    game = engine_core.load(variant, seats=seats)
    state = game.new_state(seats)
    for number, seat, action in policy_play(state, DECISIONS):
        yield f"{seat} {game.action_text(action)}"
        if number % INTERVAL == 0:
            yield f"= {state.digest()[:16]}"
    yield f"# {state.text()}"


# ---- signatures


def signatures() -> dict[str, dict[str, str]]:
    """By variant and number of seats."""
    return {
        variant: {
            str(seats): f"{bench.signature(engine_core.load(variant, seats=seats)):016x}"
            for seats in seat_counts(variant)
        }
        for variant in VARIANTS
    }


def written_signatures() -> dict[str, dict[str, str]]:
    """As in the file, where the classic game's have no heading."""
    text = tomllib.loads(SIGNATURE.read_text(encoding="utf-8"))
    classic = {seats: number for seats, number in text.items() if isinstance(number, str)}
    return {"classic": classic} | {name: table for name, table in text.items() if isinstance(table, dict)}


def write_signatures() -> None:
    found = signatures()
    lines = ["# engine_core.bench.signature of the classic game by seats; see tests/engine/goldens.py."]
    for variant in ["classic", *(name for name in found if name != "classic")]:
        lines += [f"\n[{variant}]"] * (variant != "classic")
        lines += [f'"{seats}" = "{number}"' for seats, number in found[variant].items()]
    SIGNATURE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write() -> None:
    for variant, seats in GAMES:
        text = "\n".join(playthrough(variant, seats)) + "\n"
        playthrough_file(variant, seats).write_text(text, encoding="utf-8")
    write_signatures()
    for variant in VARIANTS:
        write_perft(variant)


if __name__ == "__main__":
    write()
