"""All options of one render: the contract's OutputSpec."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Self

from chalicelib.engine.options.http import HttpOptions
from chalicelib.engine.options.image import DEFAULT_VIEWPORT, ImageOptions, Viewport, Wait
from chalicelib.engine.options.pdf import PdfOptions

IMAGE_FORMATS: Final = frozenset({"png", "jpeg", "webp"})


class OutputOptions(NamedTuple):
    """Options of one render.

    `formats` are drawn; `is_zipped` puts the files into one archive. `filename` is the caller's,
    not yet sanitized.
    """

    formats: tuple[str, ...]
    is_zipped: bool
    filename: str | None
    pdf: PdfOptions
    image: ImageOptions
    http: HttpOptions
    viewport: Viewport | None
    wait: Wait
    media: str | None
    javascript: bool
    locale: str | None
    timezone: str | None
    strict_undefined: bool
    strict_assets: bool

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read OutputSpec; absent members have the contract's defaults."""
        viewport = source.get("viewport")
        format_ = source.get("format")
        formats = source.get("formats") or ["pdf" if format_ in {None, "zip"} else format_]
        image = ImageOptions.from_json(source.get("image") or {})
        has_pictures = any(name in IMAGE_FORMATS for name in formats)
        image_wait = image.wait if has_pictures else None
        return cls(
            formats=tuple(formats),
            is_zipped=format_ == "zip",
            filename=source.get("filename"),
            pdf=PdfOptions.from_json(source.get("pdf") or {}),
            image=image,
            http=HttpOptions.from_json(source.get("http") or {}),
            viewport=None if viewport is None else Viewport.from_json(viewport),
            wait=image_wait or Wait.from_json(source.get("wait") or {}),
            media=source.get("media"),
            javascript=source.get("javascript", True),
            locale=source.get("locale"),
            timezone=source.get("timezone"),
            strict_undefined=source.get("strict_undefined", False),
            strict_assets=source.get("asset_policy") == "strict",
        )

    def layout_viewport(self) -> Viewport | None:
        """Return the window that the page is laid out in; None is the browser's default."""
        if not any(name in IMAGE_FORMATS for name in self.formats):
            return self.viewport
        base = self.image.viewport or self.viewport or Viewport(*DEFAULT_VIEWPORT)
        is_fitted = self.image.fit_size is not None
        return Viewport(
            width=base.width if is_fitted else self.image.width or base.width,
            height=base.height if is_fitted else self.image.height or base.height,
            device_scale_factor=self.image.scale or base.device_scale_factor,
            mobile=base.mobile,
        )
