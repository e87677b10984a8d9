"""Runs of PDF tools in this process, and what readers find in their files."""

import io
from collections.abc import Iterator
from typing import Any

import pikepdf
import pypdf
import pypdfium2
from pikepdf import Dictionary, Name

from chalicelib.contract.options.pdf_tools import ToolOptions
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.pdf.document.source import UnopenedPdf
from chalicelib.engine.pdf_tools import tool_by_name
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput


def run_tool(
    options: ToolOptions, *contents: bytes, test: bool = False, max_pages: int = 100_000
) -> tuple[ToolOutput, list[RenderWarning]]:
    """Run the tool of these options; return its output and its warnings."""
    sources = [UnopenedPdf(each, None, f"/sources/{n}") for n, each in enumerate(contents)]
    tool_input = ToolInput(options, sources, test=test, max_pages=max_pages)
    return tool_by_name(options.tool).load()(tool_input), tool_input.warnings


def opened(content: bytes) -> pikepdf.Pdf:
    """Open a PDF with qpdf; one with a fault fails."""
    document = pikepdf.open(io.BytesIO(content))
    assert document.check_pdf_syntax() == []
    return document


def page_texts(content: bytes) -> list[str]:
    """Return the text of each page, as pdfium reads it."""
    with pypdfium2.PdfDocument(content) as document:
        return [" ".join(page.get_textpage().get_text_bounded().split()) for page in document]


def layout_texts(reader: pypdf.PdfReader) -> list[str]:
    """Return the text of each page, as pypdf reads it."""
    return [" ".join(page.extract_text().split()) for page in reader.pages]


def outline_titles(content: bytes) -> list[str]:
    """Return the titles of the outline with a dash for each level, as pdfium reads it."""
    with pypdfium2.PdfDocument(content) as document:
        return [f"{'-' * entry.level} {entry.get_title()}".strip() for entry in document.get_toc()]


def structure_lines(content: bytes) -> list[str]:
    """Return the elements of the structure and their content, with a dash for each level."""
    with opened(content) as document:
        numbers = {page.objgen: n for n, page in enumerate(document.pages, start=1)}
        return list(_structure_lines(document.Root.StructTreeRoot, numbers, 0))


def _structure_lines(element: Any, numbers: dict[Any, int], level: int) -> Iterator[str]:
    dashes = "-" * level + " " * bool(level)
    kids = element.get("/K", [])
    for kid in [kids] if isinstance(kids, int | Dictionary) else kids:
        if isinstance(kid, int):
            yield f"{dashes}page {numbers[element.Pg.objgen]} content {kid}"
        elif kid.get("/Type") == Name.MCR:
            yield f"{dashes}page {numbers[kid.Pg.objgen]} content {int(kid.MCID)}"
        elif kid.get("/Type") == Name.OBJR:
            yield f"{dashes}page {numbers[kid.Pg.objgen]} annotation"
        else:
            yield f"{dashes}{str(kid.S)[1:]}"
            yield from _structure_lines(kid, numbers, level + 1)
