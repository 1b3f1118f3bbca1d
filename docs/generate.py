"""Write the generated parts of the pages: what stands between `<!-- generated: WHAT -->` and `<!-- end -->`.

`python docs/generate.py` rewrites the pages in place; `--check` only names stale ones and exits 1.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import engine_core
from arena import hookspecs
from engine_core.description import Kind

ROOT = Path(__file__).resolve().parent.parent
PART = re.compile(r"(<!-- generated: (\w+)((?: [^\s>]+)*) -->\n)(.*?)(<!-- end -->)", re.S)


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    cells = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def code(text: object) -> str:
    """A text in code style, or nothing."""
    return f"`{text}`" if text != "" else ""


def options(variant: str) -> str:
    """Every option of a variant with its values and this variant's default."""
    rows = [
        (code(option.name), option.allowed, code(option.default), option.doc, option.source)
        for option in engine_core.variants()[variant].options
    ]
    return table(("option", "allowed", "default", "what it changes", "source of the default"), rows)


def variants() -> str:
    """Every variant with its seats, linked to its page."""
    rows = [
        (f"[{name}]({name}.md)", variant.family, "{}-{}".format(*variant.seats), variant.summary)
        for name, variant in engine_core.variants().items()
    ]
    return table(("variant", "family", "seats", "what it is"), rows)


def actions(variant: str) -> str:
    """The kinds of actions of a variant's family."""
    return _kinds(engine_core.load(variant).description.actions)


def events(variant: str) -> str:
    """The kinds of events of a variant's family."""
    return _kinds(engine_core.load(variant).description.events)


def _kinds(kinds: Sequence[Kind]) -> str:
    rows = [
        (number, code(kind.name), *kind.operands, kind.amount, kind.summary)
        for number, kind in enumerate(kinds)
    ]
    return table(("kind", "name", "a", "b", "c", "n", "what it is"), rows)


def fields(variant: str) -> str:
    """The fields of a variant's views, in the order in which they travel."""
    rows = [
        (code(field.name), field.per or "-", field.of, field.summary)
        for field in engine_core.load(variant).description.fields
    ]
    return table(("field", "one for each", "holds", "what it is"), rows)


def hooks() -> str:
    """Every hook with the first sentence of its documentation."""
    found = [
        (name, hook)
        for name, hook in vars(hookspecs).items()
        if hasattr(hook, f"{hookspecs.ENTRY_POINT_GROUP}_spec")
    ]
    return table(("hook", "what it does"), [(code(name), _sentence(hook)) for name, hook in found])


def leaderboard(folder: str) -> str:
    """The standings and the pairwise table of a published run, from the files in its folder."""
    place = ROOT / folder
    run = json.loads((place / "run.json").read_text(encoding="utf-8"))
    standings, pairs = _csv(place / "standings.csv"), _csv(place / "pairwise.csv")
    heads = ("#", "player", "games", "score %", "wins %", "capped %", "faults", "live elo")
    rows = [(rank, *_standing(row)) for rank, row in enumerate(standings, 1)]
    names = [row["player"] for row in standings]
    shares = {
        (row["player"], row["opponent"]): 100 * (float(row["outscored"]) + float(row["tied"]) / 2)
        for row in pairs
    }
    pairwise = [
        [code(name), *(f"{shares[name, other]:.1f}" if (name, other) in shares else "" for other in names)]
        for name in names
    ]
    played = f"{run['games']} games in {run['matches']} matches, content hash `{run['content_hash']}`."
    against = table(("row against column, %", *(code(name) for name in names)), pairwise)
    return f"{table(heads, rows)}\n{against}\n{played}\n"


def _standing(row: dict[str, str]) -> tuple[object, ...]:
    score, games = 100 * float(row["score"]), int(row["games"])
    error = f" ± {100 * float(row['score_se']):.1f}" if row["score_se"] else ""
    wins, capped = 100 * int(row["wins"]) / games, 100 * float(row["capped"])
    rating = f"{float(row['rating']):.0f}" if row["rating"] else "-"
    return (
        code(row["player"]),
        games,
        f"{score:.1f}{error}",
        f"{wins:.1f}",
        f"{capped:.1f}",
        row["faults"],
        rating,
    )


def _csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _sentence(documented: object) -> str:
    """The first paragraph of a docstring."""
    return " ".join((documented.__doc__ or "").partition("\n\n")[0].split())


GENERATORS: dict[str, Callable[..., str]] = {
    function.__name__: function
    for function in (options, variants, actions, events, fields, hooks, leaderboard)
}


def fill(text: str) -> str:
    """A page with each generated part made anew; KeyError for a part nobody makes."""

    def part(match: re.Match[str]) -> str:
        return match[1] + GENERATORS[match[2]](*match[3].split()) + match[5]

    return PART.sub(part, text)


def pages() -> list[Path]:
    """Every Markdown page of the repository."""
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, check=True, capture_output=True
    )
    return [ROOT / name for name in listing.stdout.decode().split() if (ROOT / name).is_file()]


def main(arguments: Sequence[str]) -> int:
    """Write or check all pages; the number of stale pages when checking."""
    stale = 0
    for page in pages():
        old = page.read_text(encoding="utf-8")
        new = fill(old)
        if new != old:
            print(page.relative_to(ROOT))
            stale += 1
            if "--check" not in arguments:
                page.write_text(new, encoding="utf-8")
    return int(bool(stale)) if "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
