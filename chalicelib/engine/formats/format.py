"""Interface of an output format."""

from collections.abc import Callable
from dataclasses import dataclass

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.finishing.finisher import FinishingContext

type Draw = Callable[[BrowserPage, OutputOptions], bytes]


@dataclass(frozen=True, slots=True)
class RenderFormat:
    """Output format: draws a loaded page and makes a file of the result.

    Formats with the same `draw` share one drawing of a page. `is_slow` tells whether finishing may
    take more than half a second; such a file is finished in a separate process (decision 19).
    """

    name: str
    draw: Draw
    finish: Callable[[bytes, FinishingContext], RenderedFile]
    is_slow: Callable[[bytes, FinishingContext], bool]
