"""Scenes drawn to HTML pages without a browser, and a parser of such pages."""

from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any, Final, override

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.canvas.page import CanvasPage, canvas_page
from chalicelib.engine.deadline import Deadline
from tests.builders.pages.engine_jobs import no_uploads
from tests.builders.waiting import PATIENCE_S

BOX: Final = {"width": 10, "height": 10}
PICTURE: Final = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


def draw_canvas(
    *layers: Mapping[str, Any],
    data: Mapping[str, Any] | None = None,
    output: Mapping[str, Any] | None = None,
    seconds: float = PATIENCE_S,
    **scene: Any,
) -> CanvasPage:
    return canvas_page(
        {"width": 300, "height": 200, "layers": layers, **scene},
        data or {},
        OutputOptions.from_json({"format": "png"} | dict(output or {})),
        run_template=lambda source: source,
        uploads=lambda name: (
            {"png": b"\x89PNG\r\n\x1a\n", "svg": b" <svg/>"}.get(name)
            or (b"MZ" if name == "exe" else no_uploads(name))
        ),
        deadline=Deadline.after(seconds),
    )


class ParsedElements(HTMLParser):
    """Elements with their attributes, and texts, of an HTML document."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    @override
    def handle_data(self, data: str) -> None:
        self.texts.append(data)
