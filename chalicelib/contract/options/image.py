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
    """Null: the width of the content of a page for PDF, and 1280 for pictures."""
    height: Annotated[int, Bounds(ge=1, le=10_000)] | None = None
    """Null: the height of the content of a page for PDF without `width`, else 720."""
    device_scale_factor: Annotated[float, Bounds(ge=1, le=3)] = 1.0
    mobile: bool = False

    def window(self, width: int, height: int) -> Window:
        """Return the window; a side that is not given is that of the arguments."""
        return Window(
            self.width or width, self.height or height, self.device_scale_factor, self.mobile
        )


class Wait(Options, frozen=True):
    """Conditions to wait for before the page is drawn."""

    until: Literal["load", "domcontentloaded", "networkidle"] = "load"
    selector: Annotated[str, Bounds(min_length=1, max_length=1000)] | None = None
    expression: Annotated[str, Bounds(min_length=1, max_length=10_000)] | None = None
    """JavaScript that must become truthy."""
    delay_ms: Annotated[int, Bounds(ge=0, le=10_000)] = 0
    """Time after all other conditions. With this, a selector or an expression, animations are drawn
    as they stand; without, at their end."""
    timeout_ms: Annotated[int, Bounds(ge=100, le=60_000)] = 10_000
    """For everything but the delay, which is added to it."""


class FormatOptions(Options, frozen=True):
    """Compression of a picture; None is the format's default."""

    quality: Annotated[int, Bounds(ge=1, le=100)] | None = None
    """For `jpeg` and for `webp` that is not lossless; 90 by default. A `jpeg` of 90 and more keeps
    the edges of coloured text."""
    lossless: bool | None = None
    """For `webp`."""
    progressive: bool | None = None
    """For `jpeg`."""


class ImageOptions(Options, frozen=True):
    """Options of a picture; `omit_background` is another name of `transparent`."""

    width: Annotated[int, Bounds(ge=1, le=10_000)] | None = None
    height: Annotated[int, Bounds(ge=1, le=10_000)] | None = None
    """With `width`: the size of the picture in CSS pixels. Without `fit` the page is laid out in
    this size."""
    scale: Annotated[float, Bounds(ge=1, le=3)] | None = None
    """Device pixels for one CSS pixel."""
    fit: Literal["contain", "cover", "fill"] | None = None
    """How a picture of another shape is brought to `width` and `height`: with bars, cut, or
    stretched; ignored, with a warning, unless both are given."""
    full_page: bool | None = None
    """The whole document instead of the viewport."""
    omit_background: bool | None = None
    """No white behind the page; the same as `transparent`. A `jpeg` stays white."""
    transparent: bool | None = None
    clip_selector: Annotated[str, Bounds(min_length=1, max_length=500)] | None = None
    """A CSS selector: only the first element that it finds is in the picture."""
    format_options: FormatOptions | None = None
    viewport: Viewport | None = None
    """Takes precedence over `output.viewport`."""
    wait: Wait | None = None
    """Takes precedence over `output.wait`."""

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
