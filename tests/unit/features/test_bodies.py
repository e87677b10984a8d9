"""Stored jobs of renders, read by another release than their writer."""

import pytest

from chalicelib.adapters.aws.messages import UnknownVersion
from chalicelib.contract.options.output import EInvoiceOptions, OutputOptions
from chalicelib.core import json
from chalicelib.engine.job import EInvoiceDefault, InvoiceJob, Job, PageJob
from chalicelib.engine.sources import CanvasSource, HtmlSource, TemplateSource, UrlSource
from chalicelib.engine.templating.includes import Includes
from chalicelib.features.renders.run.jobs import job_from_json, job_to_json

OUTPUT = OutputOptions.from_json(
    {
        "formats": ["pdf", "xml"],
        "einvoice": {"profile": "EN16931", "invoice": {"number": "1"}},
        "pdf": {"header": {"enabled": True, "left": "a"}, "margin": {"top": "0"}},
        "http": {"headers": {"X-A": "b"}, "cookies": [{"name": "a", "value": "b"}]},
    }
)
JOBS: list[Job] = [
    PageJob(HtmlSource(html="<p>"), OUTPUT, data={"n": 1, "big": 10**30}),
    PageJob(UrlSource("https://example.com"), data_url="https://example.com/data"),
    PageJob(
        TemplateSource("tpl_1", HtmlSource(html="", head="<x>", css="p{}", templating=True)),
        schema={"type": "object"},
        includes=Includes({"tpl_2": "<p>"}, {"tpl_3": "gone"}),
        einvoice_default=EInvoiceDefault(
            EInvoiceOptions(profile="BASIC", invoice_path="a.b"), "plan"
        ),
    ),
    PageJob(TemplateSource("tpl_1", CanvasSource({"layers": [{"x": 1.5}]}))),
    InvoiceJob("XRECHNUNG", "ubl", {"number": "1", "lines": []}, "a"),
]


@pytest.mark.parametrize("job", JOBS)
def test_job_comes_back_from_its_json(job: Job) -> None:
    assert job_from_json(json.loads_own(json.dumps(job_to_json(job)))) == job


def test_job_of_a_later_release_is_not_read() -> None:
    with pytest.raises(UnknownVersion):
        job_from_json(job_to_json(JOBS[0]) | {"v": 6})
