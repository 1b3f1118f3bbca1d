"""Write the drawn boards, and the parts of pages between `<!-- generated: WHAT -->` and `<!-- end -->`.

`python docs/generate.py` rewrites the pages in place; `--check` only names stale ones and exits 1.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import engine_core
import engine_core.facts
from arena import hookspecs
from arena.drawing.registry import drawing_of
from engine_core.description import Field, Kind
from engine_core.facts import Section

ROOT = Path(__file__).resolve().parent.parent
BOARDS = ROOT / "docs" / "variants" / "boards"
BOARD_SEED = 1
TEXT_COLUMNS = 118
NAMED = {"options", "missions", "objectives", "rewards"}  # sections whose first column names what bots see
# Suffix of a source file -> how a fenced block of it is marked.
SOURCES = {".ts": "ts", ".go": "go", ".rs": "rust", ".java": "java", ".cpp": "cpp"}
PART = re.compile(r"(<!-- generated: (\w+)((?: [^\s>]+)*) -->\n)(.*?)(<!-- end -->)", re.S)


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    cells = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def code(text: object) -> str:
    """A text in code style, or nothing."""
    return f"`{text}`" if text != "" else ""


def facts(variant: str) -> str:
    """All that is known about a variant, as `arena variants NAME` prints it."""
    return "\n".join(_section(section) for section in engine_core.facts.facts(variant))


def _section(section: Section) -> str:
    rows = [(_name(section, row[0]), *row[1:]) for row in section.rows]
    parts = [f"## {section.title}\n", _wrapped(section.text), table(section.heads, rows) if rows else ""]
    return "\n".join(part for part in parts if part)


def _name(section: Section, cell: str) -> str:
    return code(cell) if section.name in NAMED else cell


def _wrapped(text: str) -> str:
    return (
        textwrap.fill(text, TEXT_COLUMNS, break_long_words=False, break_on_hyphens=False) + "\n"
        if text
        else ""
    )


def board(variant: str) -> str:
    """The picture of a variant's board, which `boards` draws."""
    return f"![The board of {variant} at the start of a game](boards/{variant}.svg)\n"


def boards() -> dict[Path, str]:
    """The drawing of every variant's board after a set-up at random."""
    drawn = {}
    for name in engine_core.variants():
        game = engine_core.load(name)
        drawing = drawing_of(game)
        drawn[BOARDS / f"{name}.svg"] = drawing.svg(drawing.example(game, BOARD_SEED))
    return drawn


def variants() -> str:
    """Every variant with its seats, linked to its page."""
    rows = [
        (
            f"[{name}]({name}.md)",
            variant.family,
            "-".join(map(str, sorted(set(variant.seats)))),
            variant.summary,
        )
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
    return _fields(engine_core.load(variant).description.fields)


def fields_beyond(variant: str, other: str) -> str:
    """The fields that a variant's views have and another's have not."""
    known = {field.name for field in engine_core.load(other).description.fields}
    added = [field for field in engine_core.load(variant).description.fields if field.name not in known]
    if not added:
        return f"A view has the fields of `{other}`, and no others.\n"
    return f"A view has the fields of `{other}`, and these behind them:\n\n{_fields(added)}"


def _fields(chosen: Sequence[Field]) -> str:
    rows = [(code(field.name), field.per or "-", field.of, field.summary) for field in chosen]
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


def random_bots() -> str:
    """The random bot of every SDK but Python's, which the page begins with."""
    found = sorted((ROOT / "bots" / "sdk").glob("*/examples/random"))
    return "\n".join(_random_bot(folder) for folder in found if folder.parts[-3] != "python")


def _random_bot(folder: Path) -> str:
    """Its source in a fenced block; what a build left there is not tracked and not shown."""
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "."], cwd=folder, check=True, capture_output=True
    )
    source = next(
        path for name in listing.stdout.decode().split() if (path := folder / name).suffix in SOURCES
    )
    text = source.read_text(encoding="utf-8")
    return f"```{SOURCES[source.suffix]}\n{text}```\n"


def shell_bot() -> str:
    """The JSON-lines bot in POSIX shell."""
    text = (ROOT / "bots" / "shell_random" / "bot.sh").read_text(encoding="utf-8")
    return f"```bash\n{text}```\n"


def _sentence(documented: object) -> str:
    """The first paragraph of a docstring."""
    return " ".join((documented.__doc__ or "").partition("\n\n")[0].split())


GENERATORS: dict[str, Callable[..., str]] = {
    function.__name__: function
    for function in (
        facts,
        board,
        variants,
        actions,
        events,
        fields,
        fields_beyond,
        hooks,
        leaderboard,
        random_bots,
        shell_bot,
    )
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
    """Write or check all pages and boards; 1 when checking finds a stale one."""
    wanted = {page: fill(page.read_text(encoding="utf-8")) for page in pages()} | boards()
    stale = [
        path
        for path, text in wanted.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        print(path.relative_to(ROOT))
        if "--check" not in arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
    return int(bool(stale)) if "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
