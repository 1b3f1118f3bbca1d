"""Checked reading of TOML tables: every problem with its key path, not only the first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from engine_core.errors import hint as hint
from engine_core.errors import unknown

T = TypeVar("T")
Choice = TypeVar("Choice", bound=str)
Problems = list[tuple[str, str]]
Scalar = str | int | float | bool


def one_of(what: str, name: object, valid: Iterable[str]) -> str:
    """The message for a name that is not among the valid ones, which come sorted (see engine_core.errors)."""
    return unknown(what, name, sorted(valid))


class Table:
    """One TOML table being read; `done()` reports the keys that nobody asked for."""

    def __init__(self, data: Mapping[str, object], path: str, problems: Problems) -> None:
        self.data = data
        self.path = path
        self.problems = problems
        self.known: set[str] = set()

    def at(self, key: str) -> str:
        """The key path of one of this table's keys."""
        return f"{self.path}.{key}" if self.path else key

    def problem(self, key: str, message: str) -> None:
        """Report something wrong with a key (or with the table itself when the key is empty)."""
        self.problems.append((self.at(key) if key else self.path or "(top level)", message))

    def text(self, key: str, default: str | None = None) -> str:
        """A text that is not empty and can be printed in a line; required when there is no default."""
        value = self._typed(key, str, "a text", default)
        if key in self.data and value == "":
            self.problem(key, "must not be empty")
        elif value is not None and not value.isprintable():
            self.problem(key, f"must be printable, in one line, not {value!r}")
        return value if value is not None else ""

    def choice(self, key: str, valid: Sequence[Choice], default: Choice) -> Choice:
        """One of a few texts."""
        value = self._get(key)
        for option in valid:
            if option == value:
                return option
        if value is not None:
            self.problem(key, one_of(key.replace("_", " "), value, valid))
        return default

    def whole(self, key: str, default: int | None, low: int = 1) -> int:
        """A whole number of at least `low`; required when there is no default."""
        value = self._typed(key, int, f"a whole number of at least {low}", default)
        if value is not None and value < low:
            self.problem(key, f"{value} is too small; must be at least {low}")
        return value if value is not None else low

    def seconds(self, key: str, default: float, *, zero: bool = False) -> float:
        """A positive number of seconds; with `zero` it may be 0."""
        value = self._get(key)
        if value is None:
            return default
        if isinstance(value, int | float) and not isinstance(value, bool) and _in_range(value, zero):
            return float(value)
        wanted = "0 or a positive" if zero else "a positive"
        self.problem(key, f"must be {wanted} number of seconds, not {value!r}")
        return default

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._typed(key, bool, "true or false", default)
        return default if value is None else value

    def texts(self, key: str, default: Sequence[str] | None = ()) -> tuple[str, ...]:
        """A list of texts; required when the default is None."""
        value = self._typed(key, list, "a list of texts", list(default) if default is not None else None)
        items = value or []
        for index, item in enumerate(items):
            if not isinstance(item, str) or not item:
                self.problem(f"{key}[{index}]", f"must be a text, not {item!r}")
        return tuple(item for item in items if isinstance(item, str))

    def scalars(self, key: str) -> dict[str, Scalar]:
        """A table of plain values (options), empty when absent."""
        value = self._typed(key, dict, "a table", {}) or {}
        for name, item in value.items():
            if not isinstance(item, str | int | float | bool):
                self.problem(f"{key}.{name}", f"must be a text, a number or true/false, not {item!r}")
        return {name: item for name, item in value.items() if isinstance(item, str | int | float | bool)}

    def table(self, key: str) -> Table:
        """A table of this one, empty when absent."""
        return Table(self._typed(key, dict, "a table", {}) or {}, self.at(key), self.problems)

    def tables(self, key: str) -> list[Table]:
        """A list of tables; each must be a table."""
        found = []
        for index, item in enumerate(self.items(key)):
            if isinstance(item, dict):
                found.append(Table(item, f"{self.at(key)}[{index}]", self.problems))
            else:
                self.problem(f"{key}[{index}]", f"must be a table, not {item!r}")
        return found

    def items(self, key: str) -> list[object]:
        """A required list with at least one entry."""
        value = self._typed(key, list, "a list with at least one entry", None)
        if value == []:
            self.problem(key, "must have at least one entry")
        return value or []

    def done(self) -> None:
        """Report the keys that nobody asked for."""
        for key in self.data:
            if key not in self.known:
                self.problem(key, one_of("key", key, self.known))

    def _get(self, key: str) -> object:
        self.known.add(key)
        return self.data.get(key)

    def _typed(self, key: str, kind: type[T], expected: str, default: T | None) -> T | None:
        value = self._get(key)
        if value is None:
            if default is None:
                self.problem(key, f"is missing; must be {expected}")
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.problem(key, f"must be {expected}, not {value!r}")
            return default
        return value


def _in_range(seconds: float, zero: bool) -> bool:
    return 0 < seconds < float("inf") or (zero and seconds == 0)
