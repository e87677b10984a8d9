"""Interface of a PDF finisher, and the context that finishing works in."""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    import pikepdf

    from chalicelib.contract.options.output import OutputOptions
    from chalicelib.contract.options.pdf import ContentSource, PdfMetadata
    from chalicelib.engine.browser.page.page import BrowserPage
    from chalicelib.engine.render_trace import TraceRecorder


# Fixed, so that the same request gives the same bytes.
_DEFAULT_DATE: Final = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class PdfFinisher:
    """Finisher that changes an opened document; without any that `applies` it is not opened."""

    applies: Callable[["FinishingContext"], bool]
    apply: Callable[["pikepdf.Pdf", "FinishingContext"], None]


@dataclass(frozen=True, slots=True)
class InvoiceFile:
    """XML invoice to embed; the XMP metadata name `level` and `version`."""

    content: bytes
    filename: str
    relationship: str
    level: str
    version: str


class RunOnFreshPage(Protocol):
    """Port to the browser that gives `work` an empty page, for parts printed separately."""

    def __call__[Result](self, work: "Callable[[BrowserPage], Result]") -> Result:
        """Return the result of `work`; raises as `Browser.use`."""
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
    invoice_file: InvoiceFile | None = None
    printed_pdf: bytes = b""
    fonts_dir: "Path | None" = None


def document_date(metadata: "PdfMetadata") -> dt.datetime:
    """Return the caller's `created_at`, or else a fixed moment; in UTC."""
    if metadata.created_at is None:
        return _DEFAULT_DATE
    return dt.datetime.fromisoformat(metadata.created_at).astimezone(dt.UTC)


def pdf_date(moment: dt.datetime) -> str:
    """Return a moment in UTC as a PDF date (ISO 32000-1, 7.9.4)."""
    return f"D:{moment:%Y%m%d%H%M%S}+00'00'"
