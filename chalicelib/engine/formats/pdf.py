"""PDF format: pages printed by the browser."""

from typing import Final

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.finishing.finish_pdf import finish_pdf, is_edited
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.formats.format import RenderFormat

# Either takes half a second on a busy machine. Opening and saving a document is about ten times
# slower than rewriting its bytes in place (decision 16).
_SLOW_BYTES_OPENED: Final = 2_000_000
_SLOW_BYTES_REWRITTEN: Final = 20_000_000


def _draw(page: BrowserPage, output: OutputOptions) -> bytes:
    return page.pdf(output.pdf)


def _finish(content: bytes, finishing: FinishingContext) -> RenderedFile:
    finished, pages = finish_pdf(content, finishing)
    return RenderedFile("pdf", finished, "application/pdf", pages=pages)


def _is_slow(content: bytes, finishing: FinishingContext) -> bool:
    slow_bytes = _SLOW_BYTES_OPENED if is_edited(finishing) else _SLOW_BYTES_REWRITTEN
    overlay = finishing.recorder.page_overlay
    drawn = len(overlay.content) if overlay else 0
    return len(content) + drawn + sum(map(len, finishing.resources.values())) > slow_bytes


PDF: Final = RenderFormat("pdf", _draw, _finish, _is_slow)
