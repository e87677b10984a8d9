"""What the engine is given and what it gives back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chalicelib.engine.options import Output


@dataclass(frozen=True, slots=True)
class Job:
    """One document to make; `deadline` is in seconds since 1970."""

    html: str
    output: Output
    deadline: float
    head: str | None = None
    templating: bool = False
    data: Mapping[str, Any] | None = None
    test: bool = False


@dataclass(frozen=True, slots=True)
class RenderWarning:
    """Something that did not fail the render but that its owner should know."""

    code: str
    message: str
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Produced:
    """One file; `width` and `height` are pixels."""

    format: str
    content: bytes
    content_type: str
    pages: int | None = None
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """All files of a job and how it went; `timings` are milliseconds by stage."""

    files: tuple[Produced, ...]
    warnings: tuple[RenderWarning, ...]
    logs: tuple[str, ...]
    timings: Mapping[str, int]
    cold: bool
