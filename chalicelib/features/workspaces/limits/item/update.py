"""Conditional updates of items of the limits, and their builder."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from chalicelib.adapters.aws.table import RowValue


class LimitsUpdate(NamedTuple):
    """Expressions of an UpdateItem on the limits item."""

    update: str
    condition: str
    names: Mapping[str, str]
    values: Mapping[str, RowValue]


@dataclass(slots=True)
class LimitsUpdateBuilder:
    """Parts of one update; they are joined by `build`."""

    names: dict[str, str] = field(default_factory=dict)
    values: dict[str, RowValue] = field(default_factory=dict)
    sets: list[str] = field(default_factory=list)
    removes: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)

    def build(self) -> LimitsUpdate:
        """Return the update with all parts joined."""
        sets = "SET " + ", ".join(self.sets) if self.sets else ""
        removes = " REMOVE " + ", ".join(self.removes) if self.removes else ""
        return LimitsUpdate(
            (sets + removes).strip(),
            " AND ".join(self.conditions),
            self.names,
            self.values,
        )
