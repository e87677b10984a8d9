"""Have the files of a render judged before anybody gets them: the conformance report."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import replace
from typing import TYPE_CHECKING, Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.deadline import Deadline, out_of_time
from chalicelib.engine.job import Outcome, RenderWarning
from chalicelib.features.renders.model import Render

if TYPE_CHECKING:
    from chalicelib.engine.conformance.checks import Validator

# A sync caller waits no longer for a verdict.
_SYNC_S: Final = 25.0
# In this order: what is wrong with the invoice is wrong with the PDF that carries it.
_CODES: Final = {
    "einvoice": "einvoice_validation_failed",
    "pdfa": "pdfa_conversion_failed",
    "pdfua": "pdfua_validation_failed",
}
_NAMES: Final = {"einvoice": "e-invoice", "pdfa": "PDF/A", "pdfua": "PDF/UA"}
_UNAVAILABLE: Final = {
    "einvoice": "einvoice_validation_unavailable",
    "pdfa": "pdfa_validation_unavailable",
    "pdfua": "pdfua_validation_unavailable",
}
# Of a document that does not claim to be what it was held to.
_REPORT_UNAVAILABLE: Final = "accessibility_validation_unavailable"


class ConformRender:
    """Asks the validators, which are wanted when the first document needs them."""

    def __init__(self, validator: "Callable[[], Validator]") -> None:
        """Ask what this returns."""
        self._validator = validator

    def __call__(self, render: Render, outcome: Outcome, deadline: Deadline) -> Outcome:
        """Return the outcome with its report, at the deadline at the latest.

        Raises `einvoice_validation_failed`, `pdfa_conversion_failed` or `pdfua_validation_failed`
        with the report, `render_timeout` where nobody wants it any more. Without a verdict the
        file is delivered with a warning.
        """
        if not outcome.to_judge:
            return outcome
        begun = time.monotonic()
        report = self._judged(render, outcome, deadline)
        if deadline.stopped.done():
            raise out_of_time()
        spent = round((time.monotonic() - begun) * 1000)
        claimed = {
            check.subject for each in outcome.to_judge for check in each.checks if check.claimed
        }
        trace = replace(
            outcome.trace,
            warnings=(*outcome.trace.warnings, *_warnings(report, claimed)),
            timings={**outcome.trace.timings, "validate_ms": spent},
        )
        result = {"conformance": report}
        for subject, code in _CODES.items():
            if subject in claimed and report[subject]["status"] == "failed":
                message = _told(subject, report[subject])
                raise RenderFailure(code, message, result=result, trace=trace)
        return replace(outcome, trace=trace, result=result)

    def _judged(self, render: Render, outcome: Outcome, deadline: Deadline) -> dict[str, Any]:
        # Few renders need them.
        from chalicelib.engine.conformance.report import report  # noqa: PLC0415

        if render.mode == "sync":
            deadline = deadline.sooner(_SYNC_S)
        validator = self._validator()
        told: dict[str, Any] = {}
        for each in outcome.to_judge:
            verdicts = validator.judge(
                each.content, each.checks, deadline, keep=not render.zero_retention
            )
            told |= report(each.checks, verdicts, each.trace, each.remarks)
        return told


def _warnings(report: Mapping[str, Any], claimed: Collection[str]) -> Iterator[RenderWarning]:
    for subject, part in report.items():
        if part["status"] == "unavailable":
            code = _UNAVAILABLE[subject] if subject in claimed else _REPORT_UNAVAILABLE
            message = f"The {_NAMES[subject]} was not validated: the validators gave no verdict."
            yield RenderWarning(code, message)
        elif subject == "einvoice" and part["warnings"]:
            first = part["warnings"][0]
            message = f"The validators warn of the e-invoice: {first['message']}"
            yield RenderWarning("einvoice_validation_warning", message, first["rule"])


def _told(subject: str, part: Mapping[str, Any]) -> str:
    first, more = part["errors"][0], len(part["errors"]) - 1
    return f"{_NAMES[subject]}: {first['message']} ({first['rule']})" + (
        f", and {more} more" if more else ""
    )
