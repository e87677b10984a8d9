"""Interface of a PDF finisher, and the context that finishing works in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    import pikepdf

    from chalicelib.contract.options.output import OutputOptions
    from chalicelib.contract.options.pdf import ContentSource
    from chalicelib.engine.browser.page.page import BrowserPage
    from chalicelib.engine.pdf.document.attachments import InvoiceFile
    from chalicelib.engine.render_trace import TraceRecorder


@dataclass(frozen=True, slots=True)
class PdfFinisher:
    """Finisher that changes an opened document; without any that `applies` it is not opened."""

    applies: Callable[["FinishingContext"], bool]
    apply: Callable[["pikepdf.Pdf", "FinishingContext"], None]


class RunOnFreshPage(Protocol):
    """Port to the browser that gives `work` an empty page, for parts printed separately."""

    def __call__[Result](self, work: "Callable[[BrowserPage], Result]") -> Result:
        """Return what `work` returns; raises as `Browser.use`."""
        ...


@dataclass(frozen=True, slots=True)
class FinishingContext:
    """Context in which a drawn page becomes a file.

    `test` asks for the test mark. `invoice_file` is embedded in the PDF. `printed_pdf` is the PDF
    as Chromium printed it. `fonts_dir` has the bundled fonts.
    """

    output: "OutputOptions"
    resources: "Mapping[ContentSource, bytes]"
    test: bool
    recorder: "TraceRecorder"
    run_on_fresh_page: RunOnFreshPage
    invoice_file: "InvoiceFile | None" = None
    printed_pdf: bytes = b""
    fonts_dir: "Path | None" = None
