"""Checks of PdfOptions that exclude each other under PDF/A, PDF/UA and e-invoices."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chalicelib.contract.render.pdf import PdfOptions


def check_pdf_conformance(options: "PdfOptions") -> None:
    """Raise ValueError if options exclude PDF/A or PDF/UA.

    PDF/A forbids encryption (ISO 19005-2 6.1.3) and, in part 2, embedded files other than PDF/A.
    """
    pdfa = options.pdfa or ""
    if pdfa and options.protection is not None:
        message = (
            "pdfa and protection exclude each other: leave one out; null undoes a template's pdfa"
        )
        raise ValueError(message)
    if pdfa.startswith("2") and options.attachments:
        message = f"pdfa {pdfa} takes no attachments: use 3{pdfa[1]} or leave them out"
        raise ValueError(message)
    if not options.tagged and (options.pdfua or pdfa.endswith("a")):
        message = "pdfua, and pdfa 2a and 3a, need tagged: leave it out or set it to true"
        raise ValueError(message)


def check_einvoice_formats(options: "PdfOptions", formats: Sequence[str]) -> None:
    """Raise ValueError if no file has the e-invoice, or the PDF cannot carry it."""
    if "pdf" in formats:
        check_hybrid_invoice(options)
    elif "xml" not in formats:
        message = "einvoice needs pdf or xml among the formats"
        raise ValueError(message)


def check_hybrid_invoice(options: "PdfOptions") -> None:
    """Raise ValueError if a PDF cannot carry an e-invoice: it needs to be PDF/A-3."""
    if options.pdfa is not None and not options.pdfa.startswith("3"):
        message = f"einvoice and pdf.pdfa {options.pdfa} exclude each other: use 3b, 3u or 3a"
        raise ValueError(message)
    if options.forms:
        message = "einvoice and pdf.forms exclude each other: leave one of them out"
        raise ValueError(message)
    if options.protection is not None:
        message = "einvoice and pdf.protection exclude each other: leave one of them out"
        raise ValueError(message)
