"""PDF options; lengths are CSS lengths, their values in inches are properties."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from chalicelib.contract.css_values import PAGE_SIZES, length_in_inches
from chalicelib.contract.options.base import Options

# Height of a page that is as long as its content.
AUTO_HEIGHT: Final = "auto"
PageSize = Literal["A0", "A1", "A2", "A3", "A4", "A5", "A6", "Letter", "Legal", "Tabloid", "Ledger"]
PdfALevel = Literal["2b", "2u", "2a", "3b", "3u", "3a"]
AttachmentRelationship = Literal["Source", "Data", "Alternative", "Supplement", "Unspecified"]
WatermarkPosition = Literal[
    "center",
    "top-left",
    "top",
    "top-right",
    "left",
    "right",
    "bottom-left",
    "bottom",
    "bottom-right",
]


class MarginInches(NamedTuple):
    """Margins of the page in inches."""

    top: float
    right: float
    bottom: float
    left: float


class Margin(Options, frozen=True):
    """Margins of the page."""

    top: str = "10mm"
    right: str = "10mm"
    bottom: str = "10mm"
    left: str = "10mm"

    @property
    def inches(self) -> MarginInches:
        """Return the margins in inches."""
        sides = (self.top, self.right, self.bottom, self.left)
        return MarginInches(*map(length_in_inches, sides))


class HeaderFooter(Options, frozen=True):
    """Header or footer: `html`, or else the three texts."""

    enabled: bool = False
    html: str | None = None
    left: str | None = None
    center: str | None = None
    right: str | None = None
    font_size: str | None = None
    height: str | None = None

    @property
    def has_content(self) -> bool:
        """Tell whether it has HTML or a text."""
        return any((self.html, self.left, self.center, self.right))

    @property
    def is_shown(self) -> bool:
        """Tell whether it is enabled and not empty."""
        return self.enabled and self.has_content

    @property
    def brings_fonts(self) -> bool:
        """Tell whether its HTML has fonts of its own."""
        return "@font-face" in (self.html or "").lower()


class HeaderFooterPair(NamedTuple):
    """Header and footer of one kind of page; None is an empty margin."""

    header: HeaderFooter | None
    footer: HeaderFooter | None


class ContentSource(Options, frozen=True):
    """Source of bytes that the request names: exactly one of the three; `content` is base64."""

    upload_id: str | None = None
    url: str | None = None
    content: str | None = None


class PdfMetadata(Options, frozen=True):
    """Metadata of the document; None leaves the page's own; `created_at` is RFC 3339."""

    title: str | None = None
    author: str | None = None
    subject: str | None = None
    keywords: tuple[str, ...] | None = None
    language: str | None = None
    created_at: str | None = None


class Attachment(Options, frozen=True, kw_only=True):
    """File to embed in the PDF; `relationship` is its AFRelationship."""

    upload_id: str | None = None
    url: str | None = None
    content: str | None = None
    filename: str
    content_type: str = "application/octet-stream"
    description: str | None = None
    relationship: AttachmentRelationship = "Unspecified"

    @property
    def source(self) -> ContentSource:
        """Return the source of its bytes."""
        return ContentSource(self.upload_id, self.url, self.content)


class Permissions(Options, frozen=True):
    """Permissions of a reader without the owner password."""

    print: bool = True
    copy_: bool = msgspec.field(default=True, name="copy")
    modify: bool = True
    annotate: bool = True


class Protection(Options, frozen=True):
    """Encryption: passwords, and the permissions without the owner password."""

    user_password: str | None = None
    owner_password: str | None = None
    permissions: Permissions = Permissions()


class Watermark(Options, frozen=True):
    """Text or picture on every page; `angle` in degrees, counter-clockwise."""

    text: str | None = None
    image: ContentSource | None = None
    opacity: float = 0.15
    angle: float = 45
    position: WatermarkPosition = "center"
    font_size: str | None = None
    color: str = "#808080"
    layer: Literal["over", "under"] = "over"


class PdfOptions(Options, frozen=True):
    """Options of a PDF."""

    page_size: PageSize = "A4"
    width: str | None = None
    height: str | None = None
    landscape: bool = False
    margin: Margin = Margin()
    scale: float = 1.0
    page_ranges: str | None = None
    print_background: bool = True
    prefer_css_page_size: bool = True
    header: HeaderFooter = HeaderFooter()
    footer: HeaderFooter = HeaderFooter()
    first_header: HeaderFooter | None = None
    first_footer: HeaderFooter | None = None
    last_footer: HeaderFooter | None = None
    page_number_start: int = 1
    tagged: bool = True
    outline: bool = False
    accessibility_report: bool = False
    pdfa: PdfALevel | None = None
    pdfua: bool = False
    forms: bool = False
    metadata: PdfMetadata = PdfMetadata()
    attachments: tuple[Attachment, ...] = ()
    protection: Protection | None = None
    watermark: Watermark | None = None
    max_pages: int | None = None

    @property
    def paper_size(self) -> tuple[float, float]:
        """Return width and height of the paper in inches, before `landscape` turns it.

        The height of a continuous page is that of `page_size`.
        """
        width, height = PAGE_SIZES[self.page_size]
        if self.width is not None:
            width = length_in_inches(self.width)
        if self.height is not None and not self.is_continuous:
            height = length_in_inches(self.height)
        return width, height

    @property
    def is_continuous(self) -> bool:
        """Tell whether the document is one page, as long as its content."""
        return self.height == AUTO_HEIGHT

    @property
    def turned_size(self) -> tuple[float, float]:
        """Return width and height of the paper in inches, turned by `landscape`.

        A continuous page of a given width is not turned.
        """
        width, height = self.paper_size
        is_turned = self.landscape and not (self.is_continuous and self.width is not None)
        return (height, width) if is_turned else (width, height)

    @property
    def header_footer(self) -> HeaderFooterPair:
        """Return the pair of the pages that have none of their own."""
        return _shown_pair(self.header, self.footer)

    @property
    def first_page(self) -> HeaderFooterPair:
        """Return the pair of the first page; an absent variant is the usual one."""
        return _shown_pair(self.first_header or self.header, self.first_footer or self.footer)

    @property
    def last_page(self) -> HeaderFooterPair:
        """Return the pair of the last page."""
        return _shown_pair(self.header, self.last_footer or self.footer)

    @property
    def single_page(self) -> HeaderFooterPair:
        """Return the pair of a page that is both the first and the last one."""
        footer = self.last_footer or self.first_footer or self.footer
        return _shown_pair(self.first_header or self.header, footer)

    @property
    def has_pdfua_target(self) -> bool:
        """Tell whether PDF/UA is required, or an accessibility report that checks it."""
        return self.pdfua or (self.accessibility_report and self.tagged)

    @property
    def is_fully_tagged(self) -> bool:
        """Tell whether all content must be tagged: for PDF/UA and level a of PDF/A."""
        return self.has_pdfua_target or (self.pdfa or "").endswith("a")

    @property
    def has_header_footer(self) -> bool:
        """Tell whether any page has a header or footer."""
        return any(pair != HeaderFooterPair(None, None) for pair in self._pairs)

    @property
    def varies_by_page(self) -> bool:
        """Tell whether headers and footers differ between pages or bring fonts.

        The browser prints neither: it does not wait for fonts of headers.
        """
        if not self.has_header_footer:
            return False
        if self.page_number_start != 1 or len(set(self._pairs)) > 1:
            return True
        return any(part is not None and part.brings_fonts for part in self.header_footer)

    @property
    def _pairs(self) -> Sequence[HeaderFooterPair]:
        return (self.header_footer, self.first_page, self.last_page, self.single_page)

    @property
    def has_room(self) -> bool:
        """Tell whether the margins leave room on the paper."""
        (width, height), margin = self.turned_size, self.margin.inches
        return margin.left + margin.right < width and margin.top + margin.bottom < height

    @property
    def depends_on_page_style(self) -> bool:
        """Tell whether the print depends on the document's own page rules."""
        return self.is_continuous or self.has_header_footer or not self.has_room

    def content_sources(self) -> Iterator[tuple[str, ContentSource]]:
        """Yield the attachments and the watermark's picture by their JSON Pointers."""
        for number, attachment in enumerate(self.attachments):
            yield f"/output/pdf/attachments/{number}", attachment.source
        if self.watermark is not None and self.watermark.image is not None:
            yield "/output/pdf/watermark/image", self.watermark.image


def _shown_pair(header: HeaderFooter, footer: HeaderFooter) -> HeaderFooterPair:
    return HeaderFooterPair(
        header if header.is_shown else None, footer if footer.is_shown else None
    )
