"""Checks that decide on a render, and checks that only report."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast, override

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.conformance.checks import (
    ConformanceCheck,
    NoValidator,
    RawFinding,
    ValidationRequest,
    Verdict,
)
from chalicelib.engine.context import RenderTrace
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.job import RenderOutcome
from chalicelib.features.renders.run.check_conformance import CheckConformance
from tests.builders.waiting import PATIENCE_S

if TYPE_CHECKING:
    from chalicelib.features.renders.model import Render

ERROR = RawFinding("verapdf", "error", "ISO 19005-2:2011 6.1.3:1", "no id", "", 1)
UNCLAIMED = RawFinding("verapdf", "error", "ISO 19005-2:2011 6.6.4:1", "no claim", "", 1)
OWN = RawFinding("platen", "warning", "PLT-PROFILE", "no rules", "", 1)


class FixedValidator(NoValidator):
    def __init__(self, *findings: RawFinding) -> None:
        self._findings = findings

    @override
    def validate(
        self,
        content: bytes,
        checks: Sequence[ConformanceCheck],
        deadline: Deadline,
        *,
        may_store: bool = True,
    ) -> Sequence[Verdict]:
        return [Verdict(self._findings) for _ in checks]


def judged(validator: NoValidator, *requests: ValidationRequest) -> RenderOutcome:
    render = cast("Render", SimpleNamespace(mode="sync", workspace_id="w", zero_retention=False))
    outcome = RenderOutcome((), RenderTrace(), is_cold_start=False, validation_requests=requests)
    return CheckConformance(validator=lambda _workspace: validator)(
        render, outcome, Deadline.after(PATIENCE_S)
    )


def section(outcome: RenderOutcome) -> Any:
    return cast("Any", outcome.result)["conformance"]["pdfa"]


def check(*, claimed: bool = True, report_only: bool = True) -> ConformanceCheck:
    return ConformanceCheck("pdfa", "2b", "pdf-2b", claimed, report_only)


@pytest.mark.parametrize("claimed", [True, False])
def test_check_that_only_reports_fails_no_render(claimed: bool) -> None:  # noqa: FBT001
    outcome = judged(FixedValidator(ERROR), ValidationRequest(b"", (check(claimed=claimed),)))

    assert section(outcome)["status"] == "failed"


def test_check_of_a_file_that_was_made_fails_the_render() -> None:
    with pytest.raises(RenderFailure, match="PDF/A: no id") as failure:
        judged(FixedValidator(ERROR), ValidationRequest(b"", (check(report_only=False),)))

    assert failure.value.code == "pdfa_conversion_failed"


def test_claim_that_nobody_made_is_a_warning() -> None:
    request = ValidationRequest(b"", (check(claimed=False),), own_findings=(OWN,))

    outcome = judged(FixedValidator(UNCLAIMED), request)

    assert section(outcome)["status"] == "passed"
    assert [found["rule"] for found in section(outcome)["warnings"]] == [UNCLAIMED.rule, OWN.rule]


@pytest.mark.parametrize("claimed", [True, False])
def test_missing_verdict_is_a_warning_about_pdfa(claimed: bool) -> None:  # noqa: FBT001
    outcome = judged(NoValidator(), ValidationRequest(b"", (check(claimed=claimed),)))

    codes = [warning.code for warning in outcome.trace.warnings]
    assert codes == ["pdfa_validation_unavailable"]
