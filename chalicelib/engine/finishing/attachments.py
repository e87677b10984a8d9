"""Embedded files of the caller, and the invoice of a hybrid document."""

from typing import TYPE_CHECKING, Final

from chalicelib.engine.finishing.finisher import PdfFinisher
from chalicelib.engine.pdf.document.attachments import embed_files, embed_invoice
from chalicelib.engine.pdf.document.metadata import document_date, pdf_date

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext


def _attach(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    options = finishing.output.pdf
    contents = [finishing.resources[attachment.source] for attachment in options.attachments]
    embed_files(document, options.attachments, contents, pdf_date(document_date(options.metadata)))


def _embed_invoice(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    assert finishing.invoice_file is not None
    date = pdf_date(document_date(finishing.output.pdf.metadata))
    embed_invoice(document, finishing.invoice_file, date)


ATTACHMENTS: Final = PdfFinisher(lambda finishing: bool(finishing.output.pdf.attachments), _attach)

HYBRID_INVOICE: Final = PdfFinisher(
    lambda finishing: finishing.invoice_file is not None, _embed_invoice
)
