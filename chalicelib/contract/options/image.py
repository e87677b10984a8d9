"""Picture, viewport and wait options; sizes are in CSS pixels."""

from typing import Literal, NamedTuple

from chalicelib.contract.css_values import DEFAULT_VIEWPORT
from chalicelib.contract.options.base import Options


class Window(NamedTuple):
    """Browser window of a definite size."""

    width: int = DEFAULT_VIEWPORT[0]
    height: int = DEFAULT_VIEWPORT[1]
    device_scale_factor: float = 1.0
    mobile: bool = False


class Viewport(Options, frozen=True):
    """Browser window that the page is laid out in; None is the side of a page, or the default."""

    width: int | None = None
    height: int | None = None
    device_scale_factor: float = 1.0
    mobile: bool = False

    def window(self, width: int, height: int) -> Window:
        """Return the window; a side that is not given is that of the arguments."""
        return Window(
            self.width or width, self.height or height, self.device_scale_factor, self.mobile
        )


class Wait(Options, frozen=True):
    """Conditions to wait for before the page is drawn."""

    until: Literal["load", "domcontentloaded", "networkidle"] = "load"
    selector: str | None = None
    expression: str | None = None
    delay_ms: int = 0
    timeout_ms: int = 10_000


class FormatOptions(Options, frozen=True):
    """Compression of a picture; None is the format's default."""

    quality: int | None = None
    lossless: bool | None = None
    progressive: bool | None = None


class ImageOptions(Options, frozen=True):
    """Options of a picture; `omit_background` is another name of `transparent`."""

    width: int | None = None
    height: int | None = None
    scale: float | None = None
    fit: Literal["contain", "cover", "fill"] | None = None
    full_page: bool | None = None
    omit_background: bool | None = None
    transparent: bool | None = None
    clip_selector: str | None = None
    format_options: FormatOptions | None = None
    viewport: Viewport | None = None
    wait: Wait | None = None

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
