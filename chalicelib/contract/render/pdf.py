"""Request models of the options of a PDF, and which members do not go together."""

from collections.abc import Iterator
from typing import Final

from pydantic import ValidationInfo, field_validator

from chalicelib.contract.options import pdf as options
from chalicelib.contract.options_model import OptionsModel
from chalicelib.core.passwords import prepare_password

# At least one point of the page remains between its margins.
MIN_CONTENT_INCHES: Final = 1 / 72


def _check_header_footer(part: options.HeaderFooter) -> None:
    if part.html is not None and (part.left or part.center or part.right):
        message = "html stands in place of left, center and right"
        raise ValueError(message)


def _check_source(source: options.ContentSource) -> None:
    if sum(given is not None for given in (source.upload_id, source.url, source.content)) != 1:
        message = "needs exactly one of upload_id, url and content"
        raise ValueError(message)


def _check_watermark(watermark: options.Watermark) -> None:
    if (watermark.text is None) == (watermark.image is None):
        message = "needs either text or image"
        raise ValueError(message)


def check_protection(protection: options.Protection) -> None:
    """Raise ValueError for no password, or two equal ones."""
    passwords = [protection.user_password, protection.owner_password]
    prepared = [prepare_password(each) for each in passwords if each is not None]
    if not prepared:
        message = "needs user_password or owner_password"
        raise ValueError(message)
    if len(prepared) > len(set(prepared)):
        message = "the passwords must differ: who opens it with the owner's may do everything"
        raise ValueError(message)


def _check_pdf(pdf: options.PdfOptions) -> None:
    """Raise ValueError for members that do not go together, all of them."""
    if messages := [*_size_conflicts(pdf), *_conformance_conflicts(pdf)]:
        raise ValueError("; ".join(messages))


def _size_conflicts(pdf: options.PdfOptions) -> Iterator[str]:
    if pdf.height != options.AUTO_HEIGHT and (pdf.width is None) != (pdf.height is None):
        yield "width and height go together"
        return
    (width, height), margin = pdf.turned_size, pdf.margin.inches
    is_too_wide = margin.left + margin.right > width - MIN_CONTENT_INCHES
    is_too_high = margin.top + margin.bottom > height - MIN_CONTENT_INCHES
    if is_too_wide or (is_too_high and not pdf.is_continuous):
        yield (
            "margin leaves no room on the page: make it smaller, or page_size, width or height "
            "larger"
        )


def _conformance_conflicts(pdf: options.PdfOptions) -> Iterator[str]:
    """Yield which options exclude PDF/A or PDF/UA.

    PDF/A forbids encryption (ISO 19005-2 6.1.3) and, in part 2, embedded files other than PDF/A.
    """
    pdfa = pdf.pdfa or ""
    if pdfa and pdf.protection is not None:
        yield (
            "pdfa and protection exclude each other: leave one out; null undoes a template's pdfa"
        )
    if pdfa.startswith("2") and pdf.attachments:
        yield f"pdfa {pdfa} takes no attachments: use 3{pdfa[1]} or leave them out"
    if not pdf.tagged and (pdf.pdfua or pdfa.endswith("a")):
        yield "pdfua, and pdfa 2a and 3a, need tagged: leave it out or set it to true"


def check_hybrid_invoice(pdf: options.PdfOptions) -> None:
    """Raise ValueError if a PDF cannot carry an e-invoice: it needs to be PDF/A-3."""
    if pdf.pdfa is not None and not pdf.pdfa.startswith("3"):
        message = f"einvoice and pdf.pdfa {pdf.pdfa} exclude each other: use 3b, 3u or 3a"
        raise ValueError(message)
    if pdf.forms:
        message = "einvoice and pdf.forms exclude each other: leave one of them out"
        raise ValueError(message)
    if pdf.protection is not None:
        message = "einvoice and pdf.protection exclude each other: leave one of them out"
        raise ValueError(message)


class Margin(OptionsModel, of=options.Margin):
    """The page's margins."""


class HeaderFooter(OptionsModel, of=options.HeaderFooter, check=_check_header_footer):
    """A header or footer, printed into the top or bottom margin of each page."""


class PdfMetadata(OptionsModel, of=options.PdfMetadata):
    """Metadata of the document; an absent member keeps that of the page."""


class ContentSource(OptionsModel, of=options.ContentSource, check=_check_source):
    """Exactly one of `upload_id`, `url` and `content`."""


class Attachment(OptionsModel, of=options.Attachment, check=_check_source):
    """A file inside the PDF, given by `upload_id`, `url` or `content`."""


class Permissions(OptionsModel, of=options.Permissions):
    """What a reader without the owner password may do."""


class Protection(OptionsModel, of=options.Protection, check=check_protection):
    """Encryption with AES-256; at least one password."""


class Watermark(OptionsModel, of=options.Watermark, check=_check_watermark):
    """A text or a picture on every page; an artifact, which assistive technology does not read."""


class PdfOptions(OptionsModel, of=options.PdfOptions, check=_check_pdf):
    """Options of a PDF."""

    @field_validator("forms")
    @classmethod
    def _check_forms(cls, forms: bool, info: ValidationInfo) -> bool:  # noqa: FBT001 -- as pydantic calls it
        if forms and info.data.get("pdfa") is not None:
            message = "goes with no pdfa: leave one of both out"
            raise ValueError(message)
        return forms
