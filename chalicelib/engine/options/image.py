"""Picture, viewport and wait options: the contract's ImageOptions, Viewport and Wait."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Self

DEFAULT_VIEWPORT: Final = (1280, 720)


class Viewport(NamedTuple):
    """Browser window that the page is laid out in."""

    width: int
    height: int
    device_scale_factor: float = 1.0
    mobile: bool = False

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read Viewport."""
        width, height = DEFAULT_VIEWPORT
        return cls(
            width=source.get("width") or width,
            height=source.get("height") or height,
            device_scale_factor=source.get("device_scale_factor") or 1.0,
            mobile=source.get("mobile", False),
        )


class Wait(NamedTuple):
    """Conditions to wait for before the page is drawn."""

    until: str
    selector: str | None
    expression: str | None
    delay_ms: int
    timeout_ms: int

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read Wait."""
        return cls(
            until=source.get("until", "load"),
            selector=source.get("selector"),
            expression=source.get("expression"),
            delay_ms=source.get("delay_ms", 0),
            timeout_ms=source.get("timeout_ms", 10_000),
        )


class FormatOptions(NamedTuple):
    """Compression of a picture; None is the format's default."""

    quality: int | None = None
    lossless: bool | None = None
    progressive: bool | None = None

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read FormatOptions."""
        return cls(source.get("quality"), source.get("lossless"), source.get("progressive"))


class ImageOptions(NamedTuple):
    """Options of a picture; sizes are in CSS pixels."""

    width: int | None
    height: int | None
    scale: float | None
    fit: str | None
    full_page: bool
    transparent: bool
    clip_selector: str | None
    format_options: FormatOptions
    viewport: Viewport | None
    wait: Wait | None

    @property
    def fit_size(self) -> tuple[int, int] | None:
        """Return the size that pictures are fitted into, in CSS pixels."""
        if self.fit is None or self.width is None or self.height is None:
            return None
        return self.width, self.height

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read ImageOptions; `omit_background` is another name of `transparent`."""
        viewport, wait = source.get("viewport"), source.get("wait")
        return cls(
            width=source.get("width"),
            height=source.get("height"),
            scale=source.get("scale"),
            fit=source.get("fit"),
            full_page=bool(source.get("full_page")),
            transparent=bool(source.get("transparent") or source.get("omit_background")),
            clip_selector=source.get("clip_selector"),
            format_options=FormatOptions.from_json(source.get("format_options") or {}),
            viewport=None if viewport is None else Viewport.from_json(viewport),
            wait=None if wait is None else Wait.from_json(wait),
        )
