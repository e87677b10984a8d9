"""From what the validators told to the report that callers read (`result.conformance`)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from chalicelib.engine.conformance.bounds import MAX_FINDINGS, bounded
from chalicelib.engine.conformance.checks import Check, Raw, Verdict

# The JSON path that an XPath of the XML came from, where that is known.
type Trace = Callable[[str], str | None]

_FACTURX: Final = "facturx"
# Factur-X numbers its code-list rules anew; the standard names them by list.
_FACTURX_NUMBER: Final = "FX-SCH-A-"
_CODE_LIST: Final = "BR-CL-"
# CII needs this element even where nothing stands in it; KoSIT's sheets except it from the rule.
_NO_EMPTY_ELEMENTS: Final = "PEPPOL-EN16931-R008"
_NEEDED_ELEMENT: Final = "/ram:ApplicableHeaderTradeDelivery[1]"
# The document does not say that it is PDF/UA.
_UNCLAIMED: Final = "ISO 14289-1:2014 5:1"


def report(
    checks: Sequence[Check], verdicts: Sequence[Verdict], trace: Trace, remarks: Sequence[Raw] = ()
) -> dict[str, Any]:
    """Return the conformance report of the checks of one render, by subject.

    `remarks` are the service's own on accessibility.
    """
    own = {"pdfua": remarks}
    return {
        check.subject: section(check, verdict, trace, own.get(check.subject, ()))
        for check, verdict in zip(checks, verdicts, strict=True)
    }


def section(
    check: Check, verdict: Verdict, trace: Trace, remarks: Sequence[Raw] = ()
) -> dict[str, Any]:
    """Return one part of the report; errors alone make it `failed`."""
    findings = _once((*(verdict.findings or ()), *remarks))
    if not check.claimed:
        findings = [_unclaimed(found) for found in findings]
    errors = [found for found in findings if found.severity == "error"]
    warnings = [found for found in findings if found.severity != "error"]
    return bounded(
        {
            **_subject(check),
            "status": _status(verdict, errors),
            "validator": verdict.validator,
            **({"scenario": verdict.scenario} if check.subject == "einvoice" else {}),
            "errors": [_shown(found, trace) for found in _first(errors)],
            "warnings": [_shown(found, trace) for found in _first(warnings)],
        }
    )


def _subject(check: Check) -> dict[str, Any]:
    syntax = {} if check.syntax is None else {"syntax": check.syntax}
    return {"profile": check.profile, **syntax}


def _status(verdict: Verdict, errors: Sequence[Raw]) -> str:
    if verdict.findings is None:
        return "unavailable"
    return "failed" if errors else "passed"


def _once(findings: Iterable[Raw]) -> list[Raw]:
    """Merge what says the same of the same place; the standard's own words are kept."""
    merged: dict[tuple[str, str, str], Raw] = {}
    kept = list(findings)
    standard = [found for found in kept if found.source != _FACTURX]
    for found in kept:
        if found.source == _FACTURX and (
            _is_needed(found) or any(_tells(other, found) for other in standard)
        ):
            continue
        key = (found.severity, found.rule, found.location)
        known = merged.get(key)
        merged[key] = replace(known, count=known.count + found.count) if known else found
    return list(merged.values())


def _unclaimed(found: Raw) -> Raw:
    """Return a finding on a document that nobody asked to say what it is."""
    return replace(found, severity="warning") if found.rule == _UNCLAIMED else found


def _is_needed(facturx: Raw) -> bool:
    return facturx.rule == _NO_EMPTY_ELEMENTS and facturx.location.endswith(_NEEDED_ELEMENT)


def _tells(standard: Raw, facturx: Raw) -> bool:
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
        and standard.rule.startswith(_CODE_LIST)
        and facturx.rule.startswith(_FACTURX_NUMBER)
    )


def _first(findings: Sequence[Raw]) -> list[Raw]:
    """Return as many as a report holds: of each rule the first, before more of the same."""
    seen: dict[str, int] = {}
    turns = []
    for found in findings:
        seen[found.rule] = seen.get(found.rule, -1) + 1
        turns.append(min(seen[found.rule], 1))
    order = sorted(range(len(findings)), key=lambda number: turns[number])[:MAX_FINDINGS]
    return [findings[number] for number in sorted(order)]


def _shown(found: Raw, trace: Trace) -> dict[str, Any]:
    return {
        "rule": found.rule,
        "message": found.message,
        "location": found.location,
        "path": trace(found.location) if found.location else None,
        "count": found.count,
    }
