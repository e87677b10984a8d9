"""Stored jobs of renders, read by another release than their writer."""

from copy import replace

import pytest

from chalicelib.contract.options.output import EInvoiceOptions, OutputOptions
from chalicelib.core import json
from chalicelib.core.json import JsonObject
from chalicelib.core.message_version import UnknownVersion
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
# The inputs of bodies of version 4, and the jobs that they are read as.
CONTENT = {"html": "<p>", "head": None, "css": "p{}", "templating": True}
DEFAULT = {"profile": "BASIC", "invoice": None, "invoice_path": "a.b", "syntax": "cii"}
INCLUDES = Includes({"tpl_2": "<p>"}, {"tpl_3": "gone"})
PREVIOUS: list[tuple[JsonObject, PageJob]] = [
    (
        {"type": "html", "html": None, "upload_id": "upl_1", "head": "<x>", "templating": False},
        PageJob(HtmlSource(upload_id="upl_1", head="<x>"), OUTPUT, {"n": 1}),
    ),
    (
        {"type": "url", "url": "https://example.com"},
        PageJob(UrlSource("https://example.com"), OUTPUT, {"n": 1}),
    ),
    (
        {"type": "template", "template_id": "tpl_1", **CONTENT}
        | {"schema": {"type": "object"}, "einvoice": DEFAULT | {"left_out": "no_pdf"}},
        PageJob(
            TemplateSource("tpl_1", HtmlSource(html="<p>", css="p{}", templating=True)),
            OUTPUT,
            {"n": 1},
            schema={"type": "object"},
            einvoice_default=EInvoiceDefault(EInvoiceOptions.from_json(DEFAULT), "no_pdf"),
        ),
    ),
    (
        {"type": "template", "template_id": "tpl_1", "scene": {"layers": []}, "templating": True},
        PageJob(TemplateSource("tpl_1", CanvasSource({"layers": []})), OUTPUT, {"n": 1}),
    ),
]


@pytest.mark.parametrize("job", JOBS)
def test_job_comes_back_from_its_json(job: Job) -> None:
    assert job_from_json(json.loads_own(json.dumps(job_to_json(job)))) == job


@pytest.mark.parametrize(("given", "job"), PREVIOUS)
def test_page_that_the_previous_release_queued_is_read(given: JsonObject, job: PageJob) -> None:
    read = job_from_json(previous_body(given, OUTPUT, {"n": 1}))

    assert read == replace(job, includes=INCLUDES)


def test_invoice_that_the_previous_release_queued_is_read() -> None:
    given: JsonObject = {
        "type": "einvoice",
        "profile": "XRECHNUNG",
        "syntax": "ubl",
        "invoice": {"number": ""},
    }

    read = job_from_json(previous_body(given, OutputOptions(filename="a"), None))

    assert read == InvoiceJob("XRECHNUNG", "ubl", {"number": ""}, "a")


@pytest.mark.parametrize("version", [3, 6])
def test_job_of_another_release_is_not_read(version: int) -> None:
    with pytest.raises(UnknownVersion):
        job_from_json(job_to_json(JOBS[0]) | {"v": version})


def previous_body(given: JsonObject, output: OutputOptions, data: JsonObject | None) -> JsonObject:
    """Return a body as version 4 wrote it."""
    content: JsonObject = {
        "v": 4,
        "input": given,
        "data": data,
        "data_url": None,
        "output": output.to_json(),
        "includes": INCLUDES.to_json(),
    }
    body: JsonObject = json.loads_own(json.dumps(content))
    return body
