"""An update of the limits item, put together from pieces."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class LimitsUpdate(NamedTuple):
    """An UpdateItem on the limits item."""

    update: str
    condition: str
    names: Mapping[str, str]
    values: Mapping[str, Any]


@dataclass(slots=True)
class LimitsUpdateBuilder:
    """The pieces of one update expression."""

    names: dict[str, str] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    sets: list[str] = field(default_factory=list)
    removes: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)

    def build(self) -> LimitsUpdate:
        """Return what they make."""
        sets = "SET " + ", ".join(self.sets) if self.sets else ""
        removes = " REMOVE " + ", ".join(self.removes) if self.removes else ""
        return LimitsUpdate(
            (sets + removes).strip(),
            " AND ".join(self.conditions),
            self.names,
            self.values,
        )
