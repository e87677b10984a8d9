"""PDF options; lengths are CSS lengths, their values in inches are properties."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal, NamedTuple

import msgspec

from chalicelib.contract.css_values import PAGE_SIZES, length_in_inches
from chalicelib.contract.options import values
from chalicelib.contract.options.base import Bounds, Options

# Height of a page that is as long as its content.
AUTO_HEIGHT: Final = "auto"
PageSize = Literal["A0", "A1", "A2", "A3", "A4", "A5", "A6", "Letter", "Legal", "Tabloid", "Ledger"]
HeaderText = Annotated[str, Bounds(max_length=2000)]
DocumentText = Annotated[str, Bounds(max_length=1000)]
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

    top: values.Length = "10mm"
    """Margin at the top: 0, or a number with one of the units mm, cm, in, px, pt, pc."""
    right: values.Length = "10mm"
    """Margin at the right: 0, or a number with one of the units mm, cm, in, px, pt, pc."""
    bottom: values.Length = "10mm"
    """Margin at the bottom: 0, or a number with one of the units mm, cm, in, px, pt, pc."""
    left: values.Length = "10mm"
    """Margin at the left: 0, or a number with one of the units mm, cm, in, px, pt, pc."""

    @property
    def inches(self) -> MarginInches:
        """Return the margins in inches."""
        sides = (self.top, self.right, self.bottom, self.left)
        return MarginInches(*map(length_in_inches, sides))


class HeaderFooter(Options, frozen=True):
    """Header or footer: `html`, or else the three texts."""

    enabled: bool = False
    """Show it, if it has a text or HTML."""
    html: Annotated[str, Bounds(max_length=200_000)] | None = None
    """HTML without the document's styles, from the left edge of the sheet: 8pt sans-serif. Loads
    pictures, style sheets and fonts, from `input.assets`, `data:` URLs and the web, and runs no
    scripts. Elements with the classes `pageNumber`, `totalPages`, `title`, `date` and `url` are
    filled in; `url` is empty unless the document is a web page. A template if the document is one;
    `page`, `pages`, `title` and `date` are the same marks there. Excludes `left`, `center` and
    `right`. Null: `left`, `center` and `right`."""
    left: HeaderText | None = None
    """Text at the left; `{{ page }}`, `{{ pages }}` (the number of the last page), `{{ title }}`
    and `{{ date }}` (day and minute of printing, which makes the bytes of equal renders differ) are
    filled in. A template if the document is one. Null: none."""
    center: HeaderText | None = None
    """Text in the middle, as `left`. Null: none."""
    right: HeaderText | None = None
    """Text at the right, as `left`. Null: none."""
    font_size: values.Length | None = None
    """Size of `left`, `center` and `right`, a length such as `9pt`. Null: 8pt."""
    height: values.Length | None = None
    """Height from the paper's edge, a length such as `20mm`. Null: that of the content. If it is
    more than the margin, it overlaps the document (`header_footer_overlap`)."""

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

    upload_id: values.UploadId | None = None
    """Id of an upload, `upl_…`. Excludes `url` and `content`."""
    url: values.Url | None = None
    """A public http or https URL. Excludes `upload_id` and `content`."""
    content: values.Base64 | None = None
    """The bytes in base64. Excludes `upload_id` and `url`."""


class DocumentInfo(Options, frozen=True):
    """Metadata to write; None keeps those of the document."""

    title: DocumentText | None = None
    """Title of the document. Null: as it is."""
    author: DocumentText | None = None
    """Author of the document. Null: as it is."""
    subject: DocumentText | None = None
    """Subject of the document. Null: as it is."""
    keywords: (
        Annotated[
            tuple[Annotated[str, Bounds(min_length=1, max_length=200)], ...], Bounds(max_length=100)
        ]
        | None
    ) = None
    """Keywords of the document. Null: as they are."""
    language: values.DocumentLanguage | None = None
    """Language of the document: a BCP 47 tag, such as `de-AT`. Null: as it is."""


class PdfMetadata(DocumentInfo, frozen=True):
    """Metadata of the document; None leaves the page's own."""

    created_at: values.DocumentDate | None = None
    """The date in the document. Null: 2000-01-01, so that equal renders give equal bytes."""


class Attachment(ContentSource, frozen=True, kw_only=True):
    """File to embed in the PDF; `relationship` is its AFRelationship."""

    filename: values.FileName
    """The second file of the same name gets `-2` before its extension."""
    content_type: values.BareMediaType = "application/octet-stream"
    """Media type of the file."""
    description: DocumentText | None = None
    """Description of the file for readers. Null: none."""
    relationship: AttachmentRelationship = "Unspecified"
    """The relationship to the document (ISO 32000-2, AFRelationship)."""

    @property
    def source(self) -> ContentSource:
        """Return the source of its bytes."""
        return ContentSource(self.upload_id, self.url, self.content)


class Permissions(Options, frozen=True):
    """Permissions of a reader without the owner password."""

    print: bool = True
    """Print the document."""
    copy_: bool = msgspec.field(default=True, name="copy")
    """Copy texts and pictures. Assistive technology may always read them."""
    modify: bool = True
    """Change the document and its pages."""
    annotate: bool = True
    """Add comments, and fill in form fields."""


class Protection(Options, frozen=True):
    """Encryption: passwords, and the permissions without the owner password."""

    user_password: values.NewPassword | None = None
    """Needed to open the document. Null: everybody can open it."""
    owner_password: values.NewPassword | None = None
    """Allows everything that `permissions` forbid, and changes of the protection. Null: no reader
    can do so."""
    permissions: Permissions = Permissions()
    """What a reader without the owner password may do."""


class Watermark(Options, frozen=True):
    """Text or picture on every page; `angle` in degrees, counter-clockwise."""

    text: Annotated[str, Bounds(min_length=1, max_length=200)] | None = None
    """Text in any script; a line feed begins a new line. Excludes `image`."""
    image: ContentSource | None = None
    """Any picture that browsers show: PNG, JPEG, WebP, GIF, SVG. Excludes `text`."""
    opacity: Annotated[float, Bounds(ge=0, le=1)] = 0.15
    """From 0, invisible, to 1, opaque."""
    angle: Annotated[float, Bounds(ge=-180, le=180)] = 45
    """Degrees, counter-clockwise."""
    position: WatermarkPosition = "center"
    """Where it is on the page."""
    font_size: values.PositiveLength | None = None
    """Size of `text`, a length such as `48pt`. Null: 80 % of the page in the middle, and 35 % at an
    edge. Pictures take at most the same share and are never enlarged."""
    color: values.Color = "#808080"
    """Color of `text`: a CSS name, #rgb, #rrggbb, rgb(r, g, b) or hsl(h, s%, l%)."""
    layer: Literal["over", "under"] = "over"
    """Over or under what the page shows; a background of the page hides what lies under it."""


class PdfOptions(Options, frozen=True):
    """Options of a PDF."""

    page_size: PageSize = "A4"
    """Paper size; `width` and `height` replace it."""
    width: values.PositiveLength | None = None
    """Width of the paper, a length of more than 0 such as `210mm`. `width` and `height` together
    replace `page_size`. Null: that of `page_size`."""
    height: values.PositiveLength | Literal["auto"] | None = None
    """Height of the paper, a length such as `297mm`. `auto`: one page that is as long as its
    content, at most 5 m, and as wide as `width` or else `page_size`; the document's own `@page`
    size wins over it, which may be `80mm auto`. Null: that of `page_size`."""
    landscape: bool = False
    """Turn the paper by 90 degrees."""
    margin: Margin = Margin()
    """Margins of the page. Opposite margins together must be smaller than the page."""
    scale: Annotated[float, Bounds(ge=0.1, le=2)] = 1.0
    """Size of the content: 0.5 is half as large."""
    page_ranges: values.PageRanges | None = None
    """Pages to keep, counted from 1, such as `1-3,5`. Null: all."""
    print_background: bool = True
    """Print background colors and pictures."""
    prefer_css_page_size: bool = True
    """The document's own `@page` size wins over `page_size`; false: this size and `landscape`
    do."""
    header: HeaderFooter = HeaderFooter()
    """Header of each page."""
    footer: HeaderFooter = HeaderFooter()
    """Footer of each page."""
    first_header: HeaderFooter | None = None
    """Replaces `header` on the first page; if it is not `enabled`, the first page has none. Null:
    `header`."""
    first_footer: HeaderFooter | None = None
    """Replaces `footer` on the first page; if it is not `enabled`, the first page has none. Null:
    `footer`."""
    last_footer: HeaderFooter | None = None
    """Replaces `footer` on the last page, also if that is the first page. Null: `footer`."""
    page_number_start: Annotated[int, Bounds(ge=0, le=1_000_000)] = 1
    """The number of the first page in headers and footers."""
    tagged: bool = True
    """Write the structure tree that assistive technology reads."""
    outline: bool = False
    """Write bookmarks from the headings."""
    accessibility_report: bool = False
    """Check a tagged document against PDF/UA-1 as `pdfua` does, but never fail the render: the
    report is `result.conformance.pdfua`. There it is only a warning that the document is not marked
    as PDF/UA. Links in headers and footers are kept, which is a finding."""
    pdfa: PdfALevel | None = None
    """Part and level of PDF/A (ISO 19005) that the document must conform to. Excludes `protection`;
    attachments need part 3. Null turns off the value of the template's options."""
    pdfua: values.PdfUa = False
    """True or `"1"`: the document must conform to PDF/UA-1 (ISO 14289). Its page must have a title,
    headings in order and a text for every picture; its language is `metadata.language` or its own
    `lang`, else en-US. Links in headers and footers are left out (`feature_unavailable`). Visible
    content that is not read out is a warning of the report: `PLT-UNTAGGED-CONTENT`, by CSS
    selector."""
    forms: bool = False
    """The controls of the page become form fields (AcroForm): texts, check boxes, radio buttons and
    choices, with their names and values. Excludes `pdfa`."""
    metadata: PdfMetadata = PdfMetadata()
    """Title, author and other metadata of the document."""
    attachments: Annotated[tuple[Attachment, ...], Bounds(max_length=20)] = ()
    """Files to embed in the PDF."""
    protection: Protection | None = None
    """Encryption with passwords. Null: none. Excludes `pdfa`."""
    watermark: Watermark | None = None
    """A text or a picture on every page. Null: none."""
    max_pages: Annotated[int, Bounds(ge=1, le=100_000)] | None = None
    """A lower limit of pages than that of the plan; a document with more fails. Null: the
    plan's."""

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
