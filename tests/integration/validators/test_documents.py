"""Hybrids of every level and the examples, judged by veraPDF and the official sheets."""

import io
import time
from collections.abc import Iterator
from typing import Any, Final

import pikepdf
import pypdf
import pytest

from chalicelib.engine.browser.lifecycle import Browser
from chalicelib.engine.conformance.judge import Judge
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.job import Canvas, Html, InvoiceOrder, Job, Outcome
from chalicelib.engine.options.output import Output
from chalicelib.engine.pipeline import Parts, run
from chalicelib.engine.templating.worker import TemplateWorker
from chalicelib.features.templates.model import Source
from chalicelib.features.templates.options import output_of
from infra.local.stored_examples import creation, data_of, stored_examples
from tests.builders.engine import NoOutside, no_uploads
from tests.builders.invoice_json import invoice_json
from tests.integration.validators.conftest import faults, rejected

PAGE: Final = Html(
    "<html lang=de><title>R</title><h1>{{ invoice.number }}</h1>"
    "<table><tr><th>{{ invoice.lines[0].item.name }}<td>{{ invoice.grand_total }}</table>",
    templating=True,
)


@pytest.fixture(scope="module")
def parts(browser: Browser) -> Iterator[Parts]:
    templates = TemplateWorker()
    yield Parts(browser, templates, NoOutside())
    templates.close()


def rendered(parts: Parts, source: Html | Canvas, output: dict[str, Any], **job: Any) -> Outcome:
    made = Output.from_json(output)
    return run(Job(source, made, time.time() + 60, no_uploads, **job), parts)


def hybrid(parts: Parts, profile: str, **pdf: Any) -> bytes:
    """Return a page with its invoice of this profile in it."""
    order = InvoiceOrder(profile, "cii", invoice_json(), None, "output.einvoice.invoice")
    return rendered(parts, PAGE, {"pdf": pdf}, einvoice=order).files[0].content


@pytest.mark.parametrize("name", PROFILES)
def test_a_hybrid_of_any_level_is_for_archives_and_for_everybody(
    parts: Parts, judge: Judge, name: str
) -> None:
    profile = PROFILES[name]

    made = hybrid(parts, name, pdfua=True)

    assert faults(judge, made, "3b", "ua1") == set()
    with pikepdf.open(io.BytesIO(made)) as document:
        (file,) = document.Root.AF
        packet = document.Root.Metadata.read_bytes().decode()
        assert str(file.AFRelationship) == "/" + profile.relationship
    for said in (profile.xmp_level, profile.file_name, profile.xmp_version, "INVOICE"):
        assert f">{said}</fx:" in packet
    ((filename, (xml,)),) = pypdf.PdfReader(io.BytesIO(made)).attachments.items()
    assert filename == profile.file_name
    assert rejected(judge, xml, name, "cii", "380") == []


def test_a_file_of_the_callers_never_takes_the_invoices_name(parts: Parts, judge: Judge) -> None:
    mine = {"filename": "Factur-X.xml", "content": "YQ=="}

    made = hybrid(parts, "BASIC", pdfa="3u", attachments=[mine])

    files = pypdf.PdfReader(io.BytesIO(made)).attachments
    assert sorted(files) == ["Factur-X-2.xml", "factur-x.xml"]
    assert files["Factur-X-2.xml"] == [b"a"]
    assert faults(judge, made, "3u") == set()


@pytest.mark.parametrize("example", stored_examples())
def test_an_example_can_be_archived_and_read_by_everybody(
    parts: Parts, judge: Judge, example: str
) -> None:
    body = creation(example)
    output = output_of(
        Source(content=body, options=body["options"]),
        {"format": "pdf", "pdf": {"pdfa": "2b", "pdfua": True}},
    )
    if body["type"] == "image_canvas":
        source: Html | Canvas = Canvas(body["scene"])
    else:
        source = Html(body["html"], templating=True, css=body["css"])

    (pdf,) = rendered(parts, source, output, data=data_of(example)).files

    assert faults(judge, pdf.content, "2b", "ua1") == set()
