"""Text forms of positions, actions and events, from a game's description alone.

A position is one line of `key=value` tokens in any order; what equals its field's default is left out.

    lap=3 phase=attack reinforcements=2       scalars; names of territories, cards, phases, else numbers
    board=*:0x1,ALA:1x12,KAM:-x0              owner x troops; `*` stands for every territory not named
    cards=ALA:0,CHI:discard                   any other field with a value for each of a kind with names
    rolls=0*12,3,1                            any other row of values; `0*12` is twelve times 0

`-` and `?` are both -1: `-` is printed where none is the field's default, `?` (hidden) elsewhere.
An action is its name, its operands and its amount: `attack ALA KAM 3`, `trade ALA CHI wild1`, `end`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine_core.description import ON_BOARD, Description, Field, Kind
from engine_core.errors import TextError, unknown

HOLDERS = {100: "deck", 101: "discard", 102: "aside"}
CLAIMANTS = {ON_BOARD: "board"}
NO_OPERAND = 255
INT32 = range(-(1 << 31), 1 << 31)
_RUN = 3  # from this many equal neighbours on a row is written as value*count
_MOST_TRIED = 128  # values of a word that are tried one by one; above there are no names
_MOST_LISTED = 8
_NUMBER = re.compile(r"-?[0-9]{1,10}")


# ---- positions


def position_text(description: Description, words: Sequence[int]) -> str:
    """The position text of packed words (without the version word); ValueError on a wrong number of words."""
    if len(words) != description.words():
        raise ValueError(f"a position has {description.words()} words, not {len(words)}")
    return " ".join(filter(None, (group.token(words) for group in _groups(description))))


def parse_position(description: Description, text: str) -> list[int]:
    """The packed words of a position text; TextError with the key and item at fault."""
    words = [field.default for field in description.fields for _ in range(field.length)]
    groups = {group.key: group for group in _groups(description)}
    seen: set[str] = set()
    for number, token in enumerate(text.split(), 1):
        key, equals, value = token.partition("=")
        if not equals:
            raise TextError(f"{token!r} must be key=value", where=f"word {number}")
        if key not in groups:
            raise TextError(unknown("key", key, list(groups)), where=f"word {number}")
        if key in seen:
            raise TextError("is there twice", where=key)
        seen.add(key)
        groups[key].store(value, words)
    return words


@dataclass(frozen=True, slots=True)
class _Values:
    """The text form of one field's values."""

    what: str
    names: Mapping[int, str]
    numbers: Mapping[str, int]
    none: str

    def text(self, value: int) -> str:
        return self.none if value == -1 else self.names.get(value, str(value))

    def value(self, text: str, where: str) -> int:
        if text in ("-", "?"):
            return -1
        if text in self.numbers:
            return self.numbers[text]
        if _NUMBER.fullmatch(text) and int(text) in INT32:
            return int(text)
        valid = (*self.numbers, "-", "?", "a 32-bit number")
        raise TextError(unknown(self.what, text, valid), where=where)


@dataclass(frozen=True, slots=True)
class _Group:
    """The fields that share one token: owner and troops of the territories as `board`, else one field."""

    key: str
    fields: tuple[Field, ...]
    offsets: tuple[int, ...]
    values: tuple[_Values, ...]
    index: tuple[str, ...]  # what the items are called; empty for a scalar or a plain row

    @property
    def length(self) -> int:
        return self.fields[0].length

    @property
    def default(self) -> tuple[int, ...]:
        return tuple(field.default for field in self.fields)

    def token(self, words: Sequence[int]) -> str:
        """The token of these words, empty when all of them are the default."""
        items = [tuple(words[at + i] for at in self.offsets) for i in range(self.length)]
        if all(item == self.default for item in items):
            return ""
        return f"{self.key}={self._named(items) if self.index else self._row(items)}"

    def store(self, text: str, words: list[int]) -> None:
        """Write the items of a token's value into the words."""
        items = self._parse_named(text) if self.index else self._parse_row(text)
        for i, item in enumerate(items):
            for at, value in zip(self.offsets, item, strict=True):
                words[at + i] = value

    def _item(self, item: tuple[int, ...]) -> str:
        return "x".join(values.text(value) for values, value in zip(self.values, item, strict=True))

    def _parse_item(self, text: str, where: str) -> tuple[int, ...]:
        parts = text.split("x") if len(self.fields) > 1 else [text]
        if len(parts) != len(self.fields):
            raise TextError(f"must be {'x'.join(field.name for field in self.fields)}", where=where)
        return tuple(values.value(part, where) for values, part in zip(self.values, parts, strict=True))

    def _named(self, items: list[tuple[int, ...]]) -> str:
        base, count = Counter(items).most_common(1)[0]
        if count == items.count(self.default):
            base = self.default
        named = [("*", base)] if base != self.default else []
        named += [(name, item) for name, item in zip(self.index, items, strict=True) if item != base]
        return ",".join(f"{name}:{self._item(item)}" for name, item in named)

    def _parse_named(self, text: str) -> list[tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for part in text.split(","):
            where = f"{self.key}={part}"
            name, colon, value = part.partition(":")
            if not colon:
                raise TextError("must be name:value", where=where)
            if name != "*" and name not in self.index:
                raise TextError(unknown(self.fields[0].per, name, (*self.index, "*")), where=where)
            if name in found:
                raise TextError(f"{name} is there twice", where=where)
            found[name] = self._parse_item(value, where)
        rest = found.get("*", self.default)
        return [found.get(name, rest) for name in self.index]

    def _row(self, items: list[tuple[int, ...]]) -> str:
        parts = []
        for item, count in _runs(items):
            text = self._item(item)
            parts += [f"{text}*{count}"] if count >= _RUN else [text] * count
        return ",".join(parts)

    def _parse_row(self, text: str) -> list[tuple[int, ...]]:
        items: list[tuple[int, ...]] = []
        for part in text.split(","):
            where = f"{self.key}={part}"
            value, star, times = part.partition("*")
            if star and not (_NUMBER.fullmatch(times) and 1 <= int(times) <= self.length):
                raise TextError(f"must be value*count with a count in 1..{self.length}", where=where)
            items += [self._parse_item(value, where)] * (int(times) if star else 1)
        if len(items) != self.length:
            raise TextError(f"has {len(items)} values and must have {self.length}", where=self.key)
        return items


def impossible(description: Description, index: int, value: int, takes: Callable[[int], bool]) -> str:
    """What to say of a word that cannot be: that it is, and what `takes` holds possible in its place."""
    field = next(
        field for field in description.fields if 0 <= index - description.offset(field.name)[0] < field.length
    )
    values = _values(description, field)
    if value == field.default == -1:
        what = f"must be given here ({field.summary})" if field.summary else "must be given here"
    else:
        what = f"{values.text(value) if value >= 0 else value} is not possible here"
    numbers = [number for number in range(-1, _MOST_TRIED) if takes(number)]
    last = str(_highest(takes)) if takes(_MOST_TRIED) else ""
    return f"{what}; possible: {', '.join(_spans(values, numbers, last))}" if numbers else what


def _spans(values: _Values, numbers: Sequence[int], last: str) -> Iterator[str]:
    """The values in words, of many in a row the first and the last; `last` if they go on behind."""
    start = 0
    for end in range(1, len(numbers) + 1):
        named = [number in values.names or number < 0 for number in numbers[end - 1 : end + 1]]
        if end < len(numbers) and numbers[end] == numbers[end - 1] + 1 and named[0] == named[1]:
            continue
        run = [values.text(number) for number in numbers[start:end]]
        if last and end == len(numbers):
            run.append(last)
        if len(run) > (_MOST_LISTED if named[0] else 2):
            run = [f"{run[0]}..{run[-1]}"]
        yield from run
        start = end


def _highest(takes: Callable[[int], bool]) -> int:
    """The highest number that is possible, by halving."""
    low, high = _MOST_TRIED, INT32.stop
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if takes(middle) else (low, middle)
    return low


def _runs(items: list[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], int]]:
    start = 0
    for end in range(1, len(items) + 1):
        if end == len(items) or items[end] != items[start]:
            yield items[start], end - start
            start = end


def _groups(description: Description) -> Iterator[_Group]:
    fields = {field.name: field for field in description.fields}
    owner, troops = fields.get("owner"), fields.get("troops")
    paired = (
        owner is not None
        and troops is not None
        and "board" not in fields
        and owner.length == troops.length
        and (owner.of, owner.per, troops.of, troops.per) == ("colour", "territory", "number", "territory")
    )
    for field in description.fields:
        if paired and owner and troops and field is owner:
            yield _group(description, "board", (owner, troops))
        elif not (paired and field is troops):
            yield _group(description, field.name, (field,))


def _group(description: Description, key: str, fields: tuple[Field, ...]) -> _Group:
    items = description.names(fields[0].per)
    return _Group(
        key=key,
        fields=fields,
        offsets=tuple(description.offset(field.name)[0] for field in fields),
        values=tuple(_values(description, field) for field in fields),
        index=items if len(items) == fields[0].length else (),
    )


def _values(description: Description, field: Field) -> _Values:
    names = _names(description, field.of)
    return _Values(
        field.of, names, {name: n for n, name in names.items()}, "-" if field.default == -1 else "?"
    )


def _names(description: Description, of: str) -> dict[int, str]:
    if of == "holder":
        return HOLDERS
    if of == "claimant":
        return CLAIMANTS
    return dict(enumerate(description.names(of)))


# ---- actions and events


def action_text(description: Description, kind: int, a: int, b: int, c: int, n: int) -> str:
    """The text of an action; unused operands that are 0 are left out, and unknown numbers stay numbers.

    It never fails, so that an illegal action can be shown: an unknown kind reads `kind12 a b c n`, and an
    operand or amount that the kind does not use is named, as in `end (unused: b = 3, amount = 7)`.
    """
    if not 0 <= kind < len(description.actions):
        return f"kind{kind} {a} {b} {c} {n}"
    known = description.actions[kind]
    uses = dict(zip("abc", known.operands, strict=True)) | {"amount": known.amount}
    values = {"a": a, "b": b, "c": c, "amount": n}
    extra = ", ".join(f"{name} = {value}" for name, value in values.items() if value and not uses[name])
    return " ".join([*_call(description, known, (a, b, c), n), *([f"(unused: {extra})"] if extra else [])])


def parse_action(description: Description, text: str) -> tuple[int, int, int, int, int]:
    """(kind, a, b, c, n) of an action text; TextError with the 1-based word at fault."""
    words = text.split()
    by_name = {kind.name: number for number, kind in enumerate(description.actions)}
    if not words:
        raise TextError(f"an action is missing; kinds: {', '.join(by_name)}", where="word 1")
    if words[0] not in by_name:
        raise TextError(unknown("action", words[0], list(by_name)), where="word 1")
    kind = description.actions[by_name[words[0]]]
    used = [position for position, operand in enumerate(kind.operands) if operand]
    shape = [kind.operands[position] for position in used] + ([kind.amount] if kind.amount else [])
    if len(words) - 1 != len(shape):
        usage = " ".join((kind.name, *(f"<{part}>" for part in shape)))
        raise TextError(f"must be `{usage}`", where=f"word {min(len(words), len(shape) + 2)}")
    operands = [0, 0, 0]
    for number, position in enumerate(used, 1):
        where = f"word {number + 1}"
        operands[position] = _parse_operand(description, kind.operands[position], words[number], where)
    amount = _parse_amount(words[-1], f"word {len(words)}") if kind.amount else 0
    return by_name[kind.name], operands[0], operands[1], operands[2], amount


def event_text(
    description: Description, kind: int, seat: int, a: int, b: int, c: int, n: int, dice: Sequence[int] = ()
) -> str:
    """The text of an event: `0: attacked ALA KAM 3`, dice as `(6 5 2)`, no seat as `-`. Never fails."""
    who = str(seat) if 0 <= seat < description.seats else "-"
    if 0 <= kind < len(description.events):
        words = _call(description, description.events[kind], (a, b, c), n)
    else:
        words = [f"kind{kind}", str(a), str(b), str(c), str(n)]
    rolled = [f"({' '.join(map(str, dice))})"] if dice else []
    return f"{who}: {' '.join(words + rolled)}"


def _call(description: Description, kind: Kind, operands: tuple[int, int, int], n: int) -> list[str]:
    words = [kind.name]
    for of, operand in zip(kind.operands, operands, strict=True):
        if of:
            none = "-" if operand == NO_OPERAND else str(operand)
            words.append(_names(description, of).get(operand, none))
    return [*words, str(n)] if kind.amount else words


def _parse_operand(description: Description, of: str, text: str, where: str) -> int:
    names = {name: number for number, name in _names(description, of).items()}
    if text == "-":
        return NO_OPERAND
    if text in names:
        return names[text]
    if _NUMBER.fullmatch(text) and 0 <= int(text) <= 255:
        return int(text)
    raise TextError(unknown(of, text, (*names, "-", "a number in 0..255")), where=where)


def _parse_amount(text: str, where: str) -> int:
    if _NUMBER.fullmatch(text) and int(text) in INT32:
        return int(text)
    raise TextError(f"{text!r} is not a 32-bit number", where=where)
