"""Conformance report for callers (`result.conformance`), made from verdicts of the validators."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding, Verdict
from chalicelib.engine.conformance.html_places import HtmlPlaces
from chalicelib.engine.report_section import (
    ProfileFields,
    ReportFinding,
    ReportSection,
    ScenarioField,
    fit_section,
)

# Maps an XPath of the XML to the JSON path of the caller's field, if it is known.
type JsonPathMapper = Callable[[str], str | None]

MAX_FINDINGS: Final = 100
_PDFUA: Final = "PDF/UA-1"
_FACTURX_SOURCE: Final = "facturx"
# Factur-X numbers its code list rules; EN 16931 names them after the list.
_FACTURX_CODE_LIST_PREFIX: Final = "FX-SCH-A-"
_CEN_CODE_LIST_PREFIX: Final = "BR-CL-"
# The sheets name the element of a wrong code, also where one of its attributes holds the code.
_CODE_ATTRIBUTES: Final = {
    **dict.fromkeys(("BR-CL-07", "BR-CL-10", "BR-CL-11", "BR-CL-21"), "schemeID"),
    **dict.fromkeys(("BR-CL-25", "BR-CL-26"), "schemeID"),
    "BR-CL-13": "listID",
    "BR-CL-23": "unitCode",
}
_NAMED_ATTRIBUTE: Final = re.compile(r"^(?:\[[^\]]*\])?[^']{0,20}'@(\w+)'")
# The CII schema requires this element even if it is empty. KoSIT's sheets exempt it from the rule,
# those of Factur-X do not.
_NO_EMPTY_ELEMENTS_RULE: Final = "PEPPOL-EN16931-R008"
_REQUIRED_EMPTY_ELEMENT: Final = "/ram:ApplicableHeaderTradeDelivery[1]"
# The rules that the metadata must identify the document as PDF/UA or PDF/A.
_IDENTIFICATION_RULES: Final = ("ISO 14289-1:2014 5:", "ISO 19005-2:2011 6.6.4:")
# What to do in HTML, by what veraPDF says of the PDF.
_REMEDIES: Final = {
    "A form field neither has TU key": "In HTML, give the control a <label> or an aria-label.",
    "Metadata stream does not contain dc:title": "In HTML, give the page a <title>.",
}


def conformance_report(
    checks: Sequence[ConformanceCheck],
    verdicts: Sequence[Verdict],
    to_json_path: JsonPathMapper | None,
    own_findings: Sequence[RawFinding] = (),
    *,
    places: HtmlPlaces | None = None,
) -> dict[str, ReportSection]:
    """Return the conformance report of one render, by subject.

    `own_findings` are the service's about the last check, `places` those of findings on a page.
    """
    if places is not None:
        verdicts = [_with_places(verdict, places) for verdict in verdicts]
    own: dict[str, Sequence[RawFinding]] = {checks[-1].subject: own_findings}
    return {
        check.subject: report_section(check, verdict, to_json_path, own.get(check.subject, ()))
        for check, verdict in zip(checks, verdicts, strict=True)
    }


def _with_places(verdict: Verdict, places: HtmlPlaces) -> Verdict:
    if verdict.findings is None:
        return verdict
    placed = (
        replace(each, message=places.with_place(each.message, each.location))
        for each in verdict.findings
    )
    return replace(verdict, findings=tuple(placed))


def report_section(
    check: ConformanceCheck,
    verdict: Verdict,
    to_json_path: JsonPathMapper | None,
    own_findings: Sequence[RawFinding] = (),
) -> ReportSection:
    """Return one section of the report; only errors make it `failed`."""
    findings = _without_duplicates((*(verdict.findings or ()), *own_findings))
    if not check.claimed:
        findings = [_as_warning_if_unclaimed(finding) for finding in findings]
    errors = [finding for finding in findings if finding.severity == "error"]
    warnings = [finding for finding in findings if finding.severity != "error"]
    scenario: ScenarioField = {"scenario": verdict.scenario} if check.subject == "einvoice" else {}
    return fit_section(
        {
            **_profile_fields(check),
            "status": _status(verdict, errors),
            "validator": verdict.validator,
            **scenario,
            "errors": [
                _finding_json(finding, to_json_path) for finding in _first_of_each_rule(errors)
            ],
            "warnings": [
                _finding_json(finding, to_json_path) for finding in _first_of_each_rule(warnings)
            ],
        }
    )


def _profile_fields(check: ConformanceCheck) -> ProfileFields:
    if check.subject == "pdfa":
        return {"level": check.profile}
    if check.subject == "pdfua":
        return {"standard": _PDFUA}
    return {"profile": check.profile, "syntax": check.syntax}


def _status(verdict: Verdict, errors: Sequence[RawFinding]) -> str:
    if verdict.findings is None:
        return "unavailable"
    return "failed" if errors else "passed"


def _without_duplicates(findings: Iterable[RawFinding]) -> list[RawFinding]:
    """Merge equal findings; of the same finding in two sheets keep that of the standard."""
    merged: dict[tuple[str, str, str], RawFinding] = {}
    ordered = list(findings)
    standard = [finding for finding in ordered if finding.source != _FACTURX_SOURCE]
    for finding in ordered:
        if finding.source == _FACTURX_SOURCE and (
            _is_required_empty_element(finding)
            or any(_is_duplicate(other, finding) for other in standard)
        ):
            continue
        key = (finding.severity, finding.rule, finding.location)
        known = merged.get(key)
        merged[key] = replace(known, count=known.count + finding.count) if known else finding
    return list(merged.values())


def _as_warning_if_unclaimed(finding: RawFinding) -> RawFinding:
    """Return a finding on a document that need not claim the standard: without claim, a warning."""
    return (
        replace(finding, severity="warning")
        if finding.rule.startswith(_IDENTIFICATION_RULES)
        else finding
    )


def _is_required_empty_element(facturx: RawFinding) -> bool:
    return facturx.rule == _NO_EMPTY_ELEMENTS_RULE and facturx.location.endswith(
        _REQUIRED_EMPTY_ELEMENT
    )


def _is_duplicate(standard: RawFinding, facturx: RawFinding) -> bool:
    """Tell whether a finding of the standard's sheet repeats one of Factur-X.

    An error is no duplicate of a mere warning, so that no error is lost.
    """
    if standard.severity not in ("error", facturx.severity):
        return False
    if standard.rule == facturx.rule:
        longer, shorter = sorted((standard.location, facturx.location), key=len, reverse=True)
        return longer == shorter or longer.startswith(f"{shorter}/")
    return (
        standard.location == facturx.location
        and standard.rule.startswith(_CEN_CODE_LIST_PREFIX)
        and facturx.rule.startswith(_FACTURX_CODE_LIST_PREFIX)
    )


def _first_of_each_rule(findings: Sequence[RawFinding]) -> list[RawFinding]:
    """Return at most MAX_FINDINGS, in their order; repetitions of a rule are dropped first."""
    seen: dict[str, int] = {}
    priorities = []
    for finding in findings:
        seen[finding.rule] = seen.get(finding.rule, -1) + 1
        priorities.append(min(seen[finding.rule], 1))
    selected = sorted(range(len(findings)), key=lambda number: priorities[number])[:MAX_FINDINGS]
    return [findings[number] for number in sorted(selected)]


def _code_location(finding: RawFinding) -> str:
    """Return the location of the code's holder, for a finding about a code list."""
    location = finding.location
    attribute = _CODE_ATTRIBUTES.get(finding.rule)
    if attribute is None and finding.rule.startswith(_FACTURX_CODE_LIST_PREFIX):
        named = _NAMED_ATTRIBUTE.match(finding.message)
        attribute = named[1] if named else None
    return location if attribute is None or "/@" in location else f"{location}/@{attribute}"


def _finding_json(finding: RawFinding, to_json_path: JsonPathMapper | None) -> ReportFinding:
    path = to_json_path(_code_location(finding)) if finding.location and to_json_path else None
    return {
        "rule": finding.rule,
        "message": _with_remedy(finding.message),
        "location": finding.location,
        "path": path,
        "count": finding.count,
    }


def _with_remedy(message: str) -> str:
    remedies = (text for start, text in _REMEDIES.items() if message.startswith(start))
    remedy = next(remedies, None)
    return message if remedy is None else f"{message.rstrip('. ')}. {remedy}"
