"""Hybrids of every profile and the examples, validated by veraPDF and the official sheets."""

import io
from collections.abc import Iterator
from typing import Any, Final

import pikepdf
import pypdf
import pytest

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.conformance.document_claims import read_pdf_claims
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from chalicelib.engine.sources import CanvasSource, HtmlSource, Source
from chalicelib.engine.templating.worker import TemplateWorker
from chalicelib.features.templates.model import SourceBundle
from chalicelib.features.templates.options import merged_output
from infra.local.examples import example_data, example_names, template_body
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.pages.engine_jobs import RefusingEgress, task
from tests.integration.validators.conftest import faults, rejected

PAGE: Final = HtmlSource(
    html="<html lang=de><title>R</title><h1>{{ invoice.number }}</h1>"
    "<table><tr><th>{{ invoice.lines[0].item.name }}<td>{{ invoice.grand_total }}</table>",
    templating=True,
)


@pytest.fixture(scope="module")
def parts(browser: Browser) -> Iterator[PipelineServices]:
    templates = TemplateWorker()
    yield PipelineServices(browser, templates, RefusingEgress())
    templates.close()


def rendered(
    parts: PipelineServices, source: Source, output: dict[str, Any], **more: Any
) -> RenderOutcome:
    return run_page_job(*task(output=output, source=source, seconds=60, **more), parts)


def hybrid(parts: PipelineServices, profile: str, **pdf: Any) -> bytes:
    """Return a PDF with its invoice of this profile embedded."""
    einvoice = {"profile": profile, "invoice": invoice_json()}
    return rendered(parts, PAGE, {"pdf": pdf, "einvoice": einvoice}).files[0].content


@pytest.mark.parametrize("name", [each for each in PROFILES if each != "PEPPOL"])
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
    assert read_pdf_claims(made).contradictions == ()


def test_attachment_of_the_caller_never_takes_the_name_of_the_invoice(
    parts: PipelineServices, judge: LocalValidator
) -> None:
    mine = {"filename": "Factur-X.xml", "content": "YQ=="}

    made = hybrid(parts, "BASIC", pdfa="3u", attachments=[mine])

    files = pypdf.PdfReader(io.BytesIO(made)).attachments
    assert sorted(files) == ["Factur-X-2.xml", "factur-x.xml"]
    assert files["Factur-X-2.xml"] == [b"a"]
    assert faults(judge, made, "3u") == set()


@pytest.mark.parametrize("example", example_names())
def test_examples_conform_to_pdfa_and_pdfua(
    parts: PipelineServices, judge: LocalValidator, example: str
) -> None:
    body = template_body(example)
    # A PDF with an e-invoice is PDF/A-3.
    flavour = "3b" if "einvoice" in body["options"] else "2b"
    output = merged_output(
        SourceBundle(content=body, options=body["options"]),
        {"format": "pdf", "pdf": {"pdfa": flavour, "pdfua": True}},
    )
    if body["type"] == "image_canvas":
        source: Source = CanvasSource(body["scene"])
    else:
        source = HtmlSource(html=body["html"], templating=True, css=body["css"])

    (pdf,) = rendered(parts, source, output, data=example_data(example)).files

    assert faults(judge, pdf.content, flavour, "ua1") == set()
