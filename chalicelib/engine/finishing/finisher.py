"""Interface of a PDF finisher, and the context that finishing works in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pikepdf

    from chalicelib.contract.options.output import OutputOptions
    from chalicelib.contract.options.pdf import ContentSource
    from chalicelib.engine.finishing.separate_prints import SeparatePrint
    from chalicelib.engine.pdf.document.attachments import InvoiceFile
    from chalicelib.engine.render_trace import TraceRecorder


@dataclass(frozen=True, slots=True)
class PdfFinisher:
    """Finisher that changes an opened document; without any that `applies` it is not opened."""

    applies: Callable[["FinishingContext"], bool]
    apply: Callable[["pikepdf.Pdf", "FinishingContext"], None]


# Returns the PDFs of parts that are printed on a page of their own; raises as `Browser.use`.
type PrintSeparately = Callable[[SeparatePrint], list[bytes]]


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
    print_separately: "PrintSeparately"
    invoice_file: "InvoiceFile | None" = None
    printed_pdf: bytes = b""
    fonts_dir: "Path | None" = None
