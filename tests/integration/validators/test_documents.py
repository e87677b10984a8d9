"""Hybrids of every profile and the examples, validated by veraPDF and the official sheets."""

import io
import time
from collections.abc import Iterator
from typing import Any, Final

import pikepdf
import pypdf
import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.job import CanvasScene, EInvoiceCommand, HtmlDocument, Job, RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_job
from chalicelib.engine.templating.worker import TemplateWorker
from chalicelib.features.templates.model import SourceBundle
from chalicelib.features.templates.options import merged_output
from infra.local.examples import example_data, stored_examples, template_body
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.pages.engine_jobs import RefusingEgress, no_uploads
from tests.integration.validators.conftest import faults, rejected

PAGE: Final = HtmlDocument(
    "<html lang=de><title>R</title><h1>{{ invoice.number }}</h1>"
    "<table><tr><th>{{ invoice.lines[0].item.name }}<td>{{ invoice.grand_total }}</table>",
    templating=True,
)


@pytest.fixture(scope="module")
def parts(browser: Browser) -> Iterator[PipelineServices]:
    templates = TemplateWorker()
    yield PipelineServices(browser, templates, RefusingEgress())
    templates.close()


def rendered(
    parts: PipelineServices, source: HtmlDocument | CanvasScene, output: dict[str, Any], **job: Any
) -> RenderOutcome:
    made = OutputOptions.from_json(output)
    return run_job(Job(source, made, time.time() + 60, no_uploads, **job), parts)


def hybrid(parts: PipelineServices, profile: str, **pdf: Any) -> bytes:
    """Return a PDF with its invoice of this profile embedded."""
    command = EInvoiceCommand(profile, "cii", invoice_json(), None, "output.einvoice.invoice")
    return rendered(parts, PAGE, {"pdf": pdf}, einvoice=command).files[0].content


@pytest.mark.parametrize("name", PROFILES)
def test_hybrid_of_every_profile_conforms_to_pdfa_and_pdfua(
    parts: PipelineServices, judge: LocalValidator, name: str
) -> None:
    profile = PROFILES[name]

    made = hybrid(parts, name, pdfua=True)

    assert faults(judge, made, "3b", "ua1") == set()
    with pikepdf.open(io.BytesIO(made)) as document:
        (file,) = document.Root.AF
        packet = document.Root.Metadata.read_bytes().decode()
        assert str(file.AFRelationship) == "/" + profile.af_relationship
    for value in (profile.xmp_level, profile.embedded_filename, profile.xmp_version, "INVOICE"):
        assert f">{value}</fx:" in packet
    ((filename, (xml,)),) = pypdf.PdfReader(io.BytesIO(made)).attachments.items()
    assert filename == profile.embedded_filename
    assert rejected(judge, xml, name, "cii", "380") == []


def test_attachment_of_the_caller_never_takes_the_name_of_the_invoice(
    parts: PipelineServices, judge: LocalValidator
) -> None:
    mine = {"filename": "Factur-X.xml", "content": "YQ=="}

    made = hybrid(parts, "BASIC", pdfa="3u", attachments=[mine])

    files = pypdf.PdfReader(io.BytesIO(made)).attachments
    assert sorted(files) == ["Factur-X-2.xml", "factur-x.xml"]
    assert files["Factur-X-2.xml"] == [b"a"]
    assert faults(judge, made, "3u") == set()


@pytest.mark.parametrize("example", stored_examples())
def test_examples_conform_to_pdfa_and_pdfua(
    parts: PipelineServices, judge: LocalValidator, example: str
) -> None:
    body = template_body(example)
    output = merged_output(
        SourceBundle(content=body, options=body["options"]),
        {"format": "pdf", "pdf": {"pdfa": "2b", "pdfua": True}},
    )
    if body["type"] == "image_canvas":
        source: HtmlDocument | CanvasScene = CanvasScene(body["scene"])
    else:
        source = HtmlDocument(body["html"], templating=True, css=body["css"])

    (pdf,) = rendered(parts, source, output, data=example_data(example)).files

    assert faults(judge, pdf.content, "2b", "ua1") == set()
