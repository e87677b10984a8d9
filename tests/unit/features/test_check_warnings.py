"""Warnings that fail a render: those that its request names."""

import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf_tools import CompressOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.engine.context import RenderTrace, RenderWarning
from chalicelib.engine.job import InvoiceJob, Job, PageJob, PdfToolJob, RenderOutcome
from chalicelib.engine.sources import HtmlSource
from chalicelib.features.renders.run.check_outcome import check_warnings

WARNINGS = (
    RenderWarning("slow_asset", "It took 3 s.", "https://example.com/a.png"),
    RenderWarning("asset_failed", "It did not come.", "https://example.com/" + "b" * 5000),
)
OUTCOME = RenderOutcome((), RenderTrace(WARNINGS, timings={"load_ms": 5}), is_cold_start=False)


def page(output: JsonObject) -> Job:
    return PageJob(HtmlSource(html="x"), OutputOptions.from_json(output))


@pytest.mark.parametrize(
    "job",
    [
        page({"fail_on": ["content_clipped", "asset_failed"]}),
        InvoiceJob("EN16931", "cii", {}, fail_on=("asset_failed",)),
        PdfToolJob(CompressOptions(), (), 9, fail_on=("asset_failed",)),
    ],
)
def test_named_warning_fails_the_render_with_its_place(job: Job) -> None:
    with pytest.raises(RenderFailure) as failure:
        check_warnings(job, OUTCOME)

    assert failure.value.code == "render_failed"
    assert failure.value.detail.startswith(
        "asset_failed, which fail_on names: It did not come. (https://example.com/bbb"
    )
    assert len(failure.value.detail) < 400
    # The trace stays: the caller sees all warnings.
    assert failure.value.members["trace"] == OUTCOME.trace


@pytest.mark.parametrize("output", [{}, {"fail_on": []}, {"fail_on": ["content_clipped"]}])
def test_other_warnings_fail_nothing(output: JsonObject) -> None:
    check_warnings(page(output), OUTCOME)
