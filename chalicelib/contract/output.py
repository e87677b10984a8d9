"""What comes out of a render: formats and their options (OutputSpec and its parts)."""

import re
from typing import Annotated, Final, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field, StringConstraints, field_validator, model_validator

from chalicelib.contract.base import Model
from chalicelib.contract.lengths import inches

OutputFormat = Literal["pdf", "png"]
PageSize = Literal["A0", "A1", "A2", "A3", "A4", "A5", "A6", "Letter", "Legal", "Tabloid", "Ledger"]
LENGTH_PATTERN: Final = r"^(?:0|[0-9]{1,6}(?:\.[0-9]{1,4})?(?:mm|cm|in|px|pt|pc))$"
MOST_INCHES: Final = 200
PAGE_RANGES_PATTERN: Final = (
    r"^ *[0-9]{1,5}(?: *- *[0-9]{1,5})?(?: *, *[0-9]{1,5}(?: *- *[0-9]{1,5})?)* *$"
)
LOCALE_PATTERN: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}")


def _length(text: str) -> str:
    if re.fullmatch(LENGTH_PATTERN, text) is None:
        message = "must be 0 or a number with one of the units mm, cm, in, px, pt, pc"
        raise ValueError(message)
    if inches(text) > MOST_INCHES:
        message = f"must be at most {MOST_INCHES}in"
        raise ValueError(message)
    return text


def _side(text: str) -> str:
    if not inches(text):
        message = "must be more than 0"
        raise ValueError(message)
    return text


def _page_ranges(text: str) -> str:
    ascending = re.fullmatch(PAGE_RANGES_PATTERN, text) is not None and all(
        1 <= int(first) <= int(last or first)
        for first, _, last in (part.partition("-") for part in text.split(","))
    )
    if not ascending:
        message = "must be pages and ascending ranges of pages, counted from 1, such as 1-3,5"
        raise ValueError(message)
    return text


Length = Annotated[
    str,
    StringConstraints(max_length=16),
    AfterValidator(_length),
    Field(
        description="0, or a number with one of the units mm, cm, in, px, pt, pc; at most 200in.",
        json_schema_extra={"pattern": LENGTH_PATTERN},
    ),
]
Side = Annotated[Length, AfterValidator(_side)]
PageRanges = Annotated[
    str,
    StringConstraints(max_length=500),
    AfterValidator(_page_ranges),
    Field(json_schema_extra={"pattern": PAGE_RANGES_PATTERN}),
]


class Margin(Model):
    """The page's margins."""

    top: Length = "10mm"
    right: Length = "10mm"
    bottom: Length = "10mm"
    left: Length = "10mm"


class HeaderFooter(Model):
    """What is printed into a page's top or bottom margin."""

    enabled: bool = False
    html: Annotated[str, StringConstraints(max_length=200_000)] | None = None
    """HTML of its own, without the document's styles. Elements with the classes `pageNumber`,
    `totalPages`, `title` and `date` are filled in; those with the class `url` print nothing. A
    template where the document is one."""


class PdfOptions(Model):
    """How pages are made."""

    page_size: PageSize = "A4"
    width: Side | None = None
    """More than 0; together with `height` in place of `page_size`."""
    height: Side | None = None
    landscape: bool = False
    margin: Margin = Margin()
    scale: Annotated[float, Field(ge=0.1, le=2)] = 1.0
    page_ranges: PageRanges | None = None
    """Pages to keep, counted from 1, such as `1-3,5`."""
    print_background: bool = True
    prefer_css_page_size: bool = True
    """The document's own `@page` size wins over `page_size`."""
    header: HeaderFooter = HeaderFooter()
    footer: HeaderFooter = HeaderFooter()
    tagged: bool = True
    """Write the structure tree that assistive technology reads."""
    outline: bool = False
    """Write bookmarks from the headings."""

    @model_validator(mode="after")
    def _sizes_come_in_pairs(self) -> Self:
        if (self.width is None) != (self.height is None):
            message = "width and height go together"
            raise ValueError(message)
        return self


class ImageOptions(Model):
    """How a picture is taken."""

    width: Annotated[int, Field(ge=1, le=10_000)] | None = None
    height: Annotated[int, Field(ge=1, le=10_000)] | None = None
    scale: Annotated[float, Field(ge=1, le=3)] | None = None
    """Device pixels for one CSS pixel."""
    full_page: bool | None = None
    """The whole document instead of the viewport."""
    omit_background: bool | None = None
    """No white behind the page; the same as `transparent`."""
    transparent: bool | None = None


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


class OutputSpec(Model):
    """The file that is asked for."""

    format: OutputFormat = "pdf"
    filename: Annotated[str, StringConstraints(max_length=255)] | None = None
    """Cleaned of what file systems refuse; its extension follows the format."""
    pdf: PdfOptions = PdfOptions()
    image: ImageOptions = ImageOptions()
    viewport: Viewport | None = None
    wait: Wait = Wait()
    media: Literal["print", "screen"] | None = None
    """The CSS media type; `print` for PDF and `screen` for images where it is absent."""
    javascript: bool = True
    locale: str | None = None
    """A BCP 47 tag, such as `de-AT`: what the page sees as the reader's language."""
    timezone: str | None = None
    """An IANA name, such as `Europe/Vienna`."""
    strict_undefined: bool = False
    """An undefined value in the template is an error instead of nothing."""

    @field_validator("filename")
    @classmethod
    def _filename_is_literal(cls, value: str | None) -> str | None:
        if value is not None and ("{{" in value or "{%" in value):
            message = "must be a plain name: templated names come later"
            raise ValueError(message)
        return value

    @field_validator("locale")
    @classmethod
    def _locale_is_a_tag(cls, value: str | None) -> str | None:
        if value is not None and LOCALE_PATTERN.fullmatch(value) is None:
            message = "a BCP 47 tag such as de-AT is expected"
            raise ValueError(message)
        return value

    @field_validator("timezone")
    @classmethod
    def _timezone_exists(cls, value: str | None) -> str | None:
        if value is None:
            return None
        # Files such as localtime and posix/UTC lie in the same folder and are no IANA names.
        named = value in {"UTC", "GMT"} or ("/" in value and value[:1].isupper())
        try:
            return ZoneInfo(value if named and value.isascii() else "").key
        except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
            message = "an IANA time zone such as Europe/Vienna is expected"
            raise ValueError(message) from unknown
