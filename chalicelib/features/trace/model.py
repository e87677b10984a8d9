"""What a trace is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """Something that came about, or is to come about, and who says so."""

    at: str
    source: str
    what: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeptObject:
    """A place in the bucket that a render may have used; `bytes` None: nothing is there."""

    key: str
    role: str
    bytes: int | None


@dataclass(frozen=True, slots=True)
class Trace:
    """One render: how it stands, what it holds, and all that came about, oldest first."""

    state: Mapping[str, Any]
    objects: tuple[KeptObject, ...]
    events: tuple[Event, ...]
