"""An e-invoice as XML, and PDFs that carry it."""

import io
from pathlib import Path
from typing import Final

import pikepdf

from chalicelib.engine.einvoice.prepare import EInvoice, prepare
from chalicelib.engine.einvoice.profiles import PROFILES
from tests.builders.invoice_json import invoice_json

_PROOF: Final = Path(__file__).parents[2] / "layers" / "validators" / "proof" / "proof.pdf"

_BARE: Final = {"description": "", "mime_type": "text/xml", "creation_date": "", "mod_date": ""}

XML: Final = prepare(
    EInvoice(profile=PROFILES["EN16931"], syntax="cii", source=invoice_json(), root="invoice")
).xml()


def hybrid(
    *names: str, content: bytes = XML, encryption: pikepdf.Encryption | bool = False
) -> bytes:
    """Return a PDF that claims PDF/A-3a and PDF/UA, with the content under each of the names."""
    with pikepdf.open(_PROOF) as pdf:
        for name in names or ("factur-x.xml",):
            pdf.attachments[name] = pikepdf.AttachedFileSpec(pdf, content, filename=name, **_BARE)
        result = io.BytesIO()
        pdf.save(result, encryption=encryption)
    return result.getvalue()
