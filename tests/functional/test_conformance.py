"""What the validators say of a render: its report, its warnings, its failure."""

from typing import Any

import pytest

from chalicelib.engine.conformance.checks import Check, Raw, Verdict
from chalicelib.engine.job import ToJudge
from tests.builders.http import Answer
from tests.builders.invoice_json import invoice_json
from tests.builders.service import Service

PLACE = "/rsm:CrossIndustryInvoice/rsm:ExchangedDocument/ram:ID"


def post(service: Service, **more: Any) -> Answer:
    body = {"profile": "EN16931", "invoice": invoice_json()} | more
    return service.call("POST", "/v1/einvoices", json_body=body)


def judging(service: Service, *findings: Raw) -> list[dict[str, Any]]:
    """Have the validators tell this of everything, and return what they are asked."""
    asked: list[dict[str, Any]] = []

    def verdicts(order: dict[str, Any]) -> list[dict[str, Any]]:
        asked.append(order)
        return [Verdict(findings, "V 1", "S").to_json() for _ in order["checks"]]

    service.verdicts = verdicts
    return asked


def finding(severity: str) -> Raw:
    return Raw("cen", severity, "BR-02", "An invoice has a number", PLACE, 1)


def test_what_passes_is_delivered_with_its_report(service: Service) -> None:
    asked = judging(service, finding("warning"))
    answer = post(service)

    assert answer.status == 200
    assert [check["kind"] for check in asked[0]["checks"]] == ["cii-EN16931"]
    report = answer.json["result"]["conformance"]["einvoice"]
    assert (report["status"], report["validator"], report["scenario"]) == ("passed", "V 1", "S")
    assert report["warnings"][0]["path"] == "invoice.number"
    codes = [warning["code"] for warning in answer.json["warnings"]]
    assert codes == ["einvoice_validation_warning"]
    assert "validate_ms" in answer.json["timings"]


def test_what_is_rejected_fails_with_its_report_and_is_not_billed(service: Service) -> None:
    judging(service, finding("error"))
    answer = post(service)

    assert (answer.status, answer.code) == (422, "einvoice_validation_failed")
    assert answer.json["result"]["conformance"]["einvoice"]["errors"][0]["rule"] == "BR-02"
    render = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert (render["billed"], render["files"]) == (False, [])
    assert render["result"] == answer.json["result"]


@pytest.mark.parametrize(
    ("check", "code"),
    [
        (Check.pdfa("3b"), "pdfa_conversion_failed"),
        (Check.pdfua(), "pdfua_validation_failed"),
    ],
)
def test_a_pdf_that_does_not_conform_fails(service: Service, check: Check, code: str) -> None:
    judging(service, finding("error"))
    service.engine.to_judge = (ToJudge(b"%PDF", (check,), lambda _place: None),)

    answer = service.render()

    assert (answer.status, answer.code) == (422, code)
    part = answer.json["result"]["conformance"][check.subject]
    assert (part["profile"], part["status"]) == (check.profile, "failed")


def broken(_order: dict[str, Any]) -> list[dict[str, Any]]:
    return [Verdict(why="killed").to_json()]


@pytest.mark.parametrize("verdicts", [None, broken])
def test_without_a_verdict_it_is_delivered_with_a_warning(service: Service, verdicts: Any) -> None:
    service.verdicts = verdicts
    answer = post(service)

    assert answer.status == 200
    report = answer.json["result"]["conformance"]["einvoice"]
    assert (report["status"], report["validator"], report["errors"]) == ("unavailable", None, [])
    codes = [warning["code"] for warning in answer.json["warnings"]]
    assert codes == ["einvoice_validation_unavailable"]
