"""`/v1/einvoices`: electronic invoices as XML, and what those of others are worth."""

from base64 import b64decode
from typing import Final

from chalicelib.api._endpoint import JSON, Call, Reply, endpoint
from chalicelib.api._making import ROW, carry_out_order
from chalicelib.api._order import einvoice_order_of
from chalicelib.contract.invoice_rules import described
from chalicelib.core.errors import invalid
from chalicelib.features.renders.validate_einvoice import Document

_XML: Final = "application/xml"
_ROW: Final = {
    **ROW,
    "tag": "E-invoices",
    "answer_types": (JSON, _XML, "text/plain"),
    "body": "chalicelib.contract.einvoices:EInvoiceRequest",
}
_VALIDATE: Final = f"""
Send the document itself, an XML (CII or UBL) or a PDF that carries one, or JSON that has it in
base64 or names an upload of up to 20 MB. The answer is what the official validators say of it
and, in the model of `POST /v1/einvoices`, what it says. Nothing of it is kept or billed.

Whatever is wrong with the document is a finding, also that it is no invoice: then its section is
`failed`, with a `profile` of null. Findings have the ids of the official rules; what no standard
has an id for has one of these, here and wherever an invoice is refused:

{described()}""".strip()


@endpoint("POST", "/v1/einvoices", **_ROW)
def create(call: Call) -> Reply:
    """Make an e-invoice.

    It is a render whose only file is the XML: CII in six profiles, UBL for EN16931 and XRECHNUNG.
    Totals are computed and stand in `invoice`. An invoice that breaks a rule of its profile is a
    422 `einvoice_invalid`, not billed, with every finding in `result.conformance.einvoice.errors`.
    """
    return carry_out_order(call, einvoice_order_of(call, call.body))


@endpoint(
    "POST",
    "/v1/einvoices/validate",
    scope="render:write",
    tag="E-invoices",
    description=_VALIDATE,
    body="chalicelib.contract.einvoices:EInvoiceDocument",
    media_types=(JSON, _XML, "text/xml", "application/pdf"),
    answers={200: "chalicelib.contract.einvoices:EInvoiceValidation"},
    problems=(
        "plan_feature_unavailable",
        "region_not_enabled",
        "concurrency_limited",
        "upload_not_found",
        "conflict",
        "invalid_pdf_source",
        "pdf_password_required",
    ),
)
def validate(call: Call) -> Reply:
    """Validate an e-invoice."""
    found = call.services.validate_einvoice(
        call.caller.workspace,
        _document(call),
        request_id=call.request_id,
        deadline=call.deadline,
    )
    return Reply(200, {"object": "einvoice_validation", **found})


def _document(call: Call) -> Document:
    sent = call.body
    if sent is None:
        return Document("", content=call.raw_body)
    if sent.upload_id is not None:
        return Document("/upload_id", upload_id=sent.upload_id)
    return Document("/content", content=_decoded(sent.content))


def _decoded(text: str) -> bytes:
    """Return the bytes of base64, which may be broken into lines."""
    try:
        return b64decode("".join(text.split()), validate=True)
    except ValueError as damage:
        raise invalid("/content", "is no base64", "wrong_format") from damage
