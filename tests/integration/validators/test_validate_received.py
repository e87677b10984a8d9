"""Validation of received e-invoices with the real validators: verdicts and paths of findings."""

import pytest

from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.conformance.read_received import read_received
from chalicelib.engine.conformance.validate_received import ReceivedValidation, validate_received
from chalicelib.engine.deadline import Deadline
from tests.builders.invoices.hybrids import INVOICE_XML, hybrid_pdf
from tests.integration.validators.conftest import proof


def examined(judge: LocalValidator, content: bytes) -> ReceivedValidation:
    deadline = Deadline.after(180)
    reading = read_received(content, deadline)
    return validate_received(content, reading, judge, deadline, may_store=False)


@pytest.mark.parametrize("kind", ["cii-XRECHNUNG", "ubl-CreditNote-EN16931"])
def test_a_valid_invoice_passes_and_is_read(judge: LocalValidator, kind: str) -> None:
    found = examined(judge, proof(kind))

    report = found.conformance["einvoice"]
    assert (report["status"], report["errors"], report["warnings"]) == ("passed", [], [])
    assert str(report["validator"]).startswith("Saxon-HE")
    assert found.invoice is not None


def test_findings_have_the_path_in_the_invoice(judge: LocalValidator) -> None:
    found = examined(judge, INVOICE_XML.replace(b"HUR", b"QQQ"))

    report = found.conformance["einvoice"]
    assert report["status"] == "failed"
    paths = {error["path"] for error in report["errors"] if error["rule"] == "BR-CL-23"}
    assert paths == {"invoice.lines[1].unit"}


def test_pdf_is_validated_against_its_claims_and_its_invoice_profile(judge: LocalValidator) -> None:
    found = examined(judge, hybrid_pdf())

    assert found.conformance["einvoice"]["status"] == "passed"
    assert (found.conformance["pdfa"]["profile"], found.conformance["pdfa"]["status"]) == (
        "3a",
        "passed",
    )
    assert found.conformance["pdfua"]["status"] == "passed"
    assert found.invoice is not None
