"""The endor family in a terminal: the sectors as labels such as `O3 X5Y4`, the tracks as lines below."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import cos, radians, sin
from typing import TYPE_CHECKING

from arena.drawing.board import FAINT, apart
from arena.drawing.families.endor import scene
from arena.drawing.families.endor.scene import EMPIRE, REBELS
from arena.drawing.families.endor.sentences import ROUND_WORD, Teller
from engine_core.endor.describe import DEATH_STAR
from engine_core.endor.tables import FIGHTERS

if TYPE_CHECKING:
    from rich.text import Text

    from engine_core import Event, Game, View

COLUMNS, ROWS = 80, 17  # of the board where there is no terminal
LARGEST = (120, 34)
LEAST_ROWS = 14  # fewer have no room for every label
LEAST_NOTES = 3
STYLES = {REBELS: "bold red", EMPIRE: "bold blue", "": FAINT}
MARKS = {"xwing": "X", "ywing": "Y", "bwing": "B", "tie": "T", "falcon": "Fa", "executor": "Ex"}
KEY = "XYBT fighters, Fa Falcon, Ex Executor"
ROOM = len("M1 X20Y16B15Fa")  # the longest label
LABEL = 20  # columns of a player's name, if there is room
LEAST_SEAT = 39  # columns of a seat's line; two stand side by side where there is room


class EndorShow:
    """The three battles line by line, and what happens in sentences."""

    def __init__(self, game: Game, labels: Sequence[str]) -> None:
        self.game = game
        self.labels = labels
        self.teller = Teller(game)
        self.places: dict[tuple[int, int], dict[str, tuple[int, int]]] = {}

    def tell(self, events: Iterable[Event], _view: View) -> list[str]:
        """The sentences that these events complete."""
        return self.teller.tell(events)

    def rest(self) -> list[str]:
        """What is being told and not complete yet."""
        return self.teller.rest()

    def starts(self, sentence: str) -> bool:
        """Whether a sentence starts a round."""
        return sentence.startswith(ROUND_WORD)

    def frame(self, view: View, width: int, height: int | None, notes: Sequence[str]) -> list[Text]:
        """A head line, the board, the tracks, the seats, the latest sentences."""
        from rich.text import Text

        columns = min(width, COLUMNS if height is None else LARGEST[0])
        below = [*_tracks(view), *self._seats(view, columns)]
        rows = ROWS
        if height is not None:
            rows = max(LEAST_ROWS, min(LARGEST[1], height - 1 - len(below) - LEAST_NOTES))
        head = Text(f"{scene.standing(view)}   ").append(KEY, FAINT)
        lines = [head, *self._board(view, columns, rows), *below]
        if height is not None:
            lines += [Text(line) for line in _latest(notes, width, height - len(lines))]
        for line in lines:
            line.truncate(width, overflow="ellipsis")
        return lines

    def _board(self, view: View, width: int, height: int) -> Iterator[Text]:
        """Every sector and marker in the colour of who is there, round the Death Star."""
        places = self._places(width, height)
        letters = [[" "] * width for _ in range(height)]
        styles = [[""] * width for _ in range(height)]
        for name, (label, style) in _labels(view).items():
            x, y = places[name]
            for offset, letter in enumerate(label[: width - x]):
                letters[y][x + offset], styles[y][x + offset] = letter, style
        for row, row_styles in zip(letters, styles, strict=True):
            yield _line(zip(row, row_styles, strict=True))

    def _places(self, width: int, height: int) -> dict[str, tuple[int, int]]:
        """The left end of each label."""
        if (width, height) not in self.places:
            spots = _spots(self.game, width, height)
            ends = apart(list(spots.values()), ROOM, width, height)
            self.places[width, height] = dict(zip(spots, ends, strict=True))
        return self.places[width, height]

    def _seats(self, view: View, width: int) -> Iterator[Text]:
        """What each seat has, two in a line where there is room; long names are cut, never the counts."""
        from rich.text import Text

        sides, teams = self.game.description.names("side"), self.game.description.teams
        beside = 2 if width >= 2 * LEAST_SEAT + 2 else 1
        columns = max(LEAST_SEAT, (width - 2) // 2)
        cells = []
        for seat, colour in enumerate(self.game.description.colours):
            hand, pile, deck = view.held[seat], view.pile_count[seat], view.deck_count[teams[seat]]
            counts = f"hand {_known(hand)} pile {_known(pile)} deck {_known(deck)}"
            room = columns - len(colour) - len(counts) - 2
            text = f"{colour} {_cut(self.labels[seat], min(room, LABEL)):<{min(room, LABEL)}} {counts}"
            cells.append(Text(f"{text:<{columns}}", STYLES[sides[teams[seat]]]))
        for start in range(0, len(cells), beside):
            yield Text("  ").join(cells[start : start + beside])


def _latest(notes: Sequence[str], width: int, room: int) -> list[str]:
    """The latest notes, in so many lines; of the one that has no room left the start."""
    lines: list[str] = []
    for note in reversed(notes):
        wrapped = textwrap.wrap(note, width, subsequent_indent="  ")
        left = room - len(lines)
        if left <= 0:
            break
        if len(wrapped) > left:
            wrapped = [*wrapped[: left - 1], _cut(f"{wrapped[left - 1]} {wrapped[left].strip()}", width)]
        lines[:0] = wrapped
    return lines


def _cut(text: str, room: int) -> str:
    """The start of a text that is too long, with an ellipsis."""
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _spots(game: Game, width: int, height: int) -> dict[str, tuple[int, int]]:
    """Where the middle of each label should be: the rings become ellipses, the Rebels at the bottom."""
    around = {
        name: (sin(angle) * radius, cos(angle) * radius)
        for name, area in scene.areas(game.ruleset).items()
        for angle, radius in [(radians(sum(area.angles) / 2), sum(area.radii) / 2)]
    }
    around = {DEATH_STAR: (0.0, 0.0), **around}
    xs, ys = zip(*around.values(), strict=True)
    across = (width - ROOM) / (max(xs) - min(xs))
    down = (height - 1) / (max(ys) - min(ys))
    return {
        name: (ROOM // 2 + round((x - min(xs)) * across), round((y - min(ys)) * down))
        for name, (x, y) in around.items()
    }


def _labels(view: View) -> dict[str, tuple[str, str]]:
    """The text and the style of each place."""
    up = scene.markers(view)
    state = "open" if view.shield >= len(scene.shield(view)) else "shielded"
    labels = {DEATH_STAR: (f"({DEATH_STAR} {state})", STYLES[EMPIRE])}
    for place, there in scene.ships(view).items():
        text = "".join(
            MARKS[ship] + (str(count) if ship in FIGHTERS else "") for ship, count in there.items()
        )
        nothing = "-" if up.get(place, True) else "gone"
        side = scene.owner(there) or (REBELS if up.get(place) else "")
        labels[place] = (f"{place} {text or nothing}", STYLES[side])
    return labels


def _tracks(view: View) -> Iterator[Text]:
    """The shield track, the duel, and the special ships with the TIE fighters aboard and all lost."""
    from rich.text import Text

    spaces, gone = scene.shield(view), view.shield
    line = Text(f"Shield {gone}/{len(spaces)} gone ").append("." * gone + ">", FAINT)
    for number, space in enumerate(spaces[gone:]):
        trooper = number < view.troopers
        line.append(f"{space}t" if trooper else str(space), STYLES[EMPIRE] if trooper else "")
    yield line.append(f"  {view.troopers} troopers" if view.troopers else "")
    falcon, executor, luke, vader = (
        f"{track.name} {track.left}/{track.hits} {'#' * track.left}{'.' * (track.hits - track.left)}"
        for track in scene.tracks(view)
    )
    redeemed = "  redeemed" if view.redeemed else ""
    yield Text("  ").join([Text(luke, STYLES[REBELS]), Text(f"{vader}{redeemed}", STYLES[EMPIRE])])
    lost = " ".join(f"{MARKS[ship]}{count}" for ship, count in zip(FIGHTERS, view.box, strict=True))
    ships = [Text(falcon, STYLES[REBELS]), Text(executor, STYLES[EMPIRE])]
    yield Text("  ").join([*ships, Text(f"aboard T{view.aboard}", STYLES[EMPIRE]), Text(f"box {lost}")])


def _line(cells: Iterable[tuple[str, str]]) -> Text:
    from rich.text import Text

    line = Text()
    for style, run in groupby(cells, key=lambda cell: cell[1]):
        line.append("".join(letter for letter, _ in run), style)
    return line


def _known(count: int) -> str:
    return str(count) if count >= 0 else "?"
