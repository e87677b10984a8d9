"""What the validators are asked of the files of a render."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from chalicelib.engine.conformance.checks import Check, Raw
from chalicelib.engine.conformance.tracing import tracer
from chalicelib.engine.finishing.pdfa import flavour
from chalicelib.engine.job import ToJudge

if TYPE_CHECKING:
    from chalicelib.engine.einvoice.prepare import Prepared
    from chalicelib.engine.formats.format import Finishing

_OWN: Final = "platen"
# Validators see an artifact, and take it for decoration.
_UNTAGGED: Final = "PLT-UNTAGGED-CONTENT"


def of_invoice(prepared: "Prepared", xml: bytes) -> ToJudge:
    """Ask whether the XML of an invoice is one of its profile."""
    profile = prepared.asked.profile.name
    if prepared.asked.syntax == "cii":
        check = Check.cii(profile)
    else:
        from chalicelib.engine.conformance.documents import invoice_check  # noqa: PLC0415 -- expat

        check = invoice_check(xml)
    return ToJudge(xml, (check,), tracer(prepared.invoice, prepared.asked.root))


def of_pdf(content: bytes, finishing: "Finishing") -> ToJudge:
    """Ask whether a PDF is what it was made to be, or what it lacks of PDF/UA.

    No validator opens one with a user's password: what is asked about is the document in it.
    """
    protection = finishing.output.pdf.protection
    if protection is not None and protection.user_password is not None:
        content = _without_protection(content, protection.user_password)
    remarks = (
        Raw(_OWN, "warning", _UNTAGGED, each.why, each.place, each.count)
        for each in finishing.course.untagged
    )
    return ToJudge(content, tuple(_of_pdf(finishing)), lambda _location: None, tuple(remarks))


def _without_protection(content: bytes, password: str) -> bytes:
    import pikepdf  # noqa: PLC0415 -- only a document that is opened needs it

    result = io.BytesIO()
    with pikepdf.open(io.BytesIO(content), password=password) as document:
        document.save(result, encryption=False, deterministic_id=True)
    return result.getvalue()


def _of_pdf(finishing: "Finishing") -> Iterator[Check]:
    level = flavour(finishing)
    if level is not None:
        yield Check.pdfa(level)
    if finishing.output.pdf.held_to_pdfua:
        yield Check.pdfua(claimed=finishing.output.pdf.pdfua)
