"""An e-invoice as XML, and PDFs that carry it."""

import io
from pathlib import Path
from typing import Final

import pikepdf

from chalicelib.engine.einvoice.prepare import EInvoiceInput, prepare_invoice
from chalicelib.engine.einvoice.profiles import PROFILES
from tests.builders.invoices.invoice_json import invoice_json

_PROOF: Final = Path(__file__).parents[3] / "layers" / "validators" / "proof" / "proof.pdf"

_BARE: Final = {"description": "", "mime_type": "text/xml", "creation_date": "", "mod_date": ""}

INVOICE_XML: Final = prepare_invoice(
    EInvoiceInput(
        profile=PROFILES["EN16931"], syntax="cii", source=invoice_json(), findings_root="invoice"
    )
).to_xml()


def hybrid_pdf(
    *names: str, content: bytes = INVOICE_XML, encryption: pikepdf.Encryption | bool = False
) -> bytes:
    """Return a PDF that claims PDF/A-3a and PDF/UA, with the content under each of the names."""
    with pikepdf.open(_PROOF) as pdf:
        for name in names or ("factur-x.xml",):
            pdf.attachments[name] = pikepdf.AttachedFileSpec(pdf, content, filename=name, **_BARE)
        result = io.BytesIO()
        pdf.save(result, encryption=encryption)
    return result.getvalue()
