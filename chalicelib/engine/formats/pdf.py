"""PDF: pages printed by the browser."""

from typing import Final

from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.finishing.finish_pdf import finish_pdf, is_edited
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.formats.format import RenderFormat
from chalicelib.engine.job import RenderedFile
from chalicelib.engine.options.output import OutputOptions

# Half a second each, on a busy machine.
_OPENED_BYTES: Final = 2_000_000
_REWRITTEN_BYTES: Final = 20_000_000


def _draw(page: BrowserPage, output: OutputOptions) -> bytes:
    return page.pdf(output.pdf)


def _finish(content: bytes, finishing: FinishingContext) -> RenderedFile:
    finished, pages = finish_pdf(content, finishing)
    return RenderedFile("pdf", finished, "application/pdf", pages=pages)


def _is_slow(content: bytes, finishing: FinishingContext) -> bool:
    most = _OPENED_BYTES if is_edited(finishing) else _REWRITTEN_BYTES
    return len(content) + sum(map(len, finishing.resources.values())) > most


PDF: Final = RenderFormat("pdf", _draw, _finish, _is_slow)
