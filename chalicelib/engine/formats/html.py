"""HTML: the page's document as its scripts have left it, without them."""

from typing import Final

from chalicelib.engine.browser.page import Page
from chalicelib.engine.finishing.watermark import mark_html
from chalicelib.engine.formats.format import Finishing, Format
from chalicelib.engine.job import Produced
from chalicelib.engine.options.output import Output


def _draw(page: Page, output: Output) -> bytes:
    # A script may have left half a character.
    return page.markup(scripted=output.javascript).encode(errors="replace")


def _finish(content: bytes, finishing: Finishing) -> Produced:
    if finishing.test:
        content = mark_html(content.decode()).encode()
    return Produced("html", content, "text/html; charset=utf-8")


HTML: Final = Format("html", _draw, _finish, lambda _content, _finishing: False)
