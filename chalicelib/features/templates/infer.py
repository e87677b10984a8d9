"""A JSON Schema from samples: no narrower than they are, so that all of them fit it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chalicelib.engine.schemas.formats import FORMATS

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
# An object with more names than this is a table whose keys are data.
_MOST_NAMES: Final = 500
_ORDER: Final = ("null", "boolean", "integer", "number", "string", "array", "object")


@dataclass(slots=True)
class Shape:
    """What was seen in one place of all samples."""

    types: set[str] = field(default_factory=set)
    objects: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    members: "dict[str, Shape]" = field(default_factory=dict)
    entries: "Shape | None" = None
    formats: set[str] | None = None
    is_table: bool = False

    def see(self, value: Any) -> None:
        """Take one more value in."""
        kind = _type(value)
        self.types.add(kind)
        if isinstance(value, Mapping):
            self._see_object(value)
        elif isinstance(value, list):
            self.entries = self.entries or Shape()
            for entry in value:
                self.entries.see(entry)
        elif isinstance(value, str):
            known = FORMATS if self.formats is None else self.formats
            self.formats = {name for name in known if FORMATS[name](value)}

    def _see_object(self, value: Mapping[str, Any]) -> None:
        self.objects += 1
        for name, member in value.items():
            if self.is_table:
                break
            self.counts[name] = self.counts.get(name, 0) + 1
            self.members.setdefault(name, Shape()).see(member)
            if len(self.members) > _MOST_NAMES:
                self.is_table = True
                self.members.clear()

    def schema(self) -> dict[str, Any]:
        """Return the schema of what was seen."""
        # A whole number is a number, too.
        types = self.types - {"integer"} if "number" in self.types else self.types
        names = [name for name in _ORDER if name in types]
        schema: dict[str, Any] = {"type": names[0] if len(names) == 1 else names} if names else {}
        if self.members:
            schema["properties"] = {name: each.schema() for name, each in self.members.items()}
            required = [name for name in self.members if self.counts[name] == self.objects]
            if required:
                schema["required"] = required
        if self.entries is not None and self.entries.types:
            schema["items"] = self.entries.schema()
        if self.formats:
            (schema["format"],) = self.formats
        return schema


def inferred(samples: Iterable[Any]) -> dict[str, Any]:
    """Return a schema (2020-12) that all samples fit."""
    shape = Shape()
    for sample in samples:
        shape.see(sample)
    return {"$schema": DIALECT} | shape.schema()


def _type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    kinds = {float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "object")
