"""Have the files of a render judged before anybody gets them: the conformance report."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import replace
from typing import TYPE_CHECKING, Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.deadline import Deadline, timeout_failure
from chalicelib.engine.job import RenderOutcome, RenderWarning
from chalicelib.features.renders.model import Render

if TYPE_CHECKING:
    from chalicelib.engine.conformance.checks import Validator

# A sync caller waits no longer for a verdict.
_MAX_SYNC_S: Final = 25.0
# In this order: what is wrong with the invoice is wrong with the PDF that carries it.
_FAILURE_CODES: Final = {
    "einvoice": "einvoice_validation_failed",
    "pdfa": "pdfa_conversion_failed",
    "pdfua": "pdfua_validation_failed",
}
_SUBJECT_NAMES: Final = {"einvoice": "e-invoice", "pdfa": "PDF/A", "pdfua": "PDF/UA"}
_UNAVAILABLE_CODES: Final = {
    "einvoice": "einvoice_validation_unavailable",
    "pdfa": "pdfa_validation_unavailable",
    "pdfua": "pdfua_validation_unavailable",
}
# Of a document that does not claim to be what it was held to.
_UNCLAIMED_UNAVAILABLE_CODE: Final = "accessibility_validation_unavailable"


class CheckConformance:
    """Asks the validators, which are wanted when the first document needs them."""

    def __init__(self, validator: "Callable[[], Validator]") -> None:
        """Ask what this returns."""
        self._validator = validator

    def __call__(self, render: Render, outcome: RenderOutcome, deadline: Deadline) -> RenderOutcome:
        """Return the outcome with its report, at the deadline at the latest.

        Raises `einvoice_validation_failed`, `pdfa_conversion_failed` or `pdfua_validation_failed`
        with the report, `render_timeout` where nobody wants it any more. Without a verdict the
        file is delivered with a warning.
        """
        if not outcome.validation_requests:
            return outcome
        begun = time.monotonic()
        report = self._conformance_report(render, outcome, deadline)
        if deadline.cancellation.done():
            raise timeout_failure()
        spent = round((time.monotonic() - begun) * 1000)
        claimed = {
            check.subject
            for each in outcome.validation_requests
            for check in each.checks
            if check.claimed
        }
        trace = replace(
            outcome.trace,
            warnings=(*outcome.trace.warnings, *_warnings(report, claimed)),
            timings={**outcome.trace.timings, "validate_ms": spent},
        )
        result = {"conformance": report}
        for subject, code in _FAILURE_CODES.items():
            if subject in claimed and report[subject]["status"] == "failed":
                message = _failure_message(subject, report[subject])
                raise RenderFailure(code, message, result=result, trace=trace)
        return replace(outcome, trace=trace, result=result)

    def _conformance_report(
        self, render: Render, outcome: RenderOutcome, deadline: Deadline
    ) -> dict[str, Any]:
        # Few renders need them.
        from chalicelib.engine.conformance.report import conformance_report  # noqa: PLC0415

        if render.mode == "sync":
            deadline = deadline.within(_MAX_SYNC_S)
        validator = self._validator()
        told: dict[str, Any] = {}
        for each in outcome.validation_requests:
            verdicts = validator.validate(
                each.content, each.checks, deadline, may_store=not render.zero_retention
            )
            told |= conformance_report(each.checks, verdicts, each.to_json_path, each.own_findings)
        return told


def _warnings(report: Mapping[str, Any], claimed: Collection[str]) -> Iterator[RenderWarning]:
    for subject, part in report.items():
        if part["status"] == "unavailable":
            code = (
                _UNAVAILABLE_CODES[subject] if subject in claimed else _UNCLAIMED_UNAVAILABLE_CODE
            )
            message = (
                f"The {_SUBJECT_NAMES[subject]} was not validated: the validators gave no verdict."
            )
            yield RenderWarning(code, message)
        elif subject == "einvoice" and part["warnings"]:
            first = part["warnings"][0]
            message = f"The validators warn of the e-invoice: {first['message']}"
            yield RenderWarning("einvoice_validation_warning", message, first["rule"])


def _failure_message(subject: str, part: Mapping[str, Any]) -> str:
    first, more = part["errors"][0], len(part["errors"]) - 1
    return f"{_SUBJECT_NAMES[subject]}: {first['message']} ({first['rule']})" + (
        f", and {more} more" if more else ""
    )
