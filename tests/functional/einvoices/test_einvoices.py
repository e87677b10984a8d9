"""`POST /v1/einvoices`: a render whose only file is XML."""

import base64
from decimal import Decimal
from typing import Any

import pytest
from lxml import etree

from chalicelib.features.renders.read import Viewer
from tests.builders.http import ApiAnswer
from tests.builders.invoices.invoice_json import ABSENT, invoice_json
from tests.builders.service import Service

NOTE = b"<ram:SubjectCode>AAI</ram:SubjectCode>"


def post(service: Service, **more: Any) -> ApiAnswer:
    fields = {name: more.pop(name) for name in ("key", "headers") if name in more}
    body = {"profile": "EN16931", "invoice": invoice_json()} | more
    return service.call("POST", "/v1/einvoices", json_body=body, **fields)


def content(service: Service, answer: ApiAnswer) -> bytes:
    viewer = Viewer(service.workspace, "live")
    render = service.services.renders.read.one(viewer, answer.json["id"])
    stored = service.services.state.objects.get(render.files[0].key)
    assert stored is not None
    return stored


def test_einvoice_is_a_render_whose_file_is_the_xml(service: Service) -> None:
    answer = post(service, reference="R-1", metadata={"a": "b"})

    assert answer.status == 200, answer.json
    (file,) = answer.json["files"]
    assert (file["format"], file["content_type"]) == ("xml", "application/xml")
    assert (file["filename"], file["pages"]) == ("2026-0042.xml", None)
    assert (answer.json["reference"], answer.json["metadata"]) == ("R-1", {"a": "b"})
    assert answer.json["billed"]
    assert answer.json["input"] == {"type": "einvoice", "profile": "EN16931", "syntax": "cii"}
    assert Decimal(answer.json["invoice"]["grand_total"]) == Decimal("214.16")
    xml = content(service, answer)
    assert etree.fromstring(xml).tag.endswith("}CrossIndustryInvoice")
    assert NOTE not in xml
    again = service.call("GET", f"/v1/renders/{answer.json['id']}")
    assert again.json["invoice"] == answer.json["invoice"]


def test_ubl_binary_answer_of_a_test_key_carries_the_test_note(service: Service) -> None:
    answer = post(
        service,
        key=service.test,
        profile="XRECHNUNG",
        syntax="ubl",
        filename="Rechnung.pdf",
        delivery={"type": "binary"},
    )

    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/xml")
    assert 'filename="Rechnung.xml"' in answer.headers["Content-Disposition"]
    assert b"#AAI#TEST" in answer.body


def test_unmarked_test_invoice_gives_a_warning(service: Service) -> None:
    def unavailable_messages(key: str, profile: str) -> list[str]:
        warnings = post(service, key=key, profile=profile).json["warnings"]
        return [each["message"] for each in warnings if each["code"] == "feature_unavailable"]

    (message,) = unavailable_messages(service.test, "MINIMUM")
    assert "MINIMUM has no place for the note" in message
    assert (
        unavailable_messages(service.test, "BASIC_WL")
        == unavailable_messages(service.live, "MINIMUM")
        == []
    )


def test_warning_that_the_request_names_fails_an_einvoice(service: Service) -> None:
    answer = post(service, key=service.test, profile="MINIMUM", fail_on=["feature_unavailable"])

    assert (answer.status, answer.code) == (422, "render_failed")
    assert "feature_unavailable, which fail_on names" in answer.json["detail"]
    assert post(service, profile="MINIMUM", fail_on=["feature_unavailable"]).status == 200


def test_async_einvoice_is_made_from_the_queue_and_a_repeat_creates_nothing(
    service: Service,
) -> None:
    first = post(service, mode="async", headers={"Idempotency-Key": "k"})
    again = post(service, mode="async", headers={"Idempotency-Key": "k"})

    assert (first.status, again.status) == (202, 202)
    assert again.json["id"] == first.json["id"]
    service.run_queued()
    done = service.call("GET", f"/v1/renders/{first.json['id']}")
    assert (done.json["status"], done.json["files"][0]["format"]) == ("succeeded", "xml")


def test_broken_rule_is_reported_with_its_pointer_and_not_billed(service: Service) -> None:
    invoice = invoice_json({"lines[1].vat": {"category": "E", "rate": 0}})

    answer = post(service, invoice=invoice)

    assert (answer.status, answer.code) == (422, "einvoice_invalid")
    report = answer.json["result"]["conformance"]["einvoice"]
    assert (report["status"], report["validator"]) == ("failed", None)
    assert "BR-E-10" in {found["rule"] for found in report["errors"]}
    assert all(found["path"].startswith("invoice") for found in report["errors"])
    render = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert (render["status"], render["billed"]) == ("failed", False)
    assert render["result"] == answer.json["result"]
    assert render["error"]["code"] == "einvoice_invalid"


@pytest.mark.parametrize(
    ("more", "pointer"),
    [
        ({"profile": "BASIC", "syntax": "ubl"}, "/syntax"),
        ({"invoice": invoice_json({"seller": ABSENT})}, "/invoice/seller"),
        ({"format": "xml"}, "/format"),
        ({"mode": "async", "delivery": {"type": "binary"}}, "/delivery/type"),
    ],
)
def test_request_errors_are_named(service: Service, more: dict[str, Any], pointer: str) -> None:
    answer = post(service, **more)

    assert (answer.status, answer.code) == (400, "validation_error")
    assert [error["path"] for error in answer.json["errors"]] == [pointer]


def test_plan_without_einvoices_is_refused(service: Service) -> None:
    free = service.create_workspace("free")
    answer = post(service, key=service.key("test", free))

    assert (answer.status, answer.code) == (402, "plan_feature_unavailable")
    assert "growth" in answer.json["detail"]


def test_retention_none_keeps_nothing_of_the_einvoice(service: Service) -> None:
    answer = post(service, delivery={"type": "base64", "retention": "none"})

    assert etree.fromstring(base64.b64decode(answer.json["files"][0]["content_base64"])) is not None
    shown = service.call("GET", f"/v1/renders/{answer.headers['X-Render-Id']}").json
    assert (shown["invoice"], shown["files"]) == (None, [])


@pytest.mark.parametrize("syntax", [{}, {"syntax": "ubl"}])
def test_peppol_is_written_as_ubl_also_without_a_syntax(
    service: Service, syntax: dict[str, str]
) -> None:
    answer = post(service, profile="PEPPOL", **syntax)

    assert answer.status == 200, answer.json
    assert answer.json["input"] == {"type": "einvoice", "profile": "PEPPOL", "syntax": "ubl"}
    xml = content(service, answer)
    assert etree.fromstring(xml).tag.endswith("}Invoice")
    assert b"#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0</cbc:CustomizationID>" in xml
    assert b"<cbc:ProfileID>urn:fdc:peppol.eu:2017:poacc:billing:01:1.0</cbc:ProfileID>" in xml


def test_peppol_in_another_syntax_is_refused(service: Service) -> None:
    answer = post(service, profile="PEPPOL", syntax="cii")

    assert (answer.status, answer.json["code"]) == (400, "validation_error")
    (error,) = answer.json["errors"]
    assert error["path"] == "/syntax"
    assert "must be ubl: PEPPOL has no cii" in error["message"]


def test_peppol_names_the_fields_that_it_needs(service: Service) -> None:
    invoice = invoice_json(
        {
            "buyer_reference": ABSENT,
            "buyer.electronic_address": ABSENT,
            "buyer.address.country": "FR",
            "process_id": "urn:example",
        }
    )

    answer = post(service, profile="PEPPOL", invoice=invoice)

    assert (answer.status, answer.json["code"]) == (422, "einvoice_invalid")
    errors = answer.json["result"]["conformance"]["einvoice"]["errors"]
    assert {(error["rule"], error["path"]) for error in errors} == {
        ("PEPPOL-EN16931-R003", "invoice.buyer_reference"),
        ("PEPPOL-EN16931-R010", "invoice.buyer.electronic_address"),
        ("PEPPOL-EN16931-R007", "invoice.process_id"),
    }


def test_no_pdf_carries_peppol(service: Service) -> None:
    answer = service.call(
        "POST",
        "/v1/renders",
        json_body={
            "input": {"type": "html", "html": "x"},
            "output": {"einvoice": {"profile": "PEPPOL", "invoice": invoice_json()}},
        },
    )

    assert (answer.status, answer.json["code"]) == (400, "validation_error")
    assert answer.json["errors"][0]["path"] == "/output/einvoice/profile"
