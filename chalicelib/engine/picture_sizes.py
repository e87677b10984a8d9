"""Sizes that pictures may have."""

from collections.abc import Collection
from typing import Final, NamedTuple

from chalicelib.contract.options.image import Window
from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.errors import RenderFailure


class PictureLimits(NamedTuple):
    """Size limits of a picture, in device pixels."""

    max_side_pixels: int
    max_pixels: int


PICTURE_LIMITS: Final = PictureLimits(16_384, 64_000_000)
# WebP stores a side in 14 bits (RFC 9649), and its encoder takes 25 bytes of memory per pixel.
WEBP_LIMITS: Final = PictureLimits(16_383, 32_000_000)


def max_height(output: OutputOptions) -> float:
    """Return the most that a picture of the whole page may be high, in CSS pixels."""
    window = output.layout_viewport() or Window()
    limits = WEBP_LIMITS if "webp" in formats_at_taken_size(output) else PICTURE_LIMITS
    by_area = limits.max_pixels / (window.width * window.device_scale_factor)
    return min(limits.max_side_pixels, by_area) / window.device_scale_factor


def check_sizes(output: OutputOptions) -> None:
    """Check the sizes that are known before the page is loaded; raises as `check_size`."""
    window = output.layout_viewport()
    if window is None:
        return
    check_size(
        window.width, window.height, window.device_scale_factor, formats_at_taken_size(output)
    )
    if output.image.fit_size is not None:
        check_size(*output.image.fit_size, window.device_scale_factor, output.formats)


def check_size(width: float, height: float, scale: float, formats: Collection[str] = ()) -> None:
    """Raise RenderFailure `render_failed` for a picture too large; sides are in CSS pixels."""
    name, limits = ("webp", WEBP_LIMITS) if "webp" in formats else ("picture", PICTURE_LIMITS)
    across, down = round(width * scale), round(height * scale)
    if max(across, down) > limits.max_side_pixels:
        limit = f"{limits.max_side_pixels} pixels a side"
    elif across * down > limits.max_pixels:
        limit = f"{limits.max_pixels} pixels in all"
    else:
        return
    message = f"A {name} may have at most {limit}; this one would be {across} x {down} pixels."
    raise RenderFailure("render_failed", message)


def formats_at_taken_size(output: OutputOptions) -> Collection[str]:
    """Return the formats that are encoded in the captured size, without resizing."""
    return output.formats if output.image.fit_size is None else ()
