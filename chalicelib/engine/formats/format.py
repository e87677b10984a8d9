"""What a format must be able to do."""

from collections.abc import Callable
from dataclasses import dataclass

from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.job import RenderedFile
from chalicelib.engine.options.output import OutputOptions

type Draw = Callable[[BrowserPage, OutputOptions], bytes]


@dataclass(frozen=True, slots=True)
class RenderFormat:
    """Draws a loaded page and makes a file of it; what several formats draw alike is drawn once.

    `is_slow`: finishing may take more than half a second, which nothing could cut short here.
    """

    name: str
    draw: Draw
    finish: Callable[[bytes, FinishingContext], RenderedFile]
    is_slow: Callable[[bytes, FinishingContext], bool]
