"""Markdown and plain text as safe markup."""

import re
from typing import Any, Final

from jinja2.exceptions import FilterArgumentError
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from chalicelib.engine.templating.filters.faults import shown
from chalicelib.engine.templating.fuel import Meter

_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})
_PICTURE: Final = re.compile(r"data:image/(?:gif|jpeg|png|webp)[;,]", re.IGNORECASE)
_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")


class Prose:
    """The filters `markdown` and `nl2br`."""

    def __init__(self, meter: Meter) -> None:
        """Charge `meter`."""
        self._meter = meter
        self._parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
        self._parser.validateLink = _is_safe  # type: ignore[method-assign]

    def markdown(self, value: Any) -> Markup:
        """Return CommonMark with tables as markup; HTML in it is shown as it is written."""
        text = _text(value, "markdown")
        self._meter.spend(len(text))
        return Markup(self._parser.render(text))  # noqa: S704 -- it escapes all HTML

    def nl2br(self, value: Any) -> Markup:
        """Return text as markup, with `<br>` where its lines end."""
        text = escape(_text(value, "nl2br"))
        return Markup(_LINE_BREAK.sub("<br>\n", text))  # noqa: S704 -- it is escaped


def _text(value: Any, name: str) -> str:
    if isinstance(value, str):
        return value
    if type(value) in {int, float}:
        return str(value)
    raise FilterArgumentError(f"{name} takes a text; this is {shown(value)}.")


def _is_safe(url: str) -> bool:
    """Return whether a link goes to the web, to a mailbox, to a telephone or stays on the page."""
    scheme, colon, _ = re.split(r"[/?#]", url, maxsplit=1)[0].partition(":")
    return not colon or scheme.lower() in _SCHEMES or _PICTURE.match(url) is not None
