"""Reading parsed TOML or JSON with checks: every error names the key path, and unused keys are errors."""

from __future__ import annotations

from collections.abc import Collection

from engine_core.errors import RulesetError, unknown


class TableError(RulesetError):
    """A bad value in a table; `where` is its key path, such as `territories[3].region`."""

    def __init__(self, where: str, message: str) -> None:
        self.where = where
        self.message = message
        super().__init__(f"{where}: {message}")


class Table:
    """One table and its key path; it remembers which keys were used, so that `done` can refuse the rest."""

    def __init__(self, value: object, where: str = "") -> None:
        if not isinstance(value, dict):
            raise TableError(where or "(top)", "must be a table")
        self.where = where
        self._items: dict[str, object] = value
        self._asked: set[str] = set()

    def path(self, key: str) -> str:
        """The full path of a key of this table."""
        return f"{self.where}.{key}" if self.where else key

    def __contains__(self, key: str) -> bool:
        self._asked.add(key)
        return key in self._items

    def names(self) -> tuple[str, ...]:
        """All keys in file order; asking for them counts as using them."""
        self._asked.update(self._items)
        return tuple(self._items)

    def value(self, key: str) -> object:
        """The raw value; TableError when the key is missing."""
        self._asked.add(key)
        if key not in self._items:
            raise TableError(self.path(key), "is missing")
        return self._items[key]

    def string(self, key: str) -> str:
        """A printable text of at least one character."""
        return _string(self.value(key), self.path(key))

    def label(self, key: str) -> str:
        """A printable text that may be empty."""
        return "" if self.value(key) == "" else self.string(key)

    def integer(self, key: str, lo: int, hi: int) -> int:
        """A whole number in lo..hi."""
        return _integer(self.value(key), self.path(key), lo, hi)

    def table(self, key: str) -> Table:
        """A table inside this one."""
        return Table(self.value(key), self.path(key))

    def tables(self, key: str) -> list[Table]:
        """A list of tables."""
        return [Table(item, where) for where, item in self._list(key)]

    def strings(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(_string(item, where) for where, item in self._list(key))

    def integers(self, key: str, lo: int, hi: int) -> tuple[int, ...]:
        """A list of whole numbers, each in lo..hi."""
        return tuple(_integer(item, where, lo, hi) for where, item in self._list(key))

    def rows(self, key: str) -> list[Table]:
        """A list of lists, each as a table whose keys are the positions 0, 1, ..."""
        return [Table(_numbered(item, where), where) for where, item in self._list(key)]

    def row_integers(self, lo: int, hi: int) -> tuple[int, ...]:
        """The values of one row of `rows` as whole numbers."""
        return tuple(self.integer(key, lo, hi) for key in self.names())

    def choice(self, key: str, valid: Collection[str], what: str) -> str:
        """A text that is one of `valid`."""
        name = self.string(key)
        if name not in valid:
            raise TableError(self.path(key), unknown(what, name, valid))
        return name

    def done(self) -> None:
        """TableError when a key was never asked for; the message lists the valid keys."""
        for key in self._items:
            if key not in self._asked:
                raise TableError(self.path(key), unknown("key", key, sorted(self._asked)))

    def _list(self, key: str) -> list[tuple[str, object]]:
        value = self.value(key)
        if not isinstance(value, list):
            raise TableError(self.path(key), "must be a list")
        return [(f"{self.path(key)}[{index}]", item) for index, item in enumerate(value)]


def rows_with(rows: list[Table], *keys: str) -> list[Table]:
    """The rows, after making sure that each has these keys and no other."""
    for row in rows:
        for key in keys:
            row.value(key)
        row.done()
    return rows


def _numbered(value: object, where: str) -> dict[str, object]:
    if not isinstance(value, list):
        raise TableError(where, "must be a list")
    return {str(index): item for index, item in enumerate(value)}


def _string(value: object, where: str) -> str:
    if not isinstance(value, str) or not value or not value.isprintable():
        raise TableError(where, f"must be a printable text, not {value!r}")
    return value


def _integer(value: object, where: str, lo: int, hi: int) -> int:
    if type(value) is not int or not lo <= value <= hi:
        raise TableError(where, f"must be a whole number in {lo}..{hi}, not {value!r}")
    return value
