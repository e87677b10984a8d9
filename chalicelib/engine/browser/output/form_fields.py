"""Controls of a page as AcroForm fields: each is marked by a link while the page is printed."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.tab import Tab

# Begins the URL of a link that marks a control; the rest is the field as JSON.
FIELD_URL: Final = "https://form-field.invalid/"
MAX_FORM_FIELDS: Final = 2_000
_UNMARK: Final = PageFunction[None]("() => globalThis.platenUnmark?.()")


@contextmanager
def form_field_marks(tab: Tab, options: PdfOptions) -> Iterator[None]:
    """Mark the controls meanwhile, if they are to be fields.

    Raises RenderFailure `render_failed` for too many of them, or `render_timeout`.
    """
    if not options.forms:
        yield
        return
    called = tab.call_function(_mark_script(), FIELD_URL, options.scale, MAX_FORM_FIELDS)
    marked = tab.outcome(called)
    if "exceptionDetails" in marked:
        raise RenderFailure("render_failed", "output.pdf.forms: the page's controls cannot be read")
    count = marked["result"]["value"]
    if count > MAX_FORM_FIELDS:
        message = f"output.pdf.forms: the page has {count} controls, of at most {MAX_FORM_FIELDS}"
        raise RenderFailure("render_failed", message)
    yield
    tab.outcome(tab.call_function(_UNMARK))


@cache
def _mark_script() -> PageFunction[int]:
    return PageFunction(Path(__file__).with_name("form_fields.js").read_text())
