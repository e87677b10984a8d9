"""PDF: pages printed by the browser."""

from typing import Final

from chalicelib.engine.browser.page import Page
from chalicelib.engine.finishing.pdf import finish_pdf
from chalicelib.engine.formats.format import Finishing, Format
from chalicelib.engine.job import Produced
from chalicelib.engine.options.output import Output


def _draw(page: Page, output: Output) -> bytes:
    return page.pdf(output.pdf)


def _finish(content: bytes, finishing: Finishing) -> Produced:
    finished, pages = finish_pdf(content, finishing)
    return Produced("pdf", finished, "application/pdf", pages=pages)


PDF: Final = Format("pdf", _draw, _finish)
