"""PDF: pages printed by the browser."""

import io
from typing import Final

from chalicelib.engine.browser.page import Page
from chalicelib.engine.finishing.watermark import mark_pdf
from chalicelib.engine.formats.format import Finishing, Format
from chalicelib.engine.job import Produced
from chalicelib.engine.options.output import Output


def _draw(page: Page, output: Output) -> bytes:
    return page.pdf(output.pdf)


def _finish(content: bytes, finishing: Finishing) -> Produced:
    import pikepdf  # noqa: PLC0415 -- 0.2 s that a process which prints nothing need not pay

    if finishing.test:
        content = mark_pdf(content)

    with pikepdf.open(io.BytesIO(content)) as document:
        pages = int(document.Root.Pages.Count)
    return Produced("pdf", content, "application/pdf", pages=pages)


PDF: Final = Format("pdf", "print", _draw, _finish)
