"""The endor family as an SVG picture: rings of sectors round the Death Star, with the tracks beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import cos, radians, sin
from typing import TYPE_CHECKING

from arena.drawing.families.endor import scene
from arena.drawing.families.endor.scene import EMPIRE, REBELS, Area, Track
from engine_core.endor.tables import FIGHTERS, SPECIAL_SHIPS

if TYPE_CHECKING:
    from engine_core import View

RADIUS = 3.4  # pixels to a hundredth of a ring's radius
CENTRE = (440, 370)
PANEL, WIDTH, HEIGHT = 900, 1240, 820  # where the tracks start; the picture's size
PAPER, INK, LINE, FAINT = "#10141f", "#f2f2f2", "#5a6684", "#8b95ad"
EMPTY = "#1b2233"
TINTS = {REBELS: "#4a1f24", EMPIRE: "#1d3a5f", "": EMPTY}
COLOURS = {REBELS: "#e0523f", EMPIRE: "#4f9be8"}
FILLS = {
    "xwing": "#e0523f",
    "ywing": "#f2c230",
    "bwing": "#f08a3c",
    "tie": "#4f9be8",
    "falcon": "#ffffff",
    "executor": "#b9d4f2",
}
PILL = 17  # the height of a ship's mark
TRACK_BOX, SHIELD_BOX, SHIELD_ROW = 22, 44, 7


def board_svg(view: View) -> str:
    """The space battle with its pieces, the shield track and the duel as SVG text."""
    title = escape(f"The board of {view.game.ruleset.name}")
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="12" text-anchor="middle">\n<title>{title}</title>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>'
    )
    return "\n".join([head, *_space(view), *_panel(view), "</svg>"])


# ---- space


def _space(view: View) -> Iterator[str]:
    there, up = scene.ships(view), scene.markers(view)
    down = view.shield >= len(scene.shield(view))
    inner = min(area.radii[0] for area in scene.areas(view.game.ruleset).values()) * RADIUS
    yield f'<circle cx="{CENTRE[0]}" cy="{CENTRE[1]}" r="{inner:.1f}" fill="#6b7280" stroke="{INK}"/>'
    yield _text(CENTRE[0], CENTRE[1] - 2, "Death Star", size=13, bold=True)
    yield _text(CENTRE[0], CENTRE[1] + 16, "without shield" if down else "shielded", size=11)
    for name, area in scene.areas(view.game.ruleset).items():
        yield f'<g data-place="{name}">'
        yield from _place(name, area, there[name], up.get(name))
        yield "</g>"


def _place(name: str, area: Area, there: Mapping[str, int], up: bool | None) -> Iterator[str]:
    """A sector, or a fleet marker: face up, or destroyed with a broken edge."""
    side = scene.owner(there) or (REBELS if up else "")
    dashes = ' stroke-dasharray="5 4"' if up is False else ""
    edge = LINE if up is None else COLOURS[REBELS]
    yield f'<path d="{_wedge(area)}" fill="{TINTS[side]}" stroke="{edge}" stroke-width="1.5"{dashes}/>'
    x, y = _at(sum(area.angles) / 2, sum(area.radii) / 2)
    rows = list(_rows(there))
    top = y - (len(rows) * PILL) / 2
    note = {True: " fleet", False: " gone"}.get(up, "") if up is not None else ""
    yield _text(x, top + 3, name + note, fill=FAINT)
    for number, row in enumerate(rows):
        yield from _pills(row, x, top + 8 + number * PILL)


def _rows(there: Mapping[str, int]) -> Iterator[list[tuple[str, str]]]:
    """The marks of a place in rows: two kinds of fighters each, then each special ship."""
    fighters = [(ship, f"{scene.LETTERS[ship]} {there[ship]}") for ship in FIGHTERS if ship in there]
    for start in range(0, len(fighters), 2):
        yield fighters[start : start + 2]
    for ship in SPECIAL_SHIPS:
        if ship in there:
            yield [(ship, scene.LETTERS[ship])]


def _pills(row: Sequence[tuple[str, str]], x: float, y: float) -> Iterator[str]:
    widths = [max(34, 8 * len(text)) for _, text in row]
    left = x - (sum(widths) + 2 * (len(row) - 1)) / 2
    for (ship, text), width in zip(row, widths, strict=True):
        yield (
            f'<g data-ship="{ship}"><rect x="{left:.1f}" y="{y:.1f}" width="{width}" height="{PILL - 2}" '
            f'rx="4" fill="{FILLS[ship]}"/>{_text(left + width / 2, y + 12, text, fill=PAPER, bold=True)}</g>'
        )
        left += width + 2


def _wedge(area: Area) -> str:
    """The outline of a part of a ring."""
    (start, end), (inner, outer) = area.angles, area.radii
    large = int(end - start > 180)
    corners = [_at(start, inner), _at(start, outer), _at(end, outer), _at(end, inner)]
    a, b, c, d = (f"{x:.1f} {y:.1f}" for x, y in corners)
    far, near = outer * RADIUS, inner * RADIUS
    return f"M{a}L{b}A{far:.1f} {far:.1f} 0 {large} 0 {c}L{d}A{near:.1f} {near:.1f} 0 {large} 1 {a}Z"


def _at(angle: float, radius: float) -> tuple[float, float]:
    """The pixel at an angle from the bottom, towards the right, and a radius in hundredths."""
    turned = radians(angle)
    return CENTRE[0] + sin(turned) * radius * RADIUS, CENTRE[1] + cos(turned) * radius * RADIUS


# ---- tracks


def _panel(view: View) -> Iterator[str]:
    yield _text(PANEL, 40, scene.standing(view), size=16, bold=True, anchor="start")
    y = 80
    for track in scene.tracks(view):
        yield from _track(track, y)
        y += 56
    redeemed = "Vader is redeemed. " if view.redeemed else ""
    lost = ", ".join(f"{scene.LETTERS[ship]} {n}" for ship, n in zip(FIGHTERS, view.box, strict=True))
    yield _text(PANEL, y, f"{redeemed}Aboard the Executor: TIE {view.aboard}", anchor="start")
    yield _text(PANEL, y + 20, f"In the box: {lost}", anchor="start")
    yield from _shield(view, y + 58)
    yield from _cards(view, HEIGHT - 110)


def _track(track: Track, y: int) -> Iterator[str]:
    """A box for each hit, the last one at the right; those taken are dark."""
    yield f'<g data-track="{track.name}">'
    yield _text(PANEL, y, f"{track.name}: {track.left} of {track.hits} hits left", anchor="start")
    for number in range(track.hits):
        left = track.hits - number
        fill = EMPTY if left > track.left else COLOURS[REBELS] if left <= track.red else FAINT
        x = PANEL + number * TRACK_BOX
        edge = INK if left == track.left else LINE
        yield _box(x, y + 8, TRACK_BOX - 2, TRACK_BOX - 2, fill, edge)
        yield _text(x + TRACK_BOX / 2 - 1, y + 22, str(left), fill=LINE if left > track.left else PAPER)
    yield "</g>"


def _shield(view: View, y: int) -> Iterator[str]:
    """The spaces with the lowest die for each; those gone are dark, storm troopers stand on the next."""
    spaces = scene.shield(view)
    yield '<g data-track="Shield">'
    text = f"Shield: {view.shield} of {len(spaces)} spaces gone, {view.troopers} storm troopers"
    yield _text(PANEL, y, text, anchor="start")
    for number, space in enumerate(spaces):
        row, column = divmod(number, SHIELD_ROW)
        x, top = PANEL + column * SHIELD_BOX, y + 10 + row * SHIELD_BOX
        gone = number < view.shield
        edge = INK if number == view.shield else LINE
        yield _box(x, top, SHIELD_BOX - 4, SHIELD_BOX - 4, EMPTY if gone else "#2f6b4f", edge)
        yield _text(x + 20, top + 17, f"{space}+", fill=LINE if gone else INK, size=13)
        if number == view.shield:
            yield _text(x + 14, top + 34, "next", fill=INK, size=10)
        if view.shield <= number < view.shield + view.troopers:
            yield f'<circle data-trooper="{number}" cx="{x + 33}" cy="{top + 30}" r="5" fill="{INK}"/>'
    yield "</g>"


def _cards(view: View, y: int) -> Iterator[str]:
    """What each seat holds, and a key to the marks."""
    description = view.game.description
    sides = description.names("side")
    for seat, colour in enumerate(description.colours):
        team = description.teams[seat]
        pile = view.pile_count[seat] if view.pile_count[seat] >= 0 else "?"
        text = f"{colour}: hand {view.held[seat]}, pile {pile}, deck {view.deck_count[team]}"
        yield _text(PANEL, y + 18 * seat, text, fill=COLOURS[sides[team]], anchor="start")
    key = "X, Y, B: Rebel fighters, TIE: Imperial fighters; white circles: storm troopers"
    yield _text(20, HEIGHT - 14, key, fill=FAINT, anchor="start")


def _box(x: float, y: float, width: int, height: int, fill: str, edge: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="3" fill="{fill}" stroke="{edge}"/>'


def _text(
    x: float, y: float, text: str, *, size: int = 12, fill: str = INK, bold: bool = False, anchor: str = ""
) -> str:
    more = (' font-weight="bold"' if bold else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}"{more}>{escape(text)}</text>'
