"""Context of a run, and what every step of it may give: warnings, files and the trace."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from chalicelib.core.json import JsonObject, OpaqueObject
from chalicelib.engine.deadline import Deadline

# Of files that come out of one job.
MAX_FILES: Final = 500

# Returns the bytes of an upload by its id; raises RenderFailure `upload_not_found`.
type UploadReader = Callable[[str], bytes]

# Raises RenderFailure for data that do not fit the template's schema; the text is their pointer.
type CheckData = Callable[[JsonObject, str], None]


def _accept_any_data(_data: JsonObject, _pointer: str) -> None:
    """Accept any data."""


@dataclass(frozen=True, slots=True)
class JobContext:
    """Circumstances of a job: `deadline` in seconds since 1970, and access to its `uploads`.

    `check_data` checks data once they are there. `test` marks the files as tests. Documents of the
    same `lane` may follow each other in one process of the browser (decision 40). Setting
    `cancellation` ends the job: nobody needs its files any more.
    """

    deadline: float
    uploads: UploadReader
    check_data: CheckData = _accept_any_data
    test: bool = False
    lane: str | None = None
    cancellation: Future[None] = field(default_factory=Future, compare=False)

    @property
    def time_limit(self) -> Deadline:
        """Return the deadline, which a cancellation brings forward."""
        return Deadline.at_epoch(self.deadline, self.cancellation)


class RenderWarning(NamedTuple):
    """Problem that did not fail the render; the caller gets it with the result."""

    code: str
    message: str
    detail: str | None = None


class RenderedFile(NamedTuple):
    """One file; `width` and `height` are in pixels.

    `part` is its number, from 1, among files of one format, which their names end with.
    """

    format: str
    content: bytes
    content_type: str
    pages: int | None = None
    width: int | None = None
    height: int | None = None
    part: int | None = None


class RenderTrace(NamedTuple):
    """Record of a render, successful or failed; `timings` are milliseconds by stage.

    `explain` is the contract's Explain.
    """

    warnings: tuple[RenderWarning, ...] = ()
    logs: tuple[str, ...] = ()
    timings: Mapping[str, int] = {}
    explain: OpaqueObject | None = None
