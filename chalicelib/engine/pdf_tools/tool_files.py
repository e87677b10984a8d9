"""Files of a tool: its sources opened, and what it makes of them written, with its test mark."""

from contextlib import AbstractContextManager
from typing import Final

import pikepdf

from chalicelib.contract.options.pdf_tools import ToolOptions
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.pdf.document.open_pdf import open_pdf
from chalicelib.engine.pdf.document.save import save
from chalicelib.engine.pdf.document.source import UnopenedPdf
from chalicelib.engine.pdf.drawings.test_mark import mark_pages
from chalicelib.engine.pdf.forms.signatures import warn_of_signatures
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput

PDF_TYPE: Final = "application/pdf"


def open_source(
    source: UnopenedPdf, tool_input: ToolInput[ToolOptions]
) -> AbstractContextManager[pikepdf.Pdf]:
    """Open a source within the bounds of a request; raises as `open_pdf`."""
    return open_pdf(source, tool_input.max_pages, tool_input.warn)


def pdf_output(
    document: pikepdf.Pdf,
    tool_input: ToolInput[ToolOptions],
    encryption: pikepdf.Encryption | None = None,
) -> ToolOutput:
    """Return a changed document as the tool's only file, and warn of signatures that it breaks."""
    warn_of_signatures(document, tool_input.warn)
    return ToolOutput((pdf_file(document, tool_input, encryption),))


def pdf_file(
    document: pikepdf.Pdf,
    tool_input: ToolInput[ToolOptions],
    encryption: pikepdf.Encryption | None = None,
) -> RenderedFile:
    """Return a document as a file, with the test mark for a test."""
    if tool_input.test:
        mark_pages(document)
    content = save(document, encryption)
    return RenderedFile("pdf", content, PDF_TYPE, len(document.pages))
