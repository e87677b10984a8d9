"""PDF options: the contract's PdfOptions; lengths are in inches."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Self

from chalicelib.contract.css_values import PAGE_SIZES, length_in_inches

# Placeholders in header and footer texts for values that only printing knows. Unicode
# noncharacters (U+FDD0 and following), so that no text contains one.
PRINT_PLACEHOLDERS: Final = {
    "page": "\ufdd0",
    "pages": "\ufdd1",
    "title": "\ufdd2",
    "date": "\ufdd3",
}


class Margin(NamedTuple):
    """Margins of the page in inches."""

    top: float
    right: float
    bottom: float
    left: float

    @classmethod
    def from_json(cls, source: Mapping[str, str]) -> Self:
        """Read the four lengths; 10 mm where one is absent."""
        sides = ("top", "right", "bottom", "left")
        return cls(*(length_in_inches(source.get(side, "10mm")) for side in sides))


class HeaderFooter(NamedTuple):
    """Header or footer: `html`, or else the three texts; `height` is in inches.

    `has_url`: the page has a URL, which `html` may show.
    """

    html: str | None
    left: str | None
    center: str | None
    right: str | None
    font_size: str | None
    height: float | None
    has_url: bool = False

    @classmethod
    def from_json(cls, source: Mapping[str, Any] | None) -> Self | None:
        """Read HeaderFooter; None where it is not enabled or empty."""
        if source is None or not source.get("enabled"):
            return None
        if not any(source.get(name) for name in ("html", "left", "center", "right")):
            return None
        height = source.get("height")
        return cls(
            html=source.get("html"),
            left=source.get("left"),
            center=source.get("center"),
            right=source.get("right"),
            font_size=source.get("font_size"),
            height=None if height is None else length_in_inches(height),
        )


class HeaderFooterPair(NamedTuple):
    """Header and footer of one kind of page; None is an empty margin."""

    header: HeaderFooter | None
    footer: HeaderFooter | None


class ContentSource(NamedTuple):
    """Source of bytes that the request names: exactly one of the three; `content` is base64."""

    upload_id: str | None
    url: str | None
    content: str | None

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read ContentSource."""
        return cls(source.get("upload_id"), source.get("url"), source.get("content"))


class PdfMetadata(NamedTuple):
    """Metadata of the document; None leaves the page's own; `created_at` is RFC 3339."""

    title: str | None = None
    author: str | None = None
    subject: str | None = None
    keywords: tuple[str, ...] | None = None
    language: str | None = None
    created_at: str | None = None

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read PdfMetadata."""
        keywords = source.get("keywords")
        return cls(
            title=source.get("title"),
            author=source.get("author"),
            subject=source.get("subject"),
            keywords=None if keywords is None else tuple(keywords),
            language=source.get("language"),
            created_at=source.get("created_at"),
        )


class Attachment(NamedTuple):
    """File to embed in the PDF; `relationship` is its AFRelationship."""

    source: ContentSource
    filename: str
    content_type: str
    description: str | None
    relationship: str

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read Attachment."""
        return cls(
            source=ContentSource.from_json(source),
            filename=source["filename"],
            content_type=source.get("content_type") or "application/octet-stream",
            description=source.get("description"),
            relationship=source.get("relationship") or "Unspecified",
        )


class Protection(NamedTuple):
    """Encryption: passwords, and the permissions without the owner password."""

    user_password: str | None
    owner_password: str | None
    may_print: bool
    may_copy: bool
    may_modify: bool
    may_annotate: bool

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read Protection."""
        permitted = source.get("permissions") or {}
        names = ("print", "copy", "modify", "annotate")
        return cls(
            source.get("user_password"),
            source.get("owner_password"),
            *(permitted.get(name, True) for name in names),
        )


class Watermark(NamedTuple):
    """Text or picture on every page; `font_size` in inches, `angle` counter-clockwise."""

    text: str | None
    image: ContentSource | None
    opacity: float
    angle: float
    position: str
    font_size: float | None
    color: str
    layer: str

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read Watermark."""
        image, font_size = source.get("image"), source.get("font_size")
        return cls(
            text=source.get("text"),
            image=None if image is None else ContentSource.from_json(image),
            opacity=source.get("opacity", 0.15),
            angle=source.get("angle", 45),
            position=source.get("position", "center"),
            font_size=None if font_size is None else length_in_inches(font_size),
            color=source.get("color", "#808080"),
            layer=source.get("layer", "over"),
        )


class PdfOptions(NamedTuple):
    """Options of a PDF."""

    width: float
    height: float
    landscape: bool
    margin: Margin
    scale: float
    page_ranges: str
    print_background: bool
    prefer_css_page_size: bool
    header_footer: HeaderFooterPair
    first_page: HeaderFooterPair
    last_page: HeaderFooterPair
    single_page: HeaderFooterPair
    page_number_start: int
    tagged: bool
    outline: bool
    accessibility_report: bool
    pdfa: str | None
    pdfua: bool
    metadata: PdfMetadata
    attachments: tuple[Attachment, ...]
    protection: Protection | None
    watermark: Watermark | None

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read PdfOptions."""
        width, height = PAGE_SIZES[source.get("page_size") or "A4"]
        if source.get("width") and source.get("height"):
            width, height = length_in_inches(source["width"]), length_in_inches(source["height"])
        protection, watermark = source.get("protection"), source.get("watermark")
        return cls(
            width=width,
            height=height,
            landscape=source.get("landscape", False),
            margin=Margin.from_json(source.get("margin") or {}),
            scale=source.get("scale", 1.0),
            page_ranges=source.get("page_ranges") or "",
            print_background=source.get("print_background", True),
            prefer_css_page_size=source.get("prefer_css_page_size", True),
            header_footer=_header_footer_pair(source, "header", "footer"),
            first_page=_header_footer_pair(source, "first_header", "first_footer"),
            last_page=_header_footer_pair(source, "header", "last_footer"),
            single_page=_header_footer_pair(source, "first_header", _single_page_footer(source)),
            page_number_start=source.get("page_number_start", 1),
            tagged=source.get("tagged", True),
            outline=source.get("outline", False),
            accessibility_report=source.get("accessibility_report", False),
            pdfa=source.get("pdfa"),
            pdfua=source.get("pdfua", False),
            metadata=PdfMetadata.from_json(source.get("metadata") or {}),
            attachments=tuple(
                Attachment.from_json(attachment) for attachment in source.get("attachments") or ()
            ),
            protection=None if protection is None else Protection.from_json(protection),
            watermark=None if watermark is None else Watermark.from_json(watermark),
        )

    @property
    def has_pdfua_target(self) -> bool:
        """Tell whether PDF/UA is required, or an accessibility report that checks it."""
        return self.pdfua or (self.accessibility_report and self.tagged)

    @property
    def is_fully_tagged(self) -> bool:
        """Tell whether all content must be tagged: for PDF/UA and level a of PDF/A."""
        return self.has_pdfua_target or (self.pdfa or "").endswith("a")

    @property
    def varies_by_page(self) -> bool:
        """Tell whether headers and footers differ between pages, which the browser cannot print."""
        kinds = (self.header_footer, self.first_page, self.last_page, self.single_page)
        if all(pair == HeaderFooterPair(None, None) for pair in kinds):
            return False
        return self.page_number_start != 1 or len(set(kinds)) > 1


def _single_page_footer(source: Mapping[str, Any]) -> str:
    """Return the footer option for a page that is both the first and the last one."""
    return "last_footer" if source.get("last_footer") else "first_footer"


def _header_footer_pair(source: Mapping[str, Any], header: str, footer: str) -> HeaderFooterPair:
    """Read a pair; an absent variant is the usual one, a disabled one is None."""
    return HeaderFooterPair(
        HeaderFooter.from_json(source.get(header) or source.get("header")),
        HeaderFooter.from_json(source.get(footer) or source.get("footer")),
    )
