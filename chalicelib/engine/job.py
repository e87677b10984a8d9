"""Data types at the border of the engine: the job, its sources and its outcome."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from chalicelib.engine.options.output import OutputOptions
from chalicelib.engine.templating.includes import Includes

if TYPE_CHECKING:
    from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding

# Returns the bytes of an upload by its id; raises RenderFailure `upload_not_found`.
type UploadReader = Callable[[str], bytes]

# Raises RenderFailure for data that do not fit the template's schema.
type CheckData = Callable[[Mapping[str, Any]], None]


def _accept_any_data(_data: Mapping[str, Any]) -> None:
    """Accept any data."""


class HtmlDocument(NamedTuple):
    """Document as text.

    With `templating`, `html`, `head` and `css` are templates over the job's data.
    """

    html: str
    head: str | None = None
    templating: bool = False
    css: str | None = None


class WebPage(NamedTuple):
    """Page of the web."""

    url: str


class CanvasScene(NamedTuple):
    """Scene that is drawn over the job's data; `scene` is the contract's Scene."""

    scene: Mapping[str, Any]


class EInvoiceCommand(NamedTuple):
    """E-invoice to write: the object at `data_path` of the data, or else `invoice`.

    `findings_root` is the JSON path of the invoice in the caller's request; findings begin with it.
    With `is_written` False it is a template's default that goes into no file: the render only warns
    about the consequences.
    """

    profile: str
    syntax: str
    invoice: Mapping[str, Any] | None
    data_path: str | None
    findings_root: str
    is_written: bool = True
    is_skipped_by_plan: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """Files to make of one page, or of an e-invoice alone (`source` None).

    `deadline` is in seconds since 1970. The data are `data`, or the JSON object at `data_url`,
    which `check_data` checks once it is fetched. `includes` are the templates that the job's
    templates may include. Setting `cancellation` ends the job: nobody needs its files any more.
    """

    source: HtmlDocument | WebPage | CanvasScene | None
    output: OutputOptions
    deadline: float
    uploads: UploadReader
    data: Mapping[str, Any] | None = None
    data_url: str | None = None
    check_data: CheckData = _accept_any_data
    includes: Includes = Includes()  # noqa: RUF009 -- it is frozen
    test: bool = False
    einvoice: EInvoiceCommand | None = None
    cancellation: Future[None] = field(default_factory=Future, compare=False)


class RenderWarning(NamedTuple):
    """Problem that did not fail the render; the caller gets it with the result."""

    code: str
    message: str
    detail: str | None = None


class RenderedFile(NamedTuple):
    """One file; `width` and `height` are in pixels."""

    format: str
    content: bytes
    content_type: str
    pages: int | None = None
    width: int | None = None
    height: int | None = None


class RenderTrace(NamedTuple):
    """Record of a render, successful or failed; `timings` are milliseconds by stage.

    `explain` is the contract's Explain.
    """

    warnings: tuple[RenderWarning, ...] = ()
    logs: tuple[str, ...] = ()
    timings: Mapping[str, int] = {}
    explain: Mapping[str, Any] | None = None


class ValidationRequest(NamedTuple):
    """Request to the validators about one file.

    `to_json_path` maps a validator's location to a path in the caller's JSON. `own_findings` are
    PDF/UA findings of the engine that the validators cannot see.
    """

    content: bytes
    checks: tuple["ConformanceCheck", ...]
    to_json_path: "Callable[[str], str | None]"
    own_findings: tuple["RawFinding", ...] = ()


class RenderOutcome(NamedTuple):
    """All files of a job and its trace.

    `filename` is the caller's, after its template ran. `invoice_totals` are those of the e-invoice
    among the files. `result` is the conformance report, once `validation_requests` are answered.
    """

    files: tuple[RenderedFile, ...]
    trace: RenderTrace
    is_cold_start: bool
    filename: str | None = None
    invoice_totals: Mapping[str, Any] | None = None
    validation_requests: tuple[ValidationRequest, ...] = ()
    result: Mapping[str, Any] | None = None
