"""What the validators say of a render: its report, its warnings, its failure."""

import time
from typing import Any

import pytest

from tests.builders import validation_results
from tests.builders.service import Service
from tests.builders.validation_results import fake_validation, post_einvoice, raw_finding

UNCLAIMED = "ISO 14289-1:2014 5:1"


def test_what_passes_is_delivered_with_its_report(service: Service) -> None:
    asked = fake_validation(service, raw_finding("warning"))
    answer = post_einvoice(service)

    assert answer.status == 200
    assert [check["kind"] for check in asked[0]["checks"]] == ["cii-EN16931"]
    report = answer.json["result"]["conformance"]["einvoice"]
    assert (report["status"], report["validator"], report["scenario"]) == ("passed", "V 1", "S")
    assert report["warnings"][0]["path"] == "invoice.number"
    assert "validate_ms" in answer.json["timings"]


@pytest.mark.parametrize("code", validation_results.PROVOKED_REJECTIONS)
def test_what_is_rejected_fails_with_its_report_and_is_not_billed(
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
def test_a_warning_fails_nothing(service: Service, code: str) -> None:
    answer = validation_results.PROVOKED_VALIDATION_WARNINGS[code](service)

    assert answer.status == 200, answer.json
    assert [warning["code"] for warning in answer.json["warnings"]] == [code]
    (part,) = answer.json["result"]["conformance"].values()
    if code.endswith("_unavailable"):
        assert (part["status"], part["validator"], part["errors"]) == ("unavailable", None, [])


def test_without_a_validator_there_is_no_verdict(service: Service) -> None:
    answer = post_einvoice(service)

    assert answer.json["result"]["conformance"]["einvoice"]["status"] == "unavailable"


@pytest.mark.parametrize("severity", ["error", "warning"])
def test_a_report_on_accessibility_fails_nothing(service: Service, severity: str) -> None:
    asked = fake_validation(
        service, raw_finding(severity, rule="R"), raw_finding(rule=UNCLAIMED, location="")
    )

    answer = service.render(output={"pdf": {"accessibility_report": True}})

    assert (answer.status, answer.json["warnings"]) == (200, [])
    assert [check["kind"] for check in asked[0]["checks"]] == ["pdf-ua1"]
    part = answer.json["result"]["conformance"]["pdfua"]
    assert part["status"] == ("failed" if severity == "error" else "passed")
    # Nobody asked the document to say that it is PDF/UA.
    assert UNCLAIMED in {found["rule"] for found in part["warnings"]}
    kept = service.call("GET", f"/v1/renders/{answer.json['id']}").json
    assert kept["result"] == answer.json["result"]


def test_a_document_that_claims_to_be_accessible_must_say_so(service: Service) -> None:
    fake_validation(service, raw_finding(rule=UNCLAIMED))

    answer = service.render(output={"pdf": {"pdfua": True, "accessibility_report": True}})

    assert (answer.status, answer.code) == (422, "pdfua_validation_failed")


def test_a_report_is_no_excuse_for_what_else_is_claimed(service: Service) -> None:
    fake_validation(service, raw_finding())

    answer = service.render(output={"pdf": {"pdfa": "2b", "accessibility_report": True}})

    assert (answer.status, answer.code) == (422, "pdfa_conversion_failed")
    assert answer.json["result"]["conformance"].keys() == {"pdfa", "pdfua"}


@pytest.mark.parametrize(
    "output", [{"pdf": {"accessibility_report": False}}, {"pdf": {"tagged": True}}, {}]
)
def test_without_a_question_nobody_is_asked(service: Service, output: dict[str, Any]) -> None:
    asked = fake_validation(service, raw_finding())

    answer = service.render(output=output)

    assert (answer.status, answer.json["result"], asked) == (200, None, [])


@pytest.mark.parametrize(("mode", "least_s", "max_s"), [("sync", 15, 25), ("async", 100, 300)])
def test_only_a_sync_caller_is_answered_before_the_validators_are_late(
    service: Service, mode: str, least_s: int, max_s: int
) -> None:
    asked = fake_validation(service)
    begun = time.time()

    post_einvoice(service, mode=mode)
    service.run_queued()

    assert begun + least_s < asked[0]["until"] <= time.time() + max_s


def test_with_zero_retention_the_report_is_answered_and_not_kept(service: Service) -> None:
    fake_validation(service, raw_finding())
    output = {"pdf": {"accessibility_report": True}}
    delivery = {"type": "none", "retention": "none"}

    answer = service.render(output=output, delivery=delivery)

    assert answer.json["result"]["conformance"]["pdfua"]["status"] == "failed"
    kept = service.call("GET", f"/v1/renders/{answer.json['id']}").json
    assert kept["result"] is None
