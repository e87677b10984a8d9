"""What does not go with PDF/A and PDF/UA (PdfOptions)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chalicelib.contract.render.pdf import PdfOptions


def check_pdf_conformance(options: "PdfOptions") -> None:
    """Raise ValueError where the options exclude each other."""
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


def check_hybrid_invoice(options: "PdfOptions", *, has_pdf: bool) -> None:
    """Raise ValueError where a PDF that carries an e-invoice cannot be made so."""
    if not has_pdf:
        message = "einvoice needs pdf among the formats; POST /v1/einvoices makes the XML alone"
        raise ValueError(message)
    if options.pdfa is not None and not options.pdfa.startswith("3"):
        message = f"einvoice and pdf.pdfa {options.pdfa} exclude each other: use 3b, 3u or 3a"
        raise ValueError(message)
    if options.protection is not None:
        message = "einvoice and pdf.protection exclude each other: leave one of them out"
        raise ValueError(message)
