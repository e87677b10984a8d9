"""From what the validators told to the report that callers read (`result.conformance`)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from chalicelib.core import json
from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding, Verdict

# The JSON path that an XPath of the XML came from, where that is known.
type JsonPathMapper = Callable[[str], str | None]

_FACTURX_SOURCE: Final = "facturx"
# Factur-X numbers its code-list rules anew; the standard names them by list.
_FACTURX_CODE_LIST_PREFIX: Final = "FX-SCH-A-"
_CEN_CODE_LIST_PREFIX: Final = "BR-CL-"
# CII needs this element even where nothing stands in it; KoSIT's sheets except it from the rule.
_NO_EMPTY_ELEMENTS_RULE: Final = "PEPPOL-EN16931-R008"
_REQUIRED_EMPTY_ELEMENT: Final = "/ram:ApplicableHeaderTradeDelivery[1]"
# The document does not say that it is PDF/UA.
_PDFUA_IDENTIFICATION_RULE: Final = "ISO 14289-1:2014 5:1"


def conformance_report(
    checks: Sequence[ConformanceCheck],
    verdicts: Sequence[Verdict],
    to_json_path: JsonPathMapper,
    own_findings: Sequence[RawFinding] = (),
) -> dict[str, Any]:
    """Return the conformance report of the checks of one render, by subject.

    `remarks` are the service's own on accessibility.
    """
    own = {"pdfua": own_findings}
    return {
        check.subject: report_section(check, verdict, to_json_path, own.get(check.subject, ()))
        for check, verdict in zip(checks, verdicts, strict=True)
    }


def report_section(
    check: ConformanceCheck,
    verdict: Verdict,
    to_json_path: JsonPathMapper,
    own_findings: Sequence[RawFinding] = (),
) -> dict[str, Any]:
    """Return one part of the report; errors alone make it `failed`."""
    findings = _without_duplicates((*(verdict.findings or ()), *own_findings))
    if not check.claimed:
        findings = [_as_warning_if_unclaimed(found) for found in findings]
    errors = [found for found in findings if found.severity == "error"]
    warnings = [found for found in findings if found.severity != "error"]
    return fit_section(
        {
            **_profile_fields(check),
            "status": _status(verdict, errors),
            "validator": verdict.validator,
            **({"scenario": verdict.scenario} if check.subject == "einvoice" else {}),
            "errors": [_finding_json(found, to_json_path) for found in _first_of_each_rule(errors)],
            "warnings": [
                _finding_json(found, to_json_path) for found in _first_of_each_rule(warnings)
            ],
        }
    )


def _profile_fields(check: ConformanceCheck) -> dict[str, Any]:
    syntax = {} if check.syntax is None else {"syntax": check.syntax}
    return {"profile": check.profile, **syntax}


def _status(verdict: Verdict, errors: Sequence[RawFinding]) -> str:
    if verdict.findings is None:
        return "unavailable"
    return "failed" if errors else "passed"


def _without_duplicates(findings: Iterable[RawFinding]) -> list[RawFinding]:
    """Merge what says the same of the same place; the standard's own words are kept."""
    merged: dict[tuple[str, str, str], RawFinding] = {}
    kept = list(findings)
    standard = [found for found in kept if found.source != _FACTURX_SOURCE]
    for found in kept:
        if found.source == _FACTURX_SOURCE and (
            _is_required_empty_element(found)
            or any(_is_duplicate(other, found) for other in standard)
        ):
            continue
        key = (found.severity, found.rule, found.location)
        known = merged.get(key)
        merged[key] = replace(known, count=known.count + found.count) if known else found
    return list(merged.values())


def _as_warning_if_unclaimed(found: RawFinding) -> RawFinding:
    """Return a finding on a document that nobody asked to say what it is."""
    return replace(found, severity="warning") if found.rule == _PDFUA_IDENTIFICATION_RULE else found


def _is_required_empty_element(facturx: RawFinding) -> bool:
    return facturx.rule == _NO_EMPTY_ELEMENTS_RULE and facturx.location.endswith(
        _REQUIRED_EMPTY_ELEMENT
    )


def _is_duplicate(standard: RawFinding, facturx: RawFinding) -> bool:
    """Tell whether a finding of the standard's own sheets is that of Factur-X as well.

    An error never hides behind a warning.
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
    """Return as many as a report holds: of each rule the first, before more of the same."""
    seen: dict[str, int] = {}
    turns = []
    for found in findings:
        seen[found.rule] = seen.get(found.rule, -1) + 1
        turns.append(min(seen[found.rule], 1))
    order = sorted(range(len(findings)), key=lambda number: turns[number])[:MAX_FINDINGS]
    return [findings[number] for number in sorted(order)]


def _finding_json(found: RawFinding, to_json_path: JsonPathMapper) -> dict[str, Any]:
    return {
        "rule": found.rule,
        "message": found.message,
        "location": found.location,
        "path": to_json_path(found.location) if found.location else None,
        "count": found.count,
    }


MAX_FINDINGS: Final = 100
MAX_SECTION_BYTES: Final = 50_000
_MAX_TEXT_BYTES: Final = 1_000
_TEXT_FIELDS: Final = ("rule", "message", "location", "path")
_ELLIPSIS: Final = "…"


def fit_section(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return one part of a report, its texts cut as far as all of them must be to have room."""
    longest = _MAX_TEXT_BYTES
    while True:
        shown = {
            **section,
            "errors": [_truncate_finding(finding, longest) for finding in section["errors"]],
            "warnings": [_truncate_finding(finding, longest) for finding in section["warnings"]],
        }
        if _json_bytes(shown) <= MAX_SECTION_BYTES:
            return shown
        longest //= 2


def _truncate_finding(finding: Mapping[str, Any], max_bytes: int) -> dict[str, Any]:
    cut = {name: _truncate(finding[name], max_bytes) for name in _TEXT_FIELDS if finding[name]}
    return {**finding, **cut}


def _truncate(text: str, max_bytes: int) -> str:
    kept = text[:max_bytes]
    while _json_bytes(kept) > max_bytes:
        kept = kept[: len(kept) * 3 // 4]
    return kept if kept == text else kept + _ELLIPSIS


def _json_bytes(value: Any) -> int:
    return len(json.dumps(value).encode())
