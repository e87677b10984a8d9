"""Metadata of a hybrid PDF against its invoice."""

import pytest

from chalicelib.engine.conformance.hybrid_metadata import contradictions_of
from tests.builders.invoices.hybrids import INVOICE_XML

FACTURX = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"
ZUGFERD = "urn:zugferd:pdfa:CrossIndustryDocument:invoice:2p0#"
STATED = {
    "DocumentType": "INVOICE",
    "DocumentFileName": "factur-x.xml",
    "Version": "1.0",
    "ConformanceLevel": "EN 16931",
}


def rules(
    changes: dict[str, str] | None = None,
    namespace: str = FACTURX,
    filename: str = "factur-x.xml",
    xml: bytes = INVOICE_XML,
) -> list[str]:
    stated = STATED | (changes or {})
    metadata = {f"{{{namespace}}}{name}": value for name, value in stated.items() if value}
    other = {"{http://purl.org/dc/elements/1.1/}title": "Version"}
    return [
        contradiction.rule for contradiction in contradictions_of(metadata | other, filename, xml)
    ]


def with_guideline(guideline: str) -> bytes:
    return INVOICE_XML.replace(b"urn:cen.eu:en16931:2017", guideline.encode())


def test_metadata_that_agree_are_not_remarked() -> None:
    assert rules() == []
    assert rules({"ConformanceLevel": " EN 16931\n"}) == []


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"ConformanceLevel": "EXTENDED"}, "PLT-HYBRID-LEVEL"),
        ({"ConformanceLevel": ""}, "PLT-HYBRID-LEVEL"),
        ({"Version": "2p1"}, "PLT-HYBRID-VERSION"),
        ({"DocumentFileName": "xrechnung.xml"}, "PLT-HYBRID-FILE-NAME"),
        ({"DocumentFileName": "Factur-X.xml"}, "PLT-HYBRID-FILE-NAME"),
        (dict.fromkeys(STATED, ""), "PLT-HYBRID-NAMESPACE"),
    ],
)
def test_contradiction_is_one_remark(changes: dict[str, str], rule: str) -> None:
    assert rules(changes) == [rule]


@pytest.mark.parametrize("namespace", [ZUGFERD, FACTURX.removesuffix("#"), FACTURX.upper()])
def test_namespace_of_another_standard_is_remarked(namespace: str) -> None:
    assert rules(namespace=namespace) == ["PLT-HYBRID-NAMESPACE"]


def test_older_generation_has_its_own_namespace_and_name() -> None:
    guideline = "urn:cen.eu:en16931:2017#compliant#urn:zugferd.de:2p0:basic"
    stated = {"DocumentFileName": "zugferd-invoice.xml", "ConformanceLevel": "BASIC"}
    older = with_guideline(guideline)

    assert rules(stated, ZUGFERD, "zugferd-invoice.xml", older) == []
    assert rules(stated, FACTURX, "zugferd-invoice.xml", older) == ["PLT-HYBRID-NAMESPACE"]


def test_level_of_an_unknown_guideline_is_not_judged() -> None:
    assert rules({"ConformanceLevel": "COMFORT"}, xml=with_guideline("urn:example:1")) == []


def test_message_cuts_what_strangers_wrote() -> None:
    metadata = {f"{{{FACTURX}}}DocumentFileName": "x" * 10_000}

    contradictions = contradictions_of(metadata, "factur-x.xml", INVOICE_XML)

    assert all(len(contradiction.message) < 300 for contradiction in contradictions)
    assert contradictions_of(metadata, "factur-x.xml", b"no XML") == ()
