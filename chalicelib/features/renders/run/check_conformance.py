"""Conformance check of a render's files before delivery."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.deadline import Deadline, timeout_failure
from chalicelib.engine.job import RenderOutcome
from chalicelib.features.renders.model import Render

if TYPE_CHECKING:
    from chalicelib.core.ids import WorkspaceId
    from chalicelib.engine.conformance.checks import Validator

# Bounds the wait of a sync caller for a verdict.
_MAX_SYNC_S: Final = 25.0
# In this order: an invalid e-invoice also makes the PDF that carries it invalid.
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
# For PDF/UA that was checked although the document does not claim it.
_UNCLAIMED_UNAVAILABLE_CODE: Final = "accessibility_validation_unavailable"


class CheckConformance(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Check of files by the official validators (decision 23)."""

    validator: "Callable[[WorkspaceId], Validator]"

    def __call__(self, render: Render, outcome: RenderOutcome, deadline: Deadline) -> RenderOutcome:
        """Return the outcome with its conformance report, by the deadline.

        Raises `einvoice_validation_failed`, `pdfa_conversion_failed` or `pdfua_validation_failed`
        with the report, unless a check is for the report only, and `render_timeout` if the render
        is canceled. Without a verdict the file is delivered with a warning.
        """
        if not outcome.validation_requests:
            return outcome
        started = time.monotonic()
        report = self._conformance_report(render, outcome, deadline)
        if deadline.cancellation.done():
            raise timeout_failure()
        validate_ms = round((time.monotonic() - started) * 1000)
        checks = [check for each in outcome.validation_requests for check in each.checks]
        claimed = {check.subject for check in checks if check.claimed}
        decisive = claimed - {check.subject for check in checks if check.report_only}
        trace = replace(
            outcome.trace,
            warnings=(*outcome.trace.warnings, *_warnings(report, claimed)),
            timings={**outcome.trace.timings, "validate_ms": validate_ms},
        )
        result = {"conformance": report}
        for subject, code in _FAILURE_CODES.items():
            if subject in decisive and report[subject]["status"] == "failed":
                message = _failure_message(subject, report[subject])
                raise RenderFailure(code, message, result=result, trace=trace)
        return replace(outcome, trace=trace, result=result)

    def _conformance_report(
        self, render: Render, outcome: RenderOutcome, deadline: Deadline
    ) -> dict[str, Any]:
        # Imported late: few renders need it (decision 7).
        from chalicelib.engine.conformance.report import conformance_report  # noqa: PLC0415

        if render.mode == "sync":
            deadline = deadline.within(_MAX_SYNC_S)
        validator = self.validator(render.workspace_id)
        report: dict[str, Any] = {}
        for each in outcome.validation_requests:
            verdicts = validator.validate(
                each.content, each.checks, deadline, may_store=not render.zero_retention
            )
            to_json_path = each.field_paths.json_path if each.field_paths else None
            report |= conformance_report(
                each.checks, verdicts, to_json_path, each.own_findings, places=each.html_places
            )
        return report


def _warnings(report: Mapping[str, Any], claimed: Collection[str]) -> Iterator[RenderWarning]:
    for subject, part in report.items():
        if part["status"] == "unavailable":
            is_unclaimed = subject == "pdfua" and subject not in claimed
            code = _UNCLAIMED_UNAVAILABLE_CODE if is_unclaimed else _UNAVAILABLE_CODES[subject]
            message = (
                f"The {_SUBJECT_NAMES[subject]} was not validated: the validators gave no verdict."
            )
            yield RenderWarning(code, message)
        elif subject == "einvoice" and part["warnings"]:
            first = part["warnings"][0]
            message = f"The e-invoice has a warning: {_placed_message(first)}"
            yield RenderWarning("einvoice_validation_warning", message, first["rule"])


def _failure_message(subject: str, part: Mapping[str, Any]) -> str:
    first, more = part["errors"][0], len(part["errors"]) - 1
    return f"{_SUBJECT_NAMES[subject]}: {_placed_message(first)} ({first['rule']})" + (
        f", and {more} more" if more else ""
    )


def _placed_message(finding: Mapping[str, object]) -> str:
    """Return the message of a finding, after the caller's field if that is known."""
    path, message = str(finding["path"] or ""), str(finding["message"])
    return message if path in message else f"{path}: {message}"
