"""JSON Schema inferred from samples; every sample is valid against it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from chalicelib.core.clock import Clock
from chalicelib.core.errors import Conflict
from chalicelib.core.json import Json, JsonObject
from chalicelib.engine.schemas.formats import FORMATS
from chalicelib.features.templates.model import Dataset

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
# An object with more names than this is a map: its keys are data, not fields.
_MAX_NAMES: Final = 500
# In the whole schema, so that it stays below 256 kB; later positions get no constraint.
_MAX_SHAPES: Final = 2_000
_MAX_NAME_CHARS: Final = 200
_BUDGET_S: Final = 20.0
_TYPE_ORDER: Final = ("null", "boolean", "integer", "number", "string", "array", "object")


@dataclass(slots=True)
class _ShapeBudget:
    """Number of shapes that may still be created."""

    left: int = _MAX_SHAPES

    def new_shape(self) -> "SampleShape | None":
        """Return a new shape, or None when the budget is used up."""
        if self.left == 0:
            return None
        self.left -= 1
        return SampleShape(self)


@dataclass(slots=True)
class SampleShape:
    """Types, members and formats seen at one position across all samples.

    `formats` are those that every string matched (None before the first string). `is_map` is an
    object with too many names to list.
    """

    budget: _ShapeBudget
    types: set[str] = field(default_factory=set)
    object_count: int = 0
    member_counts: dict[str, int] = field(default_factory=dict)
    members: "dict[str, SampleShape]" = field(default_factory=dict)
    items: "SampleShape | None" = None
    formats: set[str] | None = None
    is_map: bool = False

    def add(self, value: Json) -> None:
        """Add one more value."""
        kind = _type(value)
        self.types.add(kind)
        if isinstance(value, Mapping):
            self._add_object(value)
        elif isinstance(value, list):
            self._add_items(value)
        elif isinstance(value, str):
            candidates = FORMATS if self.formats is None else self.formats
            self.formats = {name for name in candidates if FORMATS[name](value)}

    def _add_items(self, entries: Sequence[Json]) -> None:
        if self.items is None:
            self.items = self.budget.new_shape()
        if self.items is not None:
            for entry in entries:
                self.items.add(entry)

    def _add_object(self, value: JsonObject) -> None:
        self.object_count += 1
        for name, member in value.items():
            if self.is_map:
                break
            shape = self.members.get(name) or self._new_member(name)
            if shape is None:
                continue
            self.member_counts[name] = self.member_counts.get(name, 0) + 1
            shape.add(member)
            if len(self.members) > _MAX_NAMES:
                self.is_map = True
                self.members.clear()

    def _new_member(self, name: str) -> "SampleShape | None":
        shape = self.budget.new_shape() if len(name) <= _MAX_NAME_CHARS else None
        if shape is not None:
            self.members[name] = shape
        return shape

    def schema(self) -> dict[str, Json]:
        """Return the schema of all added values."""
        # JSON Schema 2020-12: `number` includes `integer`.
        types = self.types - {"integer"} if "number" in self.types else self.types
        names = [name for name in _TYPE_ORDER if name in types]
        schema: dict[str, Json] = {"type": names[0] if len(names) == 1 else names} if names else {}
        if self.members:
            schema["properties"] = {name: each.schema() for name, each in self.members.items()}
            required = [
                name for name in self.members if self.member_counts[name] == self.object_count
            ]
            if required:
                schema["required"] = required
        if self.items is not None and self.items.types:
            schema["items"] = self.items.schema()
        if self.formats:
            (schema["format"],) = self.formats
        return schema


def samples_within_budget(
    datasets: Iterable[tuple[Dataset, dict[str, Json]]], clock: Clock, began_at: float
) -> Iterator[dict[str, Json]]:
    """Yield the data of each dataset; one at a time, since together they may be large.

    Raises `conflict` 20 seconds after `began_at` (Unix seconds): a request has a timeout.
    """
    for dataset, data in datasets:
        if clock.now().timestamp() > began_at + _BUDGET_S:
            detail = (
                f"There is too much in the datasets: {_BUDGET_S:g} s were not enough to come to "
                f'"{dataset.name}" ({dataset.id}). Remove large ones, and try again.'
            )
            raise Conflict("conflict", detail)
        yield data


def inferred_schema(samples: Iterable[Json]) -> dict[str, Json]:
    """Return a schema (2020-12) that every sample satisfies; it covers at most 2,000 positions."""
    shape = SampleShape(_ShapeBudget())
    for sample in samples:
        shape.add(sample)
    return {"$schema": DIALECT} | shape.schema()


def _type(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    kinds = {float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "object")
