"""In-memory table that knows only the DynamoDB expressions of the limits item."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from typing import Any

from chalicelib.adapters.aws.table import ConditionFailed, QueryPage, Row, Write

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": lambda left, right: bool(left == right),
    "<>": lambda left, right: bool(left != right),
    "<": lambda left, right: bool(left < right),
    "<=": lambda left, right: bool(left <= right),
    ">": lambda left, right: bool(left > right),
    ">=": lambda left, right: bool(left >= right),
}


class MemoryTable:
    """Fake of `Table`; a test may disturb the next write."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], Row] = {}
        self.loses_answer = False
        """The next write succeeds, but its answer is lost."""
        self.before_write: Callable[[], None] | None = None
        """Concurrent change just before the next write."""

    def get(self, pk: str, sk: str = "META") -> Row | None:
        return deepcopy(self.items.get((pk, sk)))

    def query(self, condition: str, values: Mapping[str, Any], *, consistent: bool) -> QueryPage:
        assert condition == "PK = :pk AND begins_with(SK, :prefix)"
        assert consistent
        rows = [
            deepcopy(item)
            for (pk, sk), item in sorted(self.items.items())
            if pk == values[":pk"] and sk.startswith(values[":prefix"])
        ]
        return QueryPage(rows, len(rows), None)

    def write(self, write: Write) -> Row | None:
        """Write; retry a lost answer, as botocore does."""
        disturb, self.before_write = self.before_write, None
        if disturb is not None:
            disturb()
        lost, self.loses_answer = self.loses_answer, False
        if lost:
            with suppress(ConditionFailed):
                self._write(write)
        return self._write(write)

    def _write(self, write: Write) -> Row | None:
        if write.item is not None:
            row: Row = deepcopy(dict(write.item))
            self.items[row["PK"], row["SK"]] = row
            return None
        assert write.key is not None
        assert write.update is not None
        key = (write.key["PK"], write.key["SK"])
        before = self.items.get(key, {})
        _check_placeholders(write)
        expression = _Expression(before, write.names, write.values)
        if write.condition and not expression.holds(write.condition):
            raise ConditionFailed(deepcopy(before) or None)
        after: Row = {**write.key, **expression.updated(write.update)}
        self.items[key] = after
        return deepcopy(after)


def _check_placeholders(write: Write) -> None:
    """Assert that every placeholder is used and given, as DynamoDB does."""
    used = set(re.findall(r"[:#]\w+", f"{write.update} {write.condition}"))
    assert used == write.names.keys() | write.values.keys()


class _Expression:
    """Expressions evaluated against the item before the write, as DynamoDB does."""

    def __init__(self, item: Row, names: Mapping[str, str], values: Mapping[str, Any]) -> None:
        self._item = item
        self._names = names
        self._values = values

    def holds(self, condition: str) -> bool:
        condition = re.sub(r"BETWEEN (\S+) AND (\S+)", r"BETWEEN \1 \2", condition)
        return all(self._clause(clause.split()) for clause in condition.split(" AND "))

    def updated(self, update: str) -> Row:
        after = deepcopy(self._item)
        if update.startswith("ADD "):
            for clause in update.removeprefix("ADD ").split(", "):
                name, _, value = clause.partition(" ")
                after[name] = after.get(name, 0) + self._values[value]
            return after
        sets, _, removes = update.partition("REMOVE ")
        for clause in filter(None, re.split(r", (?![^(]*\))", sets.removeprefix("SET ").strip())):
            target, _, source = clause.partition(" = ")
            parent, name = self._locate(after, target)
            parent[name] = self._value(source)
        for target in filter(None, removes.split(", ")):
            parent, name = self._locate(after, target)
            parent.pop(name, None)
        return after

    def _clause(self, words: list[str]) -> bool:
        match words:
            case [call] if absent := re.fullmatch(r"attribute_not_exists\((\S+)\)", call):
                return self._find(absent[1]) is None
            case [call] if present := re.fullmatch(r"attribute_exists\((\S+)\)", call):
                return self._find(present[1]) is not None
            case [left, "BETWEEN", low, high]:
                return bool(self._values[low] <= self._find(left) <= self._values[high])
            case [left, operator, right]:
                found = self._find(left)
                return found is not None and _COMPARISONS[operator](found, self._values[right])
        raise NotImplementedError(words)

    def _value(self, source: str) -> Any:
        if default := re.fullmatch(r"if_not_exists\((\S+), (\S+)\)", source):
            found = self._find(default[1])
            return self._values[default[2]] if found is None else found
        first, *rest = source.split()
        value = self._values[first] if first.startswith(":") else self._find(first)
        match rest:
            case []:
                return value
            case ["+", more]:
                return value + self._values[more]
            case ["-", less]:
                return value - self._values[less]
        raise NotImplementedError(source)

    def _find(self, path: str) -> Any:
        if size := re.fullmatch(r"size\((\S+)\)", path):
            return len(self._find(size[1]))
        parent, name = self._locate(self._item, path)
        return parent.get(name)

    def _locate(self, item: Row, path: str) -> tuple[dict[str, Any], str]:
        *parents, last = [self._names.get(step, step) for step in path.split(".")]
        for step in parents:
            item = item[step]
        return item, last
