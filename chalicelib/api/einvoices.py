"""`/v1/einvoices`: create e-invoices as XML, and validate received ones."""

from base64 import b64decode
from typing import TYPE_CHECKING, Final, cast

from chalice.app import Blueprint

from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import JSON, Call, Reply, endpoint
from chalicelib.api.render._preflight import PREFLIGHT_FIELDS, preflight_reply
from chalicelib.api.render._render_command import einvoice_command
from chalicelib.api.render._submit import ENDPOINT_FIELDS, submit_command
from chalicelib.contract.invoice.constraints import plt_rules_markdown
from chalicelib.core.errors import validation_error
from chalicelib.features.einvoices.validate import ReceivedDocument

if TYPE_CHECKING:
    from chalicelib.contract.einvoices import EInvoiceRequest

blueprint: Final = Blueprint(__name__)

_XML: Final = "application/xml"
_REQUEST: Final = "chalicelib.contract.einvoices:EInvoiceRequest"
_ENDPOINT_FIELDS: Final = {
    **ENDPOINT_FIELDS,
    "tag": "E-invoices",
    "answer_types": (JSON, _XML),
    "body": _REQUEST,
}
_VALIDATE: Final = f"""
Send the document itself, an XML (CII or UBL) or a PDF that carries one, or JSON that has it in
base64 or names an upload of up to 20 MB. The response has the report of the official validators
and the content of the invoice in the model of `POST /v1/einvoices`. Nothing is billed, and only the
documents that the invoice embeds are stored, as uploads.

Every fault of the document is a finding, including that it is not an invoice: then its section is
`failed` and `profile` is null. Findings have the ids of the official rules. A fault without an
official id has one of these, here and wherever an invoice is refused:

{plt_rules_markdown()}""".strip()


@blueprint.route("/v1/einvoices", methods=["POST"])
@endpoint(**_ENDPOINT_FIELDS)
def create_einvoice(call: Call) -> Reply:
    """Make an e-invoice.

    It is a render whose only file is the XML: CII in six profiles, UBL for EN16931, XRECHNUNG and
    PEPPOL (Peppol BIS Billing 3.0).
    Totals are computed and returned in `invoice`. An invoice that breaks a rule of its profile is
    refused with 422 `einvoice_invalid` and not billed; all findings are in
    `result.conformance.einvoice.errors`.
    """
    return submit_command(call, einvoice_command(call, call.body))


@blueprint.route("/v1/einvoices/preflight", methods=["POST"])
@endpoint(**PREFLIGHT_FIELDS, body=_REQUEST, tag="E-invoices")
def preflight_einvoice(call: Call) -> Reply:
    """Check a request for an e-invoice without making it.

    It takes the body of `POST /v1/einvoices` and costs nothing. `errors` are all reasons for which
    that request would be refused: each finding of its profile's rules has a pointer to its field.
    `invoice` has the totals of a valid one, `cost` what the render would take. The official
    validators see the written XML only, so their warnings are not among these.
    """
    return preflight_reply(
        call, lambda request: einvoice_command(call, cast("EInvoiceRequest", request))
    )


@blueprint.route("/v1/einvoices/validate", methods=["POST"])
@endpoint(
    auth=KeyAuth("render:write"),
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
def validate_einvoice(call: Call) -> Reply:
    """Validate an e-invoice."""
    validation = call.services.einvoices.validate(
        call.caller.workspace,
        _received_document(call),
        request_id=call.request_id,
        deadline=call.deadline,
    )
    return Reply(200, {"object": "einvoice_validation", **validation})


def _received_document(call: Call) -> ReceivedDocument:
    document = call.body
    if document is None:
        return ReceivedDocument("", content=call.raw_body)
    if document.upload_id is not None:
        return ReceivedDocument("/upload_id", upload_id=document.upload_id)
    return ReceivedDocument("/content", content=_decode_base64(document.content))


def _decode_base64(text: str) -> bytes:
    """Decode base64 text, which may be broken into lines; raises `validation_error`."""
    try:
        return b64decode("".join(text.split()), validate=True)
    except ValueError as damage:
        raise validation_error("/content", "is no base64", "wrong_format") from damage
