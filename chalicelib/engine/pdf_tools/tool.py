"""Interface of a PDF tool: documents and options in, files and checks out.

A tool runs in a confined process: it reads no file, starts no process and reaches no network.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from chalicelib.contract.options.pdf_tools import ToolOptions
from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding
from chalicelib.engine.context import RenderedFile, RenderWarning
from chalicelib.engine.pdf.document.describe import DocumentDescription
from chalicelib.engine.pdf.document.source import UnopenedPdf
from chalicelib.engine.pdf_tools.comparing.comparison import Comparison

MAX_SOURCE_BYTES: Final = 100_000_000
# Of all sources together: a file that comes out may have as much as one of them.
MAX_TOTAL_BYTES: Final = 200_000_000
# Key of the printed text or picture among the resources: a PDF of one page.
MARK: Final = "/mark"


@dataclass(frozen=True, slots=True)
class ToolInput[Options: ToolOptions]:
    """All that a tool may use.

    `resources` are bytes by their JSON Pointers in the request, and `MARK`. `fonts` are the bundled
    font files by name, read when they are used. `test` asks for the test mark. `max_pages`
    holds for each source and each file. `filename` is the caller's for what comes out.
    """

    options: Options
    sources: Sequence[UnopenedPdf]
    resources: Mapping[str, bytes] = field(default_factory=dict)
    fonts: Mapping[str, bytes] = field(default_factory=dict)
    test: bool = False
    max_pages: int = 100_000
    filename: str | None = None
    warnings: list[RenderWarning] = field(default_factory=list)

    @property
    def source(self) -> UnopenedPdf:
        """Return the only source."""
        (source,) = self.sources
        return source

    def warn(self, code: str, message: str, detail: str | None = None) -> None:
        """Add a warning."""
        self.warnings.append(RenderWarning(code, message, detail))


class ToolCheck(NamedTuple):
    """Checks to run on `content`; None is the only source, as it came.

    `own_findings` are the tool's about the last check.
    """

    content: bytes | None
    checks: tuple[ConformanceCheck, ...]
    own_findings: tuple[RawFinding, ...] = ()


class ToolOutput(NamedTuple):
    """Files in order, the checks for the validators, and what is said of documents."""

    files: tuple[RenderedFile, ...] = ()
    checks: tuple[ToolCheck, ...] = ()
    description: DocumentDescription | None = None
    comparison: Comparison | None = None


# Makes the files of a tool; raises RenderFailure, also for options that do not fit the document.
type RunTool = Callable[..., ToolOutput]


def refused_option(pointer: str, message: str, code: str = "not_allowed") -> RenderFailure:
    """Return `validation_error` about an option that does not fit the document."""
    errors = [FieldError(pointer, code, message)]
    return RenderFailure("validation_error", f"{pointer}: {message}", errors=errors)
