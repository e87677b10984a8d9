"""HTML format: the page's document after its scripts ran, without the scripts."""

from typing import Final

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.formats.format import RenderFormat
from chalicelib.engine.test_mark import mark_html


def _draw(page: BrowserPage, output: OutputOptions) -> bytes:
    # A script may leave a lone surrogate, which UTF-8 cannot encode.
    return page.sanitized_html(ran_scripts=output.javascript).encode(errors="replace")


def _finish(content: bytes, finishing: FinishingContext) -> RenderedFile:
    if finishing.test:
        content = mark_html(content.decode()).encode()
    return RenderedFile("html", content, "text/html; charset=utf-8")


HTML: Final = RenderFormat("html", _draw, _finish, lambda _content, _finishing: False)
