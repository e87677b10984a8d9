"""Sources of a page, from which a render is made, one module each."""

from chalicelib.engine.sources.canvas import CanvasSource
from chalicelib.engine.sources.html import HtmlSource
from chalicelib.engine.sources.template import TemplateSource
from chalicelib.engine.sources.url import UrlSource

type Source = HtmlSource | UrlSource | CanvasSource | TemplateSource

__all__ = ["CanvasSource", "HtmlSource", "Source", "TemplateSource", "UrlSource"]
