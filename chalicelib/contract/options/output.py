"""All options of one render's output."""

from typing import Annotated, Final, Literal

import msgspec

from chalicelib.contract.css_values import DEFAULT_VIEWPORT
from chalicelib.contract.options import values
from chalicelib.contract.options.base import Bounds, Options
from chalicelib.contract.options.http import HttpOptions
from chalicelib.contract.options.image import ImageOptions, Viewport, Wait, Window
from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.core.json import OpaqueObject

OutputFormat = Literal["pdf", "png", "jpeg", "webp", "html", "xml", "zip"]
PartFormat = Literal["pdf", "png", "jpeg", "webp", "html", "xml"]
# Codes of warnings that are known before a render has ended.
WarningCode = Literal[
    "accessibility_validation_unavailable",
    "asset_failed",
    "content_clipped",
    "data_coerced",
    "data_unused",
    "script_failed",
    "link_broken",
    "einvoice_skipped_plan",
    "einvoice_validation_unavailable",
    "einvoice_validation_warning",
    "email_skipped_plan",
    "email_skipped_zero_retention",
    "feature_unavailable",
    "font_fallback_used",
    "glyph_missing",
    "header_footer_overlap",
    "invoice_totals_unavailable",
    "locale_unsupported",
    "navigation_stopped",
    "pdfa_validation_unavailable",
    "pdfua_validation_unavailable",
    "placeholder_left",
    "slow_asset",
    "storage_skipped_plan",
    "text_overflow",
    "undefined_value",
]

IMAGE_FORMATS: Final = frozenset({"png", "jpeg", "webp"})


class EInvoiceOptions(Options, frozen=True, kw_only=True):
    """E-invoice that a PDF carries: `invoice`, or the object at `invoice_path` of the data."""

    profile: str
    """The profile, which decides what the invoice must have."""
    invoice: OpaqueObject | None = None
    """The invoice."""
    invoice_path: str | None = None
    """Path of the invoice in `data`."""
    syntax: Literal["cii"] = "cii"
    """Syntax of the XML."""


class OutputOptions(Options, frozen=True):
    """Options of one render's output.

    `formats` are the files to make. `filename` is the caller's, not yet sanitized. Warnings whose
    code is in `fail_on` fail the render.
    """

    format: OutputFormat | None = None
    """Format of the file. `zip` holds the files of `formats`. `html` is the page's document as it
    stands after its waits, without its scripts, event handlers and frames. `xml` is the XML of the
    e-invoice alone. Null: `formats`, or else the template's, or else `pdf`."""
    requested_formats: (
        Annotated[tuple[PartFormat, ...], Bounds(min_length=1, max_length=6)] | None
    ) = msgspec.field(default=None, name="formats")
    """Several files of one page, which is loaded once. `xml` is the XML of the e-invoice. Null: the
    one of `format`."""
    filename: Annotated[str, Bounds(max_length=255)] | None = None
    """Name of the file, without folders; a template if the document is one. Characters that file
    systems refuse are removed; the extension follows the format. Null: the id of the render."""
    pdf: PdfOptions = PdfOptions()
    """Options of a PDF."""
    einvoice: EInvoiceOptions | None = None
    """The PDF carries this e-invoice and is PDF/A-3b, or the level of part 3 in `pdf.pdfa`.
    Templates see it as `invoice`, with computed totals and net amounts. Null turns off the
    e-invoice of the template's options."""
    image: ImageOptions = ImageOptions()
    """Options of a picture."""
    http: HttpOptions = HttpOptions()
    """User agent, and headers, cookies and credentials for a page of the web."""
    viewport: Viewport | None = None
    """The window that the page is laid out in. Null: as wide as the content of a page for PDF, and
    1280 x 720 for pictures."""
    wait: Wait = Wait()
    """What to wait for before the page is drawn."""
    media: Literal["print", "screen"] | None = None
    """The CSS media type. Null: `print` for PDF and `screen` for images."""
    javascript: bool = True
    """Run the scripts of the page."""
    locale: values.LanguageTag | None = None
    """What the page sees as the reader's language: a BCP 47 tag, such as `de-AT`. Null: `en-US`."""
    timezone: values.TimeZone | None = None
    """Time zone of the page: an IANA name, such as `Europe/Vienna`. Null: UTC."""
    strict_undefined: bool = False
    """An undefined value in the template is an error instead of nothing."""
    asset_policy: Literal["lenient", "strict"] = "lenient"
    """A resource of the page that cannot be loaded gives a warning (`lenient`), or the render fails
    (`strict`)."""
    fail_on: tuple[WarningCode, ...] = ()
    """Codes of warnings that must not be: a render that has one of them fails with `render_failed`,
    which names it. A failed render is not billed. `storage_upload_failed` comes after the render
    has ended."""

    @property
    def formats(self) -> tuple[str, ...]:
        """Return the formats of the files, before they are zipped."""
        if self.requested_formats:
            return self.requested_formats
        return ("pdf" if self.format in {None, "zip"} else str(self.format),)

    @property
    def is_zipped(self) -> bool:
        """Tell whether the files go into one archive."""
        return self.format == "zip"

    @property
    def file_count(self) -> int:
        """Return the number of files that the render makes."""
        return 1 if self.is_zipped else len(self.formats)

    @property
    def has_pictures(self) -> bool:
        """Tell whether one of the files is a picture."""
        return not IMAGE_FORMATS.isdisjoint(self.formats)

    @property
    def strict_assets(self) -> bool:
        """Tell whether a resource that cannot be loaded fails the render."""
        return self.asset_policy == "strict"

    @property
    def page_wait(self) -> Wait:
        """Return the conditions that are awaited before the page is drawn."""
        return (self.image.wait if self.has_pictures else None) or self.wait

    @property
    def is_laid_out_for_paper(self) -> bool:
        """Tell whether the window is as wide as the content of a page: for PDF without a width.

        Pictures of the same render have a window of their own, set when they are taken.
        """
        return "pdf" in self.formats and (self.viewport is None or self.viewport.width is None)

    def layout_viewport(self) -> Window | None:
        """Return the window that the page is laid out in; None is the browser's default.

        That of pictures; without pictures that of the request, unless it is laid out for paper.
        """
        if not self.has_pictures:
            is_given = self.viewport is not None and not self.is_laid_out_for_paper
            return self._window if is_given else None
        base = self._window
        is_fitted = self.image.fit_size is not None
        return base._replace(
            width=base.width if is_fitted else self.image.width or base.width,
            height=base.height if is_fitted else self.image.height or base.height,
            device_scale_factor=self.image.scale or base.device_scale_factor,
        )

    @property
    def _window(self) -> Window:
        image_viewport = self.image.viewport if self.has_pictures else None
        viewport = image_viewport or self.viewport or Viewport()
        return viewport.window(*DEFAULT_VIEWPORT)
