"""How pictures are taken (ImageOptions and its parts), and what a page waits for."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from chalicelib.contract.base import Model


class FormatOptions(Model):
    """How a picture is compressed; what a format has no use for is told as a warning."""

    quality: Annotated[int, Field(ge=1, le=100)] | None = None
    """Of `jpeg` (90) and of `webp` that is not lossless (90). A `jpeg` of 90 and more keeps the
    edges of coloured text."""
    lossless: bool | None = None
    """Of `webp`."""
    progressive: bool | None = None
    """Of `jpeg`."""


class Viewport(Model):
    """The window that the page sees while it is laid out."""

    width: Annotated[int, Field(ge=1, le=10_000)] = 1280
    height: Annotated[int, Field(ge=1, le=10_000)] = 720
    device_scale_factor: Annotated[float, Field(ge=1, le=3)] = 1.0
    mobile: bool = False


class Wait(Model):
    """What must have come before the page is printed; fonts and images are always awaited."""

    until: Literal["load", "domcontentloaded", "networkidle"] = "load"
    selector: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    expression: Annotated[str, StringConstraints(min_length=1, max_length=10_000)] | None = None
    """JavaScript that must become truthy."""
    delay_ms: Annotated[int, Field(ge=0, le=10_000)] = 0
    timeout_ms: Annotated[int, Field(ge=100, le=60_000)] = 10_000


class ImageOptions(Model):
    """How a picture is taken."""

    width: Annotated[int, Field(ge=1, le=10_000)] | None = None
    height: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """With `height`: the size of the picture in CSS pixels. Without `fit` the page is laid out in
    this size."""
    scale: Annotated[float, Field(ge=1, le=3)] | None = None
    """Device pixels for one CSS pixel."""
    fit: Literal["contain", "cover", "fill"] | None = None
    """How a picture of another shape is brought to `width` and `height`: with bars, cut, or
    stretched; ignored, with a warning, unless both are given."""
    full_page: bool | None = None
    """The whole document instead of the viewport."""
    omit_background: bool | None = None
    """No white behind the page; the same as `transparent`. A `jpeg` stays white."""
    transparent: bool | None = None
    clip_selector: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = None
    """A CSS selector: only the first element that it finds is in the picture."""
    format_options: FormatOptions | None = None
    viewport: Viewport | None = None
    """Wins over the output's own."""
    wait: Wait | None = None
    """Wins over the output's own."""
