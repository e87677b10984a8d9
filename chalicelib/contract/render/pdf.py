"""Options of a PDF (PdfOptions and its parts)."""

import datetime as dt
import re
from typing import Annotated, Final, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)

from chalicelib.contract import field_types
from chalicelib.contract.base import Model
from chalicelib.contract.css_values import length_in_inches
from chalicelib.contract.field_types import Color, ContentSource, Timestamp, check_language_tag
from chalicelib.contract.options import pdf as options
from chalicelib.contract.render.pdf_conformance import check_pdf_conformance
from chalicelib.contract.render.protection import Protection
from chalicelib.core.text import is_safe_filename

LENGTH_PATTERN: Final = r"^(?:0|[0-9]{1,6}(?:\.[0-9]{1,4})?(?:mm|cm|in|px|pt|pc))$"
MAX_INCHES: Final = 200
# At least one point of the page remains between its margins.
MIN_CONTENT_INCHES: Final = 1 / 72
# A PDF date has four digits for the year (ISO 32000-1 7.9.4). The bounds keep them in every time
# zone.
_MIN_YEAR: Final = 1001
_MAX_YEAR: Final = 9998
PAGE_RANGES_PATTERN: Final = (
    r"^ *[0-9]{1,5}(?: *- *[0-9]{1,5})?(?: *, *[0-9]{1,5}(?: *- *[0-9]{1,5})?)* *$"
)


# The defaults stand in the typed options; here they are checked and documented.
_PDF: Final = options.PdfOptions()
_MARGIN: Final = options.Margin()
_WATERMARK: Final = options.Watermark()
_ATTACHMENT: Final = options.Attachment(filename="")


def _check_length(text: str) -> str:
    if re.fullmatch(LENGTH_PATTERN, text) is None:
        message = "must be 0 or a number with one of the units mm, cm, in, px, pt, pc"
        raise ValueError(message)
    if length_in_inches(text) > MAX_INCHES:
        message = f"must be at most {MAX_INCHES}in"
        raise ValueError(message)
    return text


def _check_positive_length(text: str) -> str:
    if not length_in_inches(text):
        message = "must be more than 0"
        raise ValueError(message)
    return text


def _check_page_ranges(text: str) -> str:
    is_valid = re.fullmatch(PAGE_RANGES_PATTERN, text) is not None and all(
        1 <= int(first) <= int(last or first)
        for first, _, last in (part.partition("-") for part in text.split(","))
    )
    if not is_valid:
        message = "must be pages and ascending ranges of pages, counted from 1, such as 1-3,5"
        raise ValueError(message)
    return text


def _check_filename(text: str) -> str:
    if not is_safe_filename(text):
        message = (
            "must be the name of a file on any system: without folders, drives, control characters "
            "and a dot or blank at its end, and no name of a device"
        )
        raise ValueError(message)
    return text


def _check_document_date(moment: dt.datetime) -> dt.datetime:
    if not _MIN_YEAR <= moment.year <= _MAX_YEAR:
        message = f"must lie in the years {_MIN_YEAR} to {_MAX_YEAR}"
        raise ValueError(message)
    return moment


Length = Annotated[
    field_types.LengthText,
    AfterValidator(_check_length),
    Field(
        description="0, or a number with one of the units mm, cm, in, px, pt, pc; at most 200in.",
        json_schema_extra={"pattern": LENGTH_PATTERN},
    ),
]
PositiveLength = Annotated[Length, AfterValidator(_check_positive_length)]
HeaderText = Annotated[str, StringConstraints(max_length=2000)]
PageRanges = Annotated[
    str,
    StringConstraints(max_length=500),
    AfterValidator(_check_page_ranges),
    Field(json_schema_extra={"pattern": PAGE_RANGES_PATTERN}),
]


class Margin(Model):
    """The page's margins."""

    top: Length = _MARGIN.top
    right: Length = _MARGIN.right
    bottom: Length = _MARGIN.bottom
    left: Length = _MARGIN.left


class HeaderFooter(Model):
    """A header or footer, printed into the top or bottom margin of each page."""

    enabled: bool = options.HeaderFooter().enabled
    html: Annotated[str, StringConstraints(max_length=200_000)] | None = None
    """HTML without the document's styles, from the left edge of the sheet: 8pt sans-serif. Loads
    `input.assets` and `data:` URLs, nothing from the web, and runs no scripts. Elements with the
    classes `pageNumber`, `totalPages`, `title`, `date` and `url` are filled in; `url` is empty
    unless the document is a web page. A template if the document is one; `page`, `pages`, `title`
    and `date` are the same marks there. Excludes `left`, `center` and `right`."""
    left: HeaderText | None = None
    """Text at the left; `{{ page }}`, `{{ pages }}` (the number of the last page), `{{ title }}`
    and `{{ date }}` (day and minute of printing, which makes the bytes of equal renders differ) are
    filled in. A template if the document is one."""
    center: HeaderText | None = None
    right: HeaderText | None = None
    font_size: Length | None = None
    """For `left`, `center` and `right`; 8pt by default."""
    height: Length | None = None
    """Height from the paper's edge; by default that of the content. If it is more than the margin,
    it overlaps the document (`header_footer_overlap`)."""

    @model_validator(mode="after")
    def _check_html_or_texts(self) -> Self:
        if self.html is not None and (self.left or self.center or self.right):
            message = "html stands in place of left, center and right"
            raise ValueError(message)
        return self


class DocumentTexts(Model):
    """Metadata of a document; an absent member keeps what it has."""

    title: Annotated[str, StringConstraints(max_length=1000)] | None = None
    author: Annotated[str, StringConstraints(max_length=1000)] | None = None
    subject: Annotated[str, StringConstraints(max_length=1000)] | None = None
    keywords: (
        Annotated[
            list[Annotated[str, StringConstraints(min_length=1, max_length=200)]],
            Field(max_length=100),
        ]
        | None
    ) = None
    language: (
        Annotated[str, StringConstraints(max_length=35), AfterValidator(check_language_tag)] | None
    ) = None
    """A BCP 47 tag."""


class PdfMetadata(DocumentTexts):
    """Metadata of the document; an absent member keeps that of the page."""

    created_at: Annotated[Timestamp, AfterValidator(_check_document_date)] | None = None
    """The date in the document; 2000-01-01 by default, so that equal renders give equal bytes."""


class Attachment(ContentSource):
    """A file inside the PDF, given by `upload_id`, `url` or `content`."""

    filename: Annotated[
        str, StringConstraints(min_length=1, max_length=255), AfterValidator(_check_filename)
    ]
    """The second file of the same name gets `-2` before its extension."""
    content_type: field_types.BareMediaType = _ATTACHMENT.content_type
    description: Annotated[str, StringConstraints(max_length=1000)] | None = None
    relationship: options.AttachmentRelationship = _ATTACHMENT.relationship
    """The relationship to the document (ISO 32000-2, AFRelationship)."""


class Watermark(Model):
    """A text or a picture on every page; an artifact, which assistive technology does not read."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    """In any script; a line feed begins a new line."""
    image: ContentSource | None = None
    """Any picture that browsers show: PNG, JPEG, WebP, GIF, SVG."""
    opacity: Annotated[float, Field(ge=0, le=1)] = _WATERMARK.opacity
    angle: Annotated[float, Field(ge=-180, le=180)] = _WATERMARK.angle
    """Degrees, counter-clockwise."""
    position: options.WatermarkPosition = _WATERMARK.position
    font_size: PositiveLength | None = None
    """For text; by default it takes 80 % of the page in the middle, and 35 % at an edge. Pictures
    take at most the same share and are never enlarged."""
    color: Color = _WATERMARK.color
    layer: Literal["over", "under"] = _WATERMARK.layer
    """Over or under what the page shows; a background of the page hides what lies under it."""

    @model_validator(mode="after")
    def _check_text_or_image(self) -> Self:
        if (self.text is None) == (self.image is None):
            message = "needs either text or image"
            raise ValueError(message)
        return self


class PdfOptions(Model):
    """Options of a PDF."""

    page_size: options.PageSize = _PDF.page_size
    width: PositiveLength | None = None
    """More than 0. `width` and `height` together replace `page_size`."""
    height: PositiveLength | Literal["auto"] | None = None
    """`auto`: one page that is as long as its content, at most 5 m, and as wide as `width` or else
    `page_size`; the document's own `@page` size wins over it, which may be `80mm auto`."""
    landscape: bool = _PDF.landscape
    margin: Margin = Margin()
    """Opposite margins together must be smaller than the page."""
    scale: Annotated[float, Field(ge=0.1, le=2)] = _PDF.scale
    page_ranges: PageRanges | None = None
    """Pages to keep, counted from 1, such as `1-3,5`."""
    print_background: bool = _PDF.print_background
    prefer_css_page_size: bool = _PDF.prefer_css_page_size
    """The document's own `@page` size wins over `page_size`; false: this size and `landscape`
    do."""
    header: HeaderFooter = HeaderFooter()
    footer: HeaderFooter = HeaderFooter()
    first_header: HeaderFooter | None = None
    """Replaces `header` on the first page; if it is not `enabled`, the first page has none."""
    first_footer: HeaderFooter | None = None
    last_footer: HeaderFooter | None = None
    """Replaces `footer` on the last page, also if that is the first page."""
    page_number_start: Annotated[int, Field(ge=0, le=1_000_000)] = _PDF.page_number_start
    """The number of the first page in headers and footers."""
    tagged: bool = _PDF.tagged
    """Write the structure tree that assistive technology reads."""
    outline: bool = _PDF.outline
    """Write bookmarks from the headings."""
    accessibility_report: bool = _PDF.accessibility_report
    """Check a tagged document against PDF/UA-1 as `pdfua` does, but never fail the render: the
    report is `result.conformance.pdfua`. There it is only a warning that the document is not marked
    as PDF/UA. Links in headers and footers are kept, which is a finding."""
    pdfa: options.PdfALevel | None = None
    """Part and level of PDF/A (ISO 19005) that the document must conform to. Excludes `protection`;
    attachments need part 3. Null turns off the value of the template's options."""
    pdfua: bool = _PDF.pdfua
    """The document must conform to PDF/UA-1 (ISO 14289). Its page must have a title, headings in
    order and a text for every picture; its language is `metadata.language` or its own `lang`, else
    en-US. Links in headers and footers are left out (`feature_unavailable`). Visible content that
    is not read out is a warning of the report: `PLT-UNTAGGED-CONTENT`, by CSS selector."""
    forms: bool = _PDF.forms
    """The controls of the page become form fields (AcroForm): texts, check boxes, radio buttons and
    choices, with their names and values. Excludes `pdfa`."""
    metadata: PdfMetadata = PdfMetadata()
    attachments: Annotated[list[Attachment], Field(max_length=20)] = Field(default=[])
    protection: Protection | None = None
    watermark: Watermark | None = None
    max_pages: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """A lower limit than that of the plan; a document with more pages fails."""

    @field_validator("forms")
    @classmethod
    def _check_forms(cls, forms: bool, info: ValidationInfo) -> bool:  # noqa: FBT001 -- as pydantic calls it
        if forms and info.data.get("pdfa") is not None:
            message = "goes with no pdfa: leave one of both out"
            raise ValueError(message)
        return forms

    @model_validator(mode="after")
    def _check_size_pair(self) -> Self:
        if self.height != options.AUTO_HEIGHT and (self.width is None) != (self.height is None):
            message = "width and height go together"
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _check_margins(self) -> Self:
        size = options.PdfOptions(self.page_size, self.width, self.height, self.landscape)
        width, height = size.turned_size
        margin = self.margin
        across = length_in_inches(margin.left) + length_in_inches(margin.right)
        down = length_in_inches(margin.top) + length_in_inches(margin.bottom)
        is_too_high = not size.is_continuous and down > height - MIN_CONTENT_INCHES
        if across > width - MIN_CONTENT_INCHES or is_too_high:
            message = "margin leaves no room on the page: make it smaller, or the page larger"
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _check_conformance(self) -> Self:
        check_pdf_conformance(self)
        return self
