"""`POST /v1/einvoices/validate`: report and content of received e-invoices."""

import base64
from typing import Any

import pytest
from pikepdf import Encryption

from chalicelib.engine.conformance.checks import RawFinding, Verdict, VerdictJson
from tests.builders.http import ApiAnswer
from tests.builders.invoices.hybrids import INVOICE_XML, hybrid_pdf
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.lambda_client import FunctionKilled, LambdaClient
from tests.builders.service import Service
from tests.builders.uploads import (
    announce_upload,
    file_part,
    multipart_request,
    post_upload,
    store_announced,
)

VALIDATE = "/v1/einvoices/validate"
NUMBER = "/rsm:CrossIndustryInvoice/rsm:ExchangedDocument/ram:ID"


def post(service: Service, **fields: Any) -> ApiAnswer:
    return service.call("POST", VALIDATE, json_body=fields)


def post_document(
    service: Service, content: bytes, kind: str = "application/xml", **more: Any
) -> ApiAnswer:
    headers = {"Content-Type": kind}
    return service.call("POST", VALIDATE, body=content, headers=headers, **more)


def post_base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def fake_validators(service: Service, *findings: RawFinding) -> list[str]:
    """Make the validators return this for every document; return the kinds requested so far."""
    requested_kinds: list[str] = []

    def verdicts(order: dict[str, Any]) -> list[VerdictJson]:
        requested_kinds.extend(check["kind"] for check in order["checks"])
        return [Verdict(findings, "V 1", "S").to_json() for _ in order["checks"]]

    service.verdicts = verdicts
    return requested_kinds


def rules(answer: ApiAnswer, kind: str = "errors") -> list[str]:
    return [found["rule"] for found in answer.json["conformance"]["einvoice"][kind]]


def test_xml_is_answered_with_report_and_invoice(service: Service) -> None:
    requested_kinds = fake_validators(
        service, RawFinding("cen", "error", "BR-02", "It has a number", NUMBER, 1)
    )
    answer = post_document(service, INVOICE_XML)

    assert answer.status == 200, answer.json
    assert answer.json.keys() == {"object", "conformance", "invoice"}
    assert answer.json["object"] == "einvoice_validation"
    assert requested_kinds == ["cii-EN16931"]
    report = answer.json["conformance"]["einvoice"]
    assert (report["profile"], report["syntax"], report["status"]) == ("EN16931", "cii", "failed")
    assert (report["errors"][0]["location"], report["errors"][0]["path"]) == (
        NUMBER,
        "invoice.number",
    )
    assert answer.json["invoice"]["number"] == invoice_json()["number"]
    assert answer.json["invoice"]["seller"] == invoice_json()["seller"]


def test_returned_invoice_makes_the_same_xml_again(service: Service) -> None:
    invoice = post_document(service, INVOICE_XML).json["invoice"]
    body = {"profile": "EN16931", "invoice": invoice, "delivery": {"type": "binary"}}

    assert service.call("POST", "/v1/einvoices", json_body=body).body == INVOICE_XML


def test_document_may_be_base64_or_an_upload(service: Service) -> None:
    fake_validators(service)
    lines = base64.encodebytes(INVOICE_XML).decode()
    upload = post_upload(service, INVOICE_XML, name="a.xml", kind="application/xml").json["id"]

    whole = post_document(service, INVOICE_XML, "text/xml; charset=utf-8")
    assert post(service, content=lines).json == whole.json
    assert post(service, upload_id=upload).json == whole.json
    assert whole.json["conformance"]["einvoice"]["status"] == "passed"


def test_pdf_is_validated_with_its_embedded_invoice(service: Service) -> None:
    requested_kinds = fake_validators(service)
    answer = post_document(service, hybrid_pdf(), "application/pdf")

    assert requested_kinds == ["cii-EN16931", "pdf-3a", "pdf-ua1"]
    assert answer.json["conformance"].keys() == {"einvoice", "pdfa", "pdfua"}
    assert answer.json["conformance"]["pdfa"]["level"] == "3a"
    assert answer.json["invoice"]["number"] == invoice_json()["number"]


def test_invoice_is_answered_without_a_validation_report(service: Service) -> None:
    answer = post_document(service, INVOICE_XML)

    assert answer.json["conformance"]["einvoice"]["status"] == "unavailable"
    assert rules(answer, "warnings") == ["PLT-NOT-VALIDATED"]
    assert answer.json["invoice"] is not None


def test_validation_is_free_and_stores_nothing(service: Service) -> None:
    before = service.objects()
    headers = {"Idempotency-Key": "k", "Content-Type": "application/xml"}
    answer = service.call("POST", VALIDATE, body=INVOICE_XML, headers=headers)

    assert (answer.status, service.objects()) == (200, before)
    assert "r=" in answer.headers["RateLimit"]
    assert service.call("GET", "/v1/renders").json["data"] == []
    assert service.call("GET", "/v1/account").json["renders"]["used"] == 0


@pytest.mark.parametrize(
    ("document", "message"),
    [
        pytest.param(b"<a>", "not well-formed", id="damage"),
        pytest.param(b"\x89PNG\r\n", "not well-formed", id="other bytes"),
        pytest.param(b"<order/>", "is a order; send", id="other XML"),
        pytest.param(
            b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
            "DOCTYPE",
            id="external entity",
        ),
        pytest.param(b"<a>" + b"<b/>" * 3_000_001, "more than 3000000 tags", id="tags"),
        pytest.param(hybrid_pdf("a.xml"), "carries no factur-x.xml", id="PDF without"),
        pytest.param(
            hybrid_pdf("factur-x.xml", "xrechnung.xml"), "carries 2 invoices", id="PDF of 2"
        ),
        pytest.param(hybrid_pdf(content=b" " * 20_000_001), "more than 20000000", id="packed"),
    ],
)
def test_document_that_is_no_invoice_is_reported(
    service: Service, document: bytes, message: str
) -> None:
    requested_kinds = fake_validators(service)
    answer = post(service, upload_id=post_as_upload(service, document))

    assert answer.status == 200, answer.json
    report = answer.json["conformance"]["einvoice"]
    assert (report["profile"], report["status"]) == (None, "failed")
    assert rules(answer) == ["PLT-NO-INVOICE"]
    assert message in report["errors"][0]["message"]
    assert answer.json["invoice"] is None
    assert not any(kind.startswith(("cii", "ubl")) for kind in requested_kinds)


@pytest.mark.parametrize(
    ("old", "new", "rule", "place"),
    [
        ("SellerTradeParty>", "SalesAgentTradeParty>", "PLT-NOT-IN-MODEL", "HeaderTradeAgreement"),
        ("20260301", "20261301", "PLT-NOT-IN-MODEL", "IssueDateTime/udt:DateTimeString"),
        (">Paper<", f">{'x' * 5000}<", "PLT-NOT-IN-MODEL", "SpecifiedTradeProduct/ram:Name"),
        ("urn:cen.eu:en16931:2017<", "urn:other<", "PLT-PROFILE", ""),
    ],
)
def test_content_outside_the_model_is_named(
    service: Service, old: str, new: str, rule: str, place: str
) -> None:
    fake_validators(service)
    answer = post_document(service, INVOICE_XML.replace(old.encode(), new.encode()))

    first = answer.json["conformance"]["einvoice"]["warnings"][0]
    assert (answer.status, first["rule"]) == (200, rule)
    assert first["location"].endswith(place)
    # Every invoice has a seller and a date; a text that is too long is cut.
    assert (answer.json["invoice"] is None) == (old in {"SellerTradeParty>", "20260301"})


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (b"%PDF-1.7 junk", "invalid_pdf_source"),
        (hybrid_pdf(encryption=Encryption(owner="o", user="u")), "pdf_password_required"),
    ],
)
def test_unreadable_pdf_is_refused(service: Service, document: bytes, code: str) -> None:
    answer = post(service, content=post_base64(document))

    assert (answer.status, answer.code) == (422, code)
    assert answer.json["detail"].startswith("/content: ")


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({}, ""),
        ({"content": post_base64(INVOICE_XML), "upload_id": "upl_1"}, ""),
        ({"content": ""}, "/content"),
        ({"content": "%%%"}, "/content"),
        ({"content": "abcde"}, "/content"),
        ({"content": " \n"}, "/content"),
        ({"content": post_base64(INVOICE_XML), "profile": "BASIC"}, "/profile"),
    ],
)
def test_request_errors_are_named(service: Service, fields: dict[str, Any], pointer: str) -> None:
    answer = post(service, **fields)

    assert (answer.status, answer.code) == (400, "validation_error")
    assert [error["path"] for error in answer.json["errors"]] == [pointer]


def test_body_type_size_and_content_are_checked(service: Service) -> None:
    assert post_document(service, b"").code == "validation_error"
    assert post_document(service, INVOICE_XML, "image/png").code == "unsupported_media_type"
    assert (
        post_document(service, INVOICE_XML, "application/xml; charset=latin-1").code
        == "unsupported_media_type"
    )
    assert post_document(service, b" " * 4_000_001).code == "payload_too_large"


def test_upload_must_exist_in_the_workspace_and_fit_the_limit(service: Service) -> None:
    other = service.create_workspace()
    other_upload = service.call(
        "POST",
        "/v1/uploads",
        key=service.key("live", other),
        **multipart_request(file_part(INVOICE_XML)),
    ).json["id"]
    pending = announce_upload(service).json["id"]
    large = announce_upload(service, bytes=20_000_001).json["id"]
    store_announced(service, large, b" " * 20_000_001)

    assert post(service, upload_id=other_upload).code == "upload_not_found"
    assert post(service, upload_id="upl_none").code == "upload_not_found"
    assert post(service, upload_id=pending).code == "conflict"
    refused = post(service, upload_id=large)
    assert (refused.status, refused.json["errors"][0]["path"]) == (400, "/upload_id")


def test_missing_plan_scope_or_region_is_refused(service: Service) -> None:
    free = service.create_workspace("free")

    assert (
        post_document(service, INVOICE_XML, key=service.key("live", free)).code
        == "plan_feature_unavailable"
    )
    reader = service.key("live", scopes=("renders:read",))
    assert post_document(service, INVOICE_XML, key=reader).code == "insufficient_scope"
    abroad = service.operator.create_workspace("Abroad", plan="scale", regions=["us"]).id
    assert (
        post_document(service, INVOICE_XML, key=service.key("live", abroad)).code
        == "region_not_enabled"
    )


def test_largest_body_reaches_the_validator(service: Service) -> None:
    declaration, _, rest = INVOICE_XML.partition(b"\n")
    note = b"<!--%s-->" % (b"x" * (4_000_000 - len(INVOICE_XML) - len("<!---->")))

    answer = post_document(service, declaration + b"\n" + note + rest)

    assert answer.status == 200
    assert answer.json["invoice"] is not None


def test_killed_function_is_invoked_again(service: Service) -> None:
    busy = LambdaClient.exceptions.TooManyRequestsException()
    service.invoke_failures = iter([busy, FunctionKilled(), busy])

    assert post_document(service, INVOICE_XML).status == 200


def test_document_that_kills_the_function_answers_no_capacity(service: Service) -> None:
    service.invoke_failures = iter([FunctionKilled() for _ in range(3)])
    answer = post_document(service, INVOICE_XML)

    assert (answer.status, answer.code) == (503, "region_degraded")
    assert answer.headers["Retry-After"] == "5"


def post_as_upload(service: Service, content: bytes) -> str:
    upload: str = announce_upload(service, bytes=len(content)).json["id"]
    store_announced(service, upload, content)
    return upload
