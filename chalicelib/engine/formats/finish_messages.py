"""Messages between the service and the process that finishes a file.

Each is JSON; the bytes of files and resources follow it (sandbox/wire.py).
"""

from collections.abc import Mapping, Sequence
from copy import replace
from pathlib import Path
from typing import Self

import msgspec

from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import ContentSource
from chalicelib.engine.browser.output.page_texts import PageTexts
from chalicelib.engine.browser.output.paged.running_elements import PageOverlay
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.failure_record import FailureRecord
from chalicelib.engine.finishing.finisher import FinishingContext, PrintSeparately
from chalicelib.engine.finishing.separate_prints import SeparatePrint
from chalicelib.engine.pdf.document.attachments import InvoiceFile
from chalicelib.engine.render_trace import TraceRecorder


class FinishingRequest(msgspec.Struct, frozen=True):
    """First message to the process: the arguments of the format's `finish`.

    The drawn content follows it, then the contents of `sources`, of the invoice and the overlay.
    """

    format_name: str
    output: OutputOptions
    sources: tuple[ContentSource, ...]
    test: bool
    invoice_file: InvoiceFile | None
    links: tuple[tuple[str, str], ...]
    page_url: str
    page_texts: PageTexts
    page_overlay: PageOverlay | None
    fonts_dir: str | None

    @classmethod
    def of(cls, format_name: str, finishing: FinishingContext) -> tuple[Self, list[bytes]]:
        """Return the request, and the contents that follow the drawn one."""
        recorder, invoice = finishing.recorder, finishing.invoice_file
        overlay, contents = recorder.page_overlay, [*finishing.resources.values()]
        if invoice is not None:
            contents.append(invoice.content)
            invoice = replace(invoice, content=b"")
        if overlay is not None:
            contents.append(overlay.content)
            overlay = overlay._replace(content=b"")
        request = cls(
            format_name,
            finishing.output,
            tuple(finishing.resources),
            finishing.test,
            invoice,
            tuple((url, text) for url, text in recorder.links),
            recorder.page_url,
            recorder.page_texts,
            overlay,
            None if finishing.fonts_dir is None else str(finishing.fonts_dir),
        )
        return request, contents

    def context(
        self,
        contents: Sequence[bytes],
        recorder: TraceRecorder,
        print_separately: PrintSeparately,
    ) -> FinishingContext:
        """Return the context that the request was made of, with another recorder."""
        remaining = iter(contents)
        resources = {source: next(remaining) for source in self.sources}
        invoice = self.invoice_file
        if invoice is not None:
            invoice = replace(invoice, content=next(remaining))
        if self.page_overlay is not None:
            recorder.page_overlay = self.page_overlay._replace(content=next(remaining))
        recorder.links, recorder.page_url = self.links, self.page_url
        recorder.page_texts = self.page_texts
        return FinishingContext(
            self.output,
            resources,
            self.test,
            recorder,
            print_separately,
            invoice,
            fonts_dir=None if self.fonts_dir is None else Path(self.fonts_dir),
        )


class PrintRequest(msgspec.Struct, frozen=True, tag_field="kind", tag="print"):
    """Request of the process for a print; its PDFs follow the next message."""

    part: SeparatePrint


class FinishingWarning(msgspec.Struct, frozen=True, tag_field="kind", tag="warning"):
    """Warning of the process, which goes on."""

    code: str
    message: str
    detail: str | None


class FinishingFault(msgspec.Struct, frozen=True, tag_field="kind", tag="fault"):
    """End of the process by an unexpected exception: its redacted traceback."""

    traceback: str


class FinishedFile(msgspec.Struct, frozen=True, tag_field="kind", tag="file"):
    """End of the process: its file, whose content follows."""

    file: RenderedFile


type WorkerMessage = PrintRequest | FinishingWarning | FailureRecord | FinishingFault | FinishedFile


def to_json(message: msgspec.Struct) -> dict[str, object]:
    """Return a message as plain JSON."""
    return dict(msgspec.to_builtins(message, str_keys=True))


def worker_message(received: Mapping[str, object]) -> WorkerMessage:
    """Return a message of the process; raises msgspec.ValidationError for a strange one."""
    message: WorkerMessage = msgspec.convert(received, WorkerMessage)
    return message
