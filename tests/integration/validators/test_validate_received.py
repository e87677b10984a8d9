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


@pytest.mark.parametrize("kind", ["cii-XRECHNUNG", "ubl-CreditNote-EN16931", "ubl-Invoice-PEPPOL"])
def test_a_valid_invoice_passes_and_is_read(judge: LocalValidator, kind: str) -> None:
    found = examined(judge, proof(kind))

    report = found.conformance["einvoice"]
    assert (report["status"], report["errors"], report["warnings"]) == ("passed", [], [])
    assert str(report["validator"]).startswith("Saxon-HE")
    assert found.invoice is not None


# Content of CII D16B that the schemas of Factur-X lack.
D16B_NAME = (b"<ram:TypeCode>380<", b"<ram:Name>Rechnung</ram:Name><ram:TypeCode>380<")
BUYER = b"<ram:Name>Buyer</ram:Name>"
D16B_ROLE = (BUYER, BUYER + b"<ram:RoleCode>BY</ram:RoleCode>")
EVENT = b"<ram:ActualDeliverySupplyChainEvent>"
SHIP_FROM = b"<ram:ShipFromTradeParty><ram:Name>Depot</ram:Name></ram:ShipFromTradeParty>"
D16B_SHIP_FROM = (EVENT, SHIP_FROM + EVENT)


@pytest.mark.parametrize("kind", ["cii-EN16931", "cii-XRECHNUNG", "cii-NLCIUS"])
def test_cii_is_held_against_the_schema_of_its_guideline(judge: LocalValidator, kind: str) -> None:
    xml = proof(kind)
    for old, new in (D16B_NAME, D16B_ROLE, D16B_SHIP_FROM):
        assert old in xml
        xml = xml.replace(old, new)

    report = examined(judge, xml).conformance["einvoice"]

    assert (report["status"], report["errors"]) == ("passed", [])


TWO_BEFORE = b"".join(
    b"<ram:InvoiceReferencedDocument><ram:IssuerAssignedID>%d</ram:IssuerAssignedID>"
    b"</ram:InvoiceReferencedDocument>" % number
    for number in (1, 2)
)


@pytest.mark.parametrize(
    ("kind", "status"), [("cii-EN16931", "passed"), ("cii-XRECHNUNG", "failed")]
)
def test_en_16931_may_follow_the_schema_of_factur_x_too(
    judge: LocalValidator, kind: str, status: str
) -> None:
    end = b"</ram:ApplicableHeaderTradeSettlement>"

    found = examined(judge, proof(kind).replace(end, TWO_BEFORE + end))

    assert found.conformance["einvoice"]["status"] == status


def test_the_profiles_of_factur_x_have_their_own_schema(judge: LocalValidator) -> None:
    report = examined(judge, proof("cii-BASIC").replace(*D16B_NAME)).conformance["einvoice"]

    assert report["status"] == "failed"
    assert "cvc-complex-type.2.4.a" in {error["rule"] for error in report["errors"]}


def test_content_that_a_profile_does_not_use_is_a_warning(judge: LocalValidator) -> None:
    xml = proof("cii-EN16931").replace(b"<ram:IBANID>", b'<ram:IBANID schemeID="IBAN">')

    report = examined(judge, xml).conformance["einvoice"]

    assert (report["status"], report["errors"]) == ("passed", [])
    assert "FX-NOT-USED" in {warning["rule"] for warning in report["warnings"]}


def test_findings_have_the_path_in_the_invoice(judge: LocalValidator) -> None:
    found = examined(judge, INVOICE_XML.replace(b"HUR", b"QQQ"))

    report = found.conformance["einvoice"]
    assert report["status"] == "failed"
    paths = {error["path"] for error in report["errors"] if error["rule"] == "BR-CL-23"}
    assert paths == {"invoice.lines[1].unit"}


def test_pdf_is_validated_against_its_claims_and_its_invoice_profile(judge: LocalValidator) -> None:
    found = examined(judge, hybrid_pdf())

    assert found.conformance["einvoice"]["status"] == "passed"
    assert (found.conformance["pdfa"]["level"], found.conformance["pdfa"]["status"]) == (
        "3a",
        "passed",
    )
    assert found.conformance["pdfua"]["status"] == "passed"
    assert found.invoice is not None
