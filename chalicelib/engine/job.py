"""What the engine is given and what it gives back."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from chalicelib.engine.options.output import OutputOptions
from chalicelib.engine.templating.includes import Includes

if TYPE_CHECKING:
    from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding

# The bytes of an upload by its id; raises RenderFailure `upload_not_found`.
type UploadReader = Callable[[str], bytes]


# Raises RenderFailure for data that do not fit what the document asks for.
type CheckData = Callable[[Mapping[str, Any]], None]


def _accept_any_data(_data: Mapping[str, Any]) -> None:
    """Take any data."""


class HtmlDocument(NamedTuple):
    """A document as text; `templating`: all three texts are templates over the job's data."""

    html: str
    head: str | None = None
    templating: bool = False
    css: str | None = None


class WebPage(NamedTuple):
    """A page of the web."""

    url: str


class CanvasScene(NamedTuple):
    """A scene that is drawn over the job's data: the contract's Scene."""

    scene: Mapping[str, Any]


class EInvoiceCommand(NamedTuple):
    """An e-invoice to write: it stands at `path` of the data, or else is `invoice` itself.

    `root` is where findings say that it stands in the caller's request. One that is not `written`
    is a template's default that goes into no file: only what follows from it is told.
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
    """Files to make of one page, or of an e-invoice alone (`source` None); ends by `deadline`.

    `deadline` is in seconds since 1970.

    The data are `data`, or the JSON object at `data_url`, which is checked once it is there;
    `includes` is what templates may include. Whoever sets `cancellation` has no use for the
    files any more.
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
    """Something that did not fail the render but that its owner should know."""

    code: str
    message: str
    detail: str | None = None


class RenderedFile(NamedTuple):
    """One file; `width` and `height` are pixels."""

    format: str
    content: bytes
    content_type: str
    pages: int | None = None
    width: int | None = None
    height: int | None = None


class RenderTrace(NamedTuple):
    """How a render went, whether it succeeded or failed; `timings` are milliseconds by stage.

    `explain` is the contract's Explain.
    """

    warnings: tuple[RenderWarning, ...] = ()
    logs: tuple[str, ...] = ()
    timings: Mapping[str, int] = {}
    explain: Mapping[str, Any] | None = None


class ValidationRequest(NamedTuple):
    """What the validators are to be asked of a document; `trace` tells the caller's JSON path.

    `remarks` are what they cannot see of it, to stand beside what they find about PDF/UA.
    """

    content: bytes
    checks: tuple["ConformanceCheck", ...]
    to_json_path: "Callable[[str], str | None]"
    own_findings: tuple["RawFinding", ...] = ()


class RenderOutcome(NamedTuple):
    """All files of a job and how it went; `filename` is the caller's, its template run.

    `invoice` has the totals of the e-invoice that is among them; `result` is the conformance
    report, once `to_judge` was judged.
    """

    files: tuple[RenderedFile, ...]
    trace: RenderTrace
    is_cold_start: bool
    filename: str | None = None
    invoice_totals: Mapping[str, Any] | None = None
    validation_requests: tuple[ValidationRequest, ...] = ()
    result: Mapping[str, Any] | None = None
