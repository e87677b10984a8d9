"""Picture, viewport and wait options; sizes are in CSS pixels."""

from typing import Annotated, Literal, NamedTuple

from chalicelib.contract.css_values import DEFAULT_VIEWPORT
from chalicelib.contract.options.base import Bounds, Options


class Window(NamedTuple):
    """Browser window of a definite size."""

    width: int = DEFAULT_VIEWPORT[0]
    height: int = DEFAULT_VIEWPORT[1]
    device_scale_factor: float = 1.0
    mobile: bool = False


class Viewport(Options, frozen=True):
    """Browser window that the page is laid out in; None is the side of a page, or the default."""

    width: Annotated[int, Bounds(ge=1, le=10_000)] | None = None
    """Width in CSS pixels. Null: that of the content of a page for PDF, and 1280 for pictures."""
    height: Annotated[int, Bounds(ge=1, le=10_000)] | None = None
    """Height in CSS pixels. Null: that of the content of a page for PDF without `width`, else
    720."""
    device_scale_factor: Annotated[float, Bounds(ge=1, le=3)] = 1.0
    """Device pixels for each CSS pixel."""
    mobile: bool = False
    """The page is shown as on a phone: its `<meta name="viewport">` counts."""

    def window(self, width: int, height: int) -> Window:
        """Return the window; a side that is not given is that of the arguments."""
        return Window(
            self.width or width, self.height or height, self.device_scale_factor, self.mobile
        )


class Wait(Options, frozen=True):
    """Conditions to wait for before the page is drawn."""

    until: Literal["load", "domcontentloaded", "networkidle"] = "load"
    """`domcontentloaded`: the document is parsed. `load`: its resources are loaded, too.
    `networkidle`: it has also made no request for half a second."""
    selector: Annotated[str, Bounds(min_length=1, max_length=1000)] | None = None
    """A CSS selector that must find an element. Null: none."""
    expression: Annotated[str, Bounds(min_length=1, max_length=10_000)] | None = None
    """JavaScript that must become truthy, such as `window.ready`. Null: none."""
    delay_ms: Annotated[int, Bounds(ge=0, le=10_000)] = 0
    """Milliseconds to wait after all other conditions. With this, a selector or an expression,
    animations are drawn as they stand; without, at their end."""
    timeout_ms: Annotated[int, Bounds(ge=100, le=60_000)] = 10_000
    """Milliseconds for everything but the delay, which is added to it."""


class FormatOptions(Options, frozen=True):
    """Compression of a picture; None is the format's default."""

    quality: Annotated[int, Bounds(ge=1, le=100)] | None = None
    """Quality in percent, for `jpeg` and for `webp` that is not lossless. A `jpeg` of 90 and more
    keeps the edges of coloured text. Null: 90."""
    lossless: bool | None = None
    """Without any loss, for `webp`. Null: with loss."""
    progressive: bool | None = None
    """Shown in steps while it is loaded, for `jpeg`. Null: from top to bottom."""


class ImageOptions(Options, frozen=True):
    """Options of a picture; `omit_background` is another name of `transparent`."""

    width: Annotated[int, Bounds(ge=1, le=10_000)] | None = None
    """Width of the picture in CSS pixels; without `fit` the page is laid out in it. Null: that of
    the viewport."""
    height: Annotated[int, Bounds(ge=1, le=10_000)] | None = None
    """Height of the picture in CSS pixels; without `fit` the page is laid out in it. Null: that of
    the viewport."""
    scale: Annotated[float, Bounds(ge=1, le=3)] | None = None
    """Device pixels for each CSS pixel: 2 gives a picture of twice the width and height. Null: that
    of the viewport."""
    fit: Literal["contain", "cover", "fill"] | None = None
    """How a picture of another shape is brought to `width` and `height`: with bars, cut, or
    stretched; ignored, with a warning, unless both are given. Null: the page is laid out in that
    size."""
    full_page: bool | None = None
    """The whole document instead of the viewport. Null: the viewport."""
    omit_background: bool | None = None
    """No white behind the page; the same as `transparent`. A `jpeg` stays white. Null: white."""
    transparent: bool | None = None
    """No white behind the page. A `jpeg` stays white. Null: white."""
    clip_selector: Annotated[str, Bounds(min_length=1, max_length=500)] | None = None
    """A CSS selector: only the first element that it finds is in the picture. Null: all of the
    page."""
    format_options: FormatOptions | None = None
    """Compression. Null: the format's defaults."""
    viewport: Viewport | None = None
    """Takes precedence over `output.viewport`. Null: `output.viewport`."""
    wait: Wait | None = None
    """Takes precedence over `output.wait`. Null: `output.wait`."""

    @property
    def is_transparent(self) -> bool:
        """Tell whether the picture has no white behind the page."""
        return bool(self.transparent or self.omit_background)

    @property
    def fit_size(self) -> tuple[int, int] | None:
        """Return the size that pictures are fitted into."""
        if self.fit is None or self.width is None or self.height is None:
            return None
        return self.width, self.height

    @property
    def compression(self) -> FormatOptions:
        """Return the format options, without any the defaults."""
        return self.format_options or FormatOptions()
