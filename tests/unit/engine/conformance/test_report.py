"""Reports from findings: merged, at most 100, and never a guess."""

from collections.abc import Sequence

import pytest

from chalicelib.core import json
from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding, Verdict
from chalicelib.engine.conformance.report import conformance_report, report_section
from chalicelib.engine.report_section import MAX_SECTION_BYTES, ReportFinding, ReportSection

SUMMATION = "/rsm:CrossIndustryInvoice[1]/ram:Summation[1]"


def found(
    rule: str, location: str = "", *, source: str = "cen", severity: str = "error", count: int = 1
) -> RawFinding:
    return RawFinding(source, severity, rule, f"{rule} is broken", location, count)


def made(*findings: RawFinding) -> ReportSection:
    verdict = Verdict(findings, "Saxon; EN 16931", "EN16931 (CII)")
    return report_section(
        ConformanceCheck.cii("EN16931"), verdict, lambda location: f"invoice of {location}"
    )


def rules(rows: Sequence[ReportFinding]) -> list[str]:
    return [row["rule"] for row in rows]


@pytest.mark.parametrize(
    ("rule", "message", "attribute"),
    [
        ("BR-CL-23", "", "/@unitCode"),
        ("BR-CL-25", "", "/@schemeID"),
        ("BR-CL-13", "", "/@listID"),
        ("BR-CL-14", "", ""),
        ("FX-SCH-A-000240", "[FX-SCH-A-000240]-Value of '@unitCode' is not allowed.", "/@unitCode"),
        ("FX-SCH-A-000001", "Value of 'ram:CountryID' is not allowed.", ""),
    ],
)
def test_a_finding_about_a_code_names_what_holds_the_code(
    rule: str, message: str, attribute: str
) -> None:
    finding = RawFinding("cen", "error", rule, message, SUMMATION, 1)

    (error,) = made(finding)["errors"]

    assert error["location"] == SUMMATION
    assert error["path"] == f"invoice of {SUMMATION}{attribute}"


def test_without_findings_it_passed() -> None:
    assert made() == ReportSection(
        profile="EN16931",
        syntax="cii",
        status="passed",
        validator="Saxon; EN 16931",
        scenario="EN16931 (CII)",
        errors=[],
        warnings=[],
    )


def test_without_a_verdict_the_status_is_unavailable() -> None:
    made = conformance_report(
        [ConformanceCheck.pdfa("3b"), ConformanceCheck.pdfua()],
        [Verdict(), Verdict(())],
        lambda _path: None,
    )

    assert made["pdfa"] == ReportSection(
        level="3b", status="unavailable", validator=None, errors=[], warnings=[]
    )
    assert (made["pdfua"]["standard"], made["pdfua"]["status"]) == ("PDF/UA-1", "passed")


def test_only_elements_required_by_cii_may_be_empty() -> None:
    rule, place = "PEPPOL-EN16931-R008", "/rsm:A[1]/ram:ApplicableHeaderTradeDelivery[1]"
    empty = [found(rule, at, source="facturx", severity="warning") for at in (place, SUMMATION)]

    assert [row["location"] for row in made(*empty)["warnings"]] == [SUMMATION]


def test_warnings_alone_do_not_fail() -> None:
    report = made(found("BR-DE-26", severity="warning"))

    assert report["status"] == "passed"
    assert rules(report["warnings"]) == ["BR-DE-26"]


def test_findings_with_one_rule_and_location_are_counted() -> None:
    report = made(found("BR-27", "/a[1]", count=2), found("BR-27", "/a[1]"), found("BR-27", "/b"))

    assert report["status"] == "failed"
    assert [(row["location"], row["path"], row["count"]) for row in report["errors"]] == [
        ("/a[1]", "invoice of /a[1]", 3),
        ("/b", "invoice of /b", 1),
    ]


@pytest.mark.parametrize(
    ("standard", "facturx"),
    [
        (found("BR-CO-15", "/rsm:CrossIndustryInvoice[1]"), found("BR-CO-15", SUMMATION)),
        (found("BR-CO-15", SUMMATION), found("BR-CO-15", SUMMATION)),
        (found("BR-CL-04", SUMMATION), found("FX-SCH-A-000595", SUMMATION)),
    ],
)
def test_duplicate_factur_x_finding_is_dropped(standard: RawFinding, facturx: RawFinding) -> None:
    again = found(facturx.rule, facturx.location, source="facturx")

    assert made(again, standard)["errors"] == made(standard)["errors"]


def test_factur_x_error_is_not_hidden_by_a_warning() -> None:
    warning = found("CII-SR-464", SUMMATION, severity="warning")
    error = found("CII-SR-464", SUMMATION, source="facturx")

    report = made(warning, error)

    assert (report["status"], rules(report["errors"])) == ("failed", ["CII-SR-464"])
    assert rules(report["warnings"]) == ["CII-SR-464"]


@pytest.mark.parametrize(
    "alone",
    [
        found("FX-NOT-USED", SUMMATION, source="facturx"),
        found("BR-CO-15", "/rsm:CrossIndustryInvoice[1]/ram:Summa[1]", source="facturx"),
        found("FX-SCH-A-000595", f"{SUMMATION}/ram:Other[1]", source="facturx"),
    ],
)
def test_finding_reported_only_by_factur_x_is_kept(alone: RawFinding) -> None:
    standard = found("BR-CO-15", SUMMATION), found("BR-CL-04", SUMMATION)

    assert alone.rule in rules(made(*standard, alone)["errors"])
    assert len(made(*standard, alone)["errors"]) == 3


@pytest.mark.parametrize(
    ("verdict", "status"),
    [(Verdict(()), "passed"), (Verdict((found("R"),)), "failed"), (Verdict(), "unavailable")],
)
def test_service_findings_are_merged_with_validator_findings(verdict: Verdict, status: str) -> None:
    untagged = found("PLT-UNTAGGED-CONTENT", "p > svg", severity="warning", count=3)

    made = conformance_report(
        [ConformanceCheck.pdfa("2b"), ConformanceCheck.pdfua()],
        [verdict, verdict],
        lambda _path: None,
        [untagged],
    )

    assert {part["status"] for part in made.values()} == {status}
    (reported,) = made["pdfua"]["warnings"]
    assert (reported["location"], reported["path"], reported["count"]) == ("p > svg", None, 3)
    assert made["pdfa"]["warnings"] == []


def test_usual_findings_are_complete_and_long_ones_are_shortened() -> None:
    usual = [found(f"BR-{n}", f"/rsm:CrossIndustryInvoice[1]/x[{n}]" * 4) for n in range(100)]
    long = [found(f"BR-{n}", f"/{n}" + "ä" * 3000) for n in range(100)]

    assert [row["location"] for row in made(*usual)["errors"]] == [each.location for each in usual]
    (alone,) = made(long[0])["errors"]
    assert alone["location"].endswith("ä…")
    assert 700 < len(alone["location"].encode()) <= 1003
    among = made(*long)["errors"]
    assert rules(among) == [each.rule for each in long]
    assert all(row["location"].endswith("ä…") for row in among)
    assert len(json.dumps(made(*long)).encode()) <= MAX_SECTION_BYTES


def test_report_has_at_most_100_findings_and_one_of_every_rule() -> None:
    report = made(*(found("BR-27", f"/line[{n}]") for n in range(500)), found("BR-CO-15", "/sum"))

    assert len(report["errors"]) == 100
    assert rules(report["errors"]) == ["BR-27"] * 99 + ["BR-CO-15"]


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "Metadata stream does not contain dc:title",
            "title. In HTML, give the page a <title>.",
        ),
        (
            "A form field neither has TU key nor its associated structure element has Alt.",
            "has Alt. In HTML, give the control a <label> or an aria-label.",
        ),
        ("Something else.", "Something else."),
    ],
)
def test_finding_of_a_pdf_says_what_to_do_in_html(message: str, told: str) -> None:
    finding = RawFinding("verapdf", "error", "ISO 14289-1:2014 7.1:9", message, "", 1)

    section = report_section(ConformanceCheck.pdfua(), Verdict((finding,), "veraPDF", None), None)

    assert section["errors"][0]["message"].endswith(told)
