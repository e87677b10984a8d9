"""Documents that an e-invoice embeds (BT-125): received as uploads, and sent from uploads."""

import base64
from typing import Any

import pytest

from chalicelib.engine.conformance.document_claims import MAX_INVOICE_BYTES
from chalicelib.engine.conformance.read_received_worker import read_document
from chalicelib.engine.einvoice.model import SupportingDocument
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.einvoice.totals import compute_totals
from chalicelib.engine.einvoice.write_cii import write_cii
from chalicelib.engine.einvoice.write_ubl import write_ubl
from tests.builders.http import ApiAnswer
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.invoices.models import minimal
from tests.builders.service import Service
from tests.builders.uploads import announce_upload, post_upload, store_announced

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
TIMESHEET = SupportingDocument(
    id="D-1", upload_id="upl", filename="hours.png", content_type="image/png"
)
WRITERS = {"cii": write_cii, "ubl": write_ubl}


def document(syntax: str, content: str) -> bytes:
    sent = minimal(supporting_documents=(SupportingDocument(id="D-0"), TIMESHEET))
    return WRITERS[syntax](sent, compute_totals(sent), PROFILES["EN16931"], {"upl": content})


def validate(service: Service, content: bytes) -> ApiAnswer:
    headers = {"Content-Type": "application/xml"}
    return service.call("POST", "/v1/einvoices/validate", body=content, headers=headers)


def send(service: Service, invoice: Any, **more: Any) -> ApiAnswer:
    body = {"profile": "EN16931", "invoice": invoice, "delivery": {"type": "binary"}, **more}
    return service.call("POST", "/v1/einvoices", json_body=body)


def remarks(answer: ApiAnswer) -> list[str]:
    warnings = answer.json["conformance"]["einvoice"]["warnings"]
    return [each["message"] for each in warnings if each["rule"] == "PLT-NOT-IN-MODEL"]


@pytest.mark.parametrize("syntax", ["cii", "ubl"])
def test_embedded_document_comes_back_as_an_upload_and_is_sent_again(
    service: Service, syntax: str
) -> None:
    received = document(syntax, base64.b64encode(PNG).decode())

    answer = validate(service, received)

    first, second = answer.json["invoice"]["supporting_documents"]
    upload = service.call("GET", f"/v1/uploads/{second['upload_id']}").json
    assert (upload["filename"], upload["content_type"]) == ("hours.png", "image/png")
    assert (upload["bytes"], upload["status"]) == (len(PNG), "ready")
    assert "upload_id" not in first
    assert remarks(answer) == []
    again = send(service, answer.json["invoice"], syntax=syntax)
    assert again.status == 200, again.json
    assert again.body == received


def test_what_is_no_base64_is_named_and_left_out(service: Service) -> None:
    answer = validate(service, document("cii", "%%%"))

    assert remarks(answer) == ["The embedded document is no base64"]
    assert answer.json["invoice"]["supporting_documents"][1] == {"id": "D-1"}


def test_a_document_without_its_media_type_is_named(service: Service) -> None:
    received = document("cii", "AAAA").replace(b' mimeCode="image/png"', b"")

    answer = validate(service, received)

    assert remarks(answer) == [
        "The model of an invoice has no place for ram:AttachmentBinaryObject"
    ]


# libxml2 stops at 10 000 000 characters in a text unless it is told otherwise.
@pytest.mark.parametrize("characters", [4_400_000, 10_400_000, 18_600_000])
def test_a_document_too_large_for_the_answer_is_named(characters: int) -> None:
    reading = read_document(document("cii", "A" * characters))

    assert reading.get("embedded") == []
    assert "too large for an answer" in reading["warnings"][0]["message"]
    invoice: Any = reading["invoice"]
    assert invoice["supporting_documents"][1] == {"id": "D-1"}


def test_largest_embedded_document_makes_an_xml_that_can_be_validated(service: Service) -> None:
    def embed(size: int) -> ApiAnswer:
        upload = announce_upload(service, bytes=size, content_type="image/png").json["id"]
        store_announced(service, upload, bytes(size))
        named = {"id": "D", "upload_id": upload, "filename": "a.png", "content_type": "image/png"}
        invoice = invoice_json({"supporting_documents": [named]})
        return send(service, invoice, delivery={"type": "url"})

    made, refused = embed(14_000_000), embed(14_000_001)

    assert made.status == 200, made.json
    assert made.json["files"][0]["bytes"] < MAX_INVOICE_BYTES
    assert (refused.status, refused.code) == (400, "validation_error")


def test_unknown_upload_is_refused_at_its_pointer(service: Service) -> None:
    documents = [{"id": "D", "upload_id": "upl_0", "filename": "a", "content_type": "image/png"}]

    answer = send(service, invoice_json({"supporting_documents": documents}))

    assert (answer.status, answer.json["code"]) == (404, "upload_not_found")


def test_an_upload_needs_its_name_and_media_type(service: Service) -> None:
    upload = post_upload(service, PNG, name="a.png", kind="image/png").json["id"]
    documents = [{"id": "D", "upload_id": upload}]

    answer = send(service, invoice_json({"supporting_documents": documents}))

    errors = answer.json["result"]["conformance"]["einvoice"]["errors"]
    assert [(error["rule"], error["path"]) for error in errors] == [
        ("PLT-REQUIRED", "invoice.supporting_documents[0].filename"),
        ("PLT-REQUIRED", "invoice.supporting_documents[0].content_type"),
    ]
