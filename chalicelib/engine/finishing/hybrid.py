"""The invoice inside a PDF (Factur-X, ZUGFeRD, XRechnung): a file that belongs to the document."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chalicelib.engine.finishing.dates import moment_of, pdf_date
from chalicelib.engine.finishing.finisher import Finisher

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.formats.format import Finishing

_DESCRIPTION: Final = "The invoice as data (EN 16931, Cross Industry Invoice)"


@dataclass(frozen=True, slots=True)
class InvoiceFile:
    """An invoice as XML, as it is embedded; `level` and `version` are named in the XMP."""

    content: bytes
    filename: str
    relationship: str
    level: str
    version: str


def _embed(document: "pikepdf.Pdf", finishing: "Finishing") -> None:
    import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

    invoice = finishing.invoice
    assert invoice is not None
    date = pdf_date(moment_of(finishing.output.pdf.metadata))
    file = pikepdf.AttachedFileSpec(
        document,
        invoice.content,
        filename=invoice.filename,
        description=_DESCRIPTION,
        mime_type="text/xml",
        creation_date=date,
        mod_date=date,
    )
    file.relationship = pikepdf.Name("/" + invoice.relationship)
    document.attachments[invoice.filename] = file
    document.Root.AF = pikepdf.Array([file.obj])


HYBRID: Final = Finisher(lambda finishing: finishing.invoice is not None, _embed)
