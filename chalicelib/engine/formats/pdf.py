"""PDF: pages printed by the browser."""

from typing import Final

from chalicelib.engine.browser.page import Page
from chalicelib.engine.finishing.pdf import finish_pdf, is_opened
from chalicelib.engine.formats.format import Finishing, Format
from chalicelib.engine.job import Produced
from chalicelib.engine.options.output import Output

# Half a second each, on a busy machine.
_OPENED_BYTES: Final = 2_000_000
_REWRITTEN_BYTES: Final = 20_000_000


def _draw(page: Page, output: Output) -> bytes:
    return page.pdf(output.pdf)


def _finish(content: bytes, finishing: Finishing) -> Produced:
    finished, pages = finish_pdf(content, finishing)
    return Produced("pdf", finished, "application/pdf", pages=pages)


def _lengthy(content: bytes, finishing: Finishing) -> bool:
    most = _OPENED_BYTES if is_opened(finishing) else _REWRITTEN_BYTES
    return len(content) + sum(map(len, finishing.resources.values())) > most


PDF: Final = Format("pdf", _draw, _finish, _lengthy)
