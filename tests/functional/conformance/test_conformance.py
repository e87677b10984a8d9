"""Validation of renders: report, warnings and failure."""

import time
from typing import Any

import pytest

from tests.builders import validation_results
from tests.builders.service import Service
from tests.builders.storage_uploads import make_destination, render_to
from tests.builders.validation_results import fake_validation, post_einvoice, raw_finding

UNCLAIMED = "ISO 14289-1:2014 5:1"


def test_valid_document_is_delivered_with_its_report(service: Service) -> None:
    validations = fake_validation(service, raw_finding("warning"))
    answer = post_einvoice(service)

    assert answer.status == 200
    assert [check["kind"] for check in validations[0]["checks"]] == ["cii-EN16931"]
    report = answer.json["result"]["conformance"]["einvoice"]
    assert (report["status"], report["validator"], report["scenario"]) == ("passed", "V 1", "S")
    assert report["warnings"][0]["path"] == "invoice.number"
    assert "validate_ms" in answer.json["timings"]


@pytest.mark.parametrize("code", validation_results.PROVOKED_REJECTIONS)
def test_invalid_document_fails_with_its_report_and_is_not_billed(
    service: Service, code: str
) -> None:
    answer = validation_results.PROVOKED_REJECTIONS[code](service)

    assert (answer.status, answer.code) == (422, code)
    (part,) = answer.json["result"]["conformance"].values()
    assert part["status"] == "failed"
    assert part["errors"]
    render = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert (render["billed"], render["files"]) == (False, [])
    assert render["result"] == answer.json["result"]


@pytest.mark.parametrize("code", validation_results.PROVOKED_VALIDATION_WARNINGS)
def test_warning_does_not_fail_the_render(service: Service, code: str) -> None:
    answer = validation_results.PROVOKED_VALIDATION_WARNINGS[code](service)

    assert answer.status == 200, answer.json
    assert [warning["code"] for warning in answer.json["warnings"]] == [code]
    (part,) = answer.json["result"]["conformance"].values()
    if code.endswith("_unavailable"):
        assert (part["status"], part["validator"], part["errors"]) == ("unavailable", None, [])


def test_without_a_validator_the_status_is_unavailable(service: Service) -> None:
    answer = post_einvoice(service)

    assert answer.json["result"]["conformance"]["einvoice"]["status"] == "unavailable"


@pytest.mark.parametrize("severity", ["error", "warning"])
def test_accessibility_report_does_not_fail_the_render(service: Service, severity: str) -> None:
    validations = fake_validation(
        service, raw_finding(severity, rule="R"), raw_finding(rule=UNCLAIMED, location="")
    )

    answer = service.render(output={"pdf": {"accessibility_report": True}})

    assert (answer.status, answer.json["warnings"]) == (200, [])
    assert [check["kind"] for check in validations[0]["checks"]] == ["pdf-ua1"]
    part = answer.json["result"]["conformance"]["pdfua"]
    assert part["status"] == ("failed" if severity == "error" else "passed")
    # The request does not ask for PDF/UA, so the document need not declare it.
    assert UNCLAIMED in {found["rule"] for found in part["warnings"]}
    kept = service.call("GET", f"/v1/renders/{answer.json['id']}").json
    assert kept["result"] == answer.json["result"]


@pytest.mark.parametrize("pdfua", [True, "1"])
def test_reports_name_the_level_and_the_standard(service: Service, pdfua: object) -> None:
    fake_validation(service)

    answer = service.render(output={"pdf": {"pdfa": "3b", "pdfua": pdfua}})

    report = answer.json["result"]["conformance"]
    assert (report["pdfa"]["level"], report["pdfua"]["standard"]) == ("3b", "PDF/UA-1")
    assert not {"profile", "syntax"} & (report["pdfa"].keys() | report["pdfua"].keys())
    assert answer.json["output"]["pdf"]["pdfua"] is True


@pytest.mark.parametrize("pdfua", ["2", "true", 1, [], {}])
def test_another_part_of_pdfua_is_refused(service: Service, pdfua: object) -> None:
    refused = service.render(output={"pdf": {"pdfua": pdfua}})

    assert (refused.code, refused.pointers) == ("validation_error", ["/output/pdf/pdfua"])


def test_document_without_its_pdfua_declaration_fails(service: Service) -> None:
    fake_validation(service, raw_finding(rule=UNCLAIMED))

    answer = service.render(output={"pdf": {"pdfua": True, "accessibility_report": True}})

    assert (answer.status, answer.code) == (422, "pdfua_validation_failed")


def test_accessibility_report_does_not_excuse_pdfa_errors(service: Service) -> None:
    fake_validation(service, raw_finding())

    answer = service.render(output={"pdf": {"pdfa": "2b", "accessibility_report": True}})

    assert (answer.status, answer.code) == (422, "pdfa_conversion_failed")
    assert answer.json["result"]["conformance"].keys() == {"pdfa", "pdfua"}


@pytest.mark.parametrize(
    "output", [{"pdf": {"accessibility_report": False}}, {"pdf": {"tagged": True}}, {}]
)
def test_without_claims_no_validator_is_invoked(service: Service, output: dict[str, Any]) -> None:
    validations = fake_validation(service, raw_finding())

    answer = service.render(output=output)

    assert (answer.status, answer.json["result"], validations) == (200, None, [])


@pytest.mark.parametrize(("mode", "least_s", "max_s"), [("sync", 15, 25), ("async", 100, 300)])
def test_validators_get_less_time_for_a_sync_caller(
    service: Service, mode: str, least_s: int, max_s: int
) -> None:
    validations = fake_validation(service)
    begun = time.time()

    post_einvoice(service, mode=mode)
    service.run_queued()

    assert begun + least_s < validations[0]["until"] <= time.time() + max_s


def test_zero_retention_report_is_answered_and_not_stored(service: Service) -> None:
    fake_validation(service, raw_finding())
    output = {"pdf": {"accessibility_report": True}}
    delivery = {"type": "none", "retention": "none"}

    answer = render_to(service, make_destination(service), output=output, delivery=delivery)

    assert answer.json["result"]["conformance"]["pdfua"]["status"] == "failed"
    kept = service.call("GET", f"/v1/renders/{answer.json['id']}").json
    assert kept["result"] is None
