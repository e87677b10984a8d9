"""The output that is asked for, read from the normalised JSON of the contract's OutputSpec."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from chalicelib.contract.lengths import inches

# Upright, in millimetres (ISO 216) and inches (ANSI).
_ISO_SIZES: Final = {
    "A0": (841, 1189),
    "A1": (594, 841),
    "A2": (420, 594),
    "A3": (297, 420),
    "A4": (210, 297),
    "A5": (148, 210),
    "A6": (105, 148),
}
_PAGE_SIZES: Final = {
    **{name: (width / 25.4, height / 25.4) for name, (width, height) in _ISO_SIZES.items()},
    "Letter": (8.5, 11.0),
    "Legal": (8.5, 14.0),
    "Tabloid": (11.0, 17.0),
    "Ledger": (17.0, 11.0),
}
DEFAULT_VIEWPORT: Final = (1280, 720)


@dataclass(frozen=True, slots=True)
class Margin:
    """The page's margins in inches."""

    top: float
    right: float
    bottom: float
    left: float

    @classmethod
    def from_json(cls, source: Mapping[str, str]) -> Self:
        """Read the four lengths; 10 mm where one is absent."""
        sides = ("top", "right", "bottom", "left")
        return cls(*(inches(source.get(side, "10mm")) for side in sides))


@dataclass(frozen=True, slots=True)
class PdfOptions:
    """How pages are made; lengths in inches."""

    width: float
    height: float
    landscape: bool
    margin: Margin
    scale: float
    page_ranges: str
    print_background: bool
    prefer_css_page_size: bool
    header: str | None
    footer: str | None
    tagged: bool
    outline: bool

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read PdfOptions."""
        width, height = _PAGE_SIZES[source.get("page_size") or "A4"]
        if source.get("width") and source.get("height"):
            width, height = inches(source["width"]), inches(source["height"])
        return cls(
            width=width,
            height=height,
            landscape=source.get("landscape", False),
            margin=Margin.from_json(source.get("margin") or {}),
            scale=source.get("scale", 1.0),
            page_ranges=source.get("page_ranges") or "",
            print_background=source.get("print_background", True),
            prefer_css_page_size=source.get("prefer_css_page_size", True),
            header=_header_footer(source.get("header")),
            footer=_header_footer(source.get("footer")),
            tagged=source.get("tagged", True),
            outline=source.get("outline", False),
        )


@dataclass(frozen=True, slots=True)
class Viewport:
    """The window that the page sees."""

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


@dataclass(frozen=True, slots=True)
class ImageOptions:
    """How a picture is taken; sizes in CSS pixels."""

    width: int | None
    height: int | None
    scale: float | None
    full_page: bool
    transparent: bool

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read ImageOptions; `omit_background` is another name of `transparent`."""
        return cls(
            width=source.get("width"),
            height=source.get("height"),
            scale=source.get("scale"),
            full_page=bool(source.get("full_page")),
            transparent=bool(source.get("transparent") or source.get("omit_background")),
        )


@dataclass(frozen=True, slots=True)
class Wait:
    """What must have come before the page is printed."""

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


@dataclass(frozen=True, slots=True)
class Output:
    """All that is asked for of one render."""

    formats: tuple[str, ...]
    pdf: PdfOptions
    image: ImageOptions
    viewport: Viewport | None
    wait: Wait
    media: str | None
    javascript: bool
    locale: str | None
    timezone: str | None
    strict_undefined: bool

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read OutputSpec; absent members have the contract's defaults."""
        viewport = source.get("viewport")
        return cls(
            formats=tuple(source.get("formats") or [source.get("format") or "pdf"]),
            pdf=PdfOptions.from_json(source.get("pdf") or {}),
            image=ImageOptions.from_json(source.get("image") or {}),
            viewport=None if viewport is None else Viewport.from_json(viewport),
            wait=Wait.from_json(source.get("wait") or {}),
            media=source.get("media"),
            javascript=source.get("javascript", True),
            locale=source.get("locale"),
            timezone=source.get("timezone"),
            strict_undefined=source.get("strict_undefined", False),
        )

    def window(self) -> Viewport | None:
        """Return the window that the page is laid out in; None is the browser's own."""
        if "png" not in self.formats:
            return self.viewport
        base = self.viewport or Viewport(*DEFAULT_VIEWPORT)
        return Viewport(
            width=self.image.width or base.width,
            height=self.image.height or base.height,
            device_scale_factor=self.image.scale or base.device_scale_factor,
            mobile=base.mobile,
        )


def _header_footer(source: Mapping[str, Any] | None) -> str | None:
    if source is None or not source.get("enabled"):
        return None
    return source.get("html") or ""
