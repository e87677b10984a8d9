"""What a finisher of PDFs must be able to do."""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.browser.page.page import BrowserPage
    from chalicelib.engine.options.output import OutputOptions
    from chalicelib.engine.options.pdf import ContentSource, PdfMetadata
    from chalicelib.engine.render_trace import TraceRecorder


@dataclass(frozen=True, slots=True)
class PdfFinisher:
    """Changes an opened document; where no finisher `applies`, it is not opened at all."""

    applies: Callable[["FinishingContext"], bool]
    apply: Callable[["pikepdf.Pdf", "FinishingContext"], None]


@dataclass(frozen=True, slots=True)
class InvoiceFile:
    """An invoice as XML, as it is embedded; `level` and `version` are named in the XMP."""

    content: bytes
    filename: str
    relationship: str
    level: str
    version: str


class RunOnFreshPage(Protocol):
    """Gives `work` an empty page of its own, for what is printed beside the document."""

    def __call__[Result](self, work: "Callable[[BrowserPage], Result]") -> Result:
        """Return what `work` returns; raises as `Browser.use`."""
        ...


@dataclass(frozen=True, slots=True)
class FinishingContext:
    """What is known when a drawn page becomes a file; `test`: it is marked as one.

    `invoice_file` is embedded in the PDF; `printed_pdf` is the PDF as Chromium printed it.
    """

    output: "OutputOptions"
    resources: "Mapping[ContentSource, bytes]"
    test: bool
    recorder: "TraceRecorder"
    run_on_fresh_page: RunOnFreshPage
    invoice_file: InvoiceFile | None = None
    printed_pdf: bytes = b""


# What has no time of its own gets this one.
_DEFAULT_DATE: Final = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)


def document_date(metadata: "PdfMetadata") -> dt.datetime:
    """Return the moment that the caller names, or else the one that is always the same; in UTC."""
    if metadata.created_at is None:
        return _DEFAULT_DATE
    return dt.datetime.fromisoformat(metadata.created_at).astimezone(dt.UTC)


def pdf_date(moment: dt.datetime) -> str:
    """Return a moment as PDF writes it."""
    return f"D:{moment:%Y%m%d%H%M%S}+00'00'"
