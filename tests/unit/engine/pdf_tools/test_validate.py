"""Checks of what a document claims; they are reports only."""

import io
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Name, Stream

from chalicelib.contract.options.pdf_tools import ValidateOptions
from chalicelib.engine.conformance.checks import ConformanceCheck
from tests.builders.pdfs.tool_call import ToolCall, call_tool
from tests.builders.pdfs.unarchived import Change, document, locked

PROOFS = Path(__file__).parents[4] / "layers" / "validators" / "proof"
PACKET = (
    '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description '
    'rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" '
    'xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">%s</rdf:Description></rdf:RDF>'
    '</x:xmpmeta><?xpacket end="w"?>'
)


def claim(pdfa: str = "", *, pdfua: bool = False) -> Change:
    properties = f"<pdfaid:part>{pdfa[:1]}</pdfaid:part>" if pdfa else ""
    if pdfa[1:]:
        properties += f"<pdfaid:conformance>{pdfa[1:].upper()}</pdfaid:conformance>"
    if pdfua:
        properties += "<pdfuaid:part>1</pdfuaid:part>"

    def change(pdf: pikepdf.Pdf) -> None:
        packet = (PACKET % properties).encode()
        pdf.Root.Metadata = Stream(pdf, packet, Type=Name.Metadata, Subtype=Name.XML)

    return change


def embed(content: bytes, *names: str) -> Change:
    def change(pdf: pikepdf.Pdf) -> None:
        for name in names or ("factur-x.xml",):
            pdf.attachments[name] = content

    return change


def validate(content: bytes, password: str | None = None) -> ToolCall:
    call = call_tool(ValidateOptions(), content, password=password)
    assert call.output.files == ()
    assert all(check.report_only for each in call.output.checks for check in each.checks)
    return call


def kinds(call: ToolCall) -> list[tuple[str, bool]]:
    """Return the kind of each check, and whether the document claims it."""
    return [(check.kind, check.claimed) for each in call.output.checks for check in each.checks]


@pytest.mark.parametrize(
    ("change", "checks"),
    [
        (claim("2u"), [("pdf-2u", True)]),
        (claim("3a", pdfua=True), [("pdf-3a", True), ("pdf-ua1", True)]),
        (claim(pdfua=True), [("pdf-ua1", True)]),
        (claim(), [("pdf-2b", False), ("pdf-ua1", False)]),
        (claim("1b"), [("pdf-2b", False)]),
        (claim("4", pdfua=True), [("pdf-2b", False), ("pdf-ua1", True)]),
    ],
)
def test_claims_decide_on_the_checks(change: Change, checks: list[tuple[str, bool]]) -> None:
    call = validate(document(change))

    assert kinds(call) == checks
    assert all(each.content is None for each in call.output.checks)


@pytest.mark.parametrize("level", ["1b", "4", "4f"])
def test_claim_without_rules_is_told(level: str) -> None:
    call = validate(document(claim(level)))

    (finding,) = call.output.checks[0].own_findings
    assert (finding.severity, finding.rule) == ("warning", "PLT-PROFILE")
    assert f"PDF/A-{level}" in finding.message


def test_invoice_is_checked_beside_its_pdf() -> None:
    xml = (PROOFS / "cii-EN16931.xml").read_bytes()

    call = validate(document(embed(xml)))

    assert kinds(call) == [("cii-EN16931", True), ("pdf-3b", True)]
    assert [each.content for each in call.output.checks] == [xml, None]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (embed(b"<a/>"), "neither a CII nor a UBL"),
        (embed(b"<a/>", "factur-x.xml", "xrechnung.xml"), "carries 2 invoices"),
    ],
)
def test_invoice_that_cannot_be_checked_is_a_warning(change: Change, told: str) -> None:
    call = validate(document(change, claim("3b")))

    assert kinds(call) == [("pdf-3b", True)]
    (warning,) = call.warnings
    assert warning.code == "einvoice_validation_unavailable"
    assert told in warning.message


def test_locked_document_is_judged_without_its_protection() -> None:
    call = validate(locked(document(claim("2b"))), "user")

    (check,) = call.output.checks
    assert check.content is not None
    with pikepdf.open(io.BytesIO(check.content)) as pdf:
        assert not pdf.is_encrypted
    (finding,) = check.own_findings
    assert (finding.severity, finding.rule) == ("error", "PLT-ENCRYPTED")


def test_protection_without_a_password_is_left_to_the_validators() -> None:
    (check, _) = validate(locked(document(), user="")).output.checks[0].checks

    assert check == ConformanceCheck("pdfa", "2b", "pdf-2b", claimed=False, report_only=True)


def test_associated_files_without_sense_are_no_invoice() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        pdf.Root.AF = Array([1, Name.A])

    assert len(kinds(validate(document(change)))) == 2
