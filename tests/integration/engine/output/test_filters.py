"""Documents whose templates use filters: their visible text and their alternative texts."""

import io
from collections.abc import Iterator
from typing import Any

import pikepdf
import pypdf

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.pages.engine_jobs import RefusingEgress, task

INVOICE = """<!doctype html><html lang="{{ lang }}"><title>Filters</title>
<style>p{margin:6mm}</style>
<p>{{ "1234.5"|money("EUR") }} / {{ 0.19|percent }} / {{ "2026-11-22"|date("long") }}
/ {{ "2026-11-22T09:30Z"|datetime("short") }}</p>
<p>{{ url|qrcode("30mm") }} {{ sku|barcode("ean13") }} {{ url|qrcode(error_correction="H") }}</p>
<div>{{ "**Thanks** for *paying* [here](https://pay.example/1)"|markdown }}</div>
<address>{{ "Ada Lovelace\\n12 St James's Square"|nl2br }}</address>"""


def figures(node: Any) -> Iterator[str]:
    """Yield the alternative texts of a PDF's figures."""
    if isinstance(node, pikepdf.Array):
        for inner in node:
            yield from figures(inner)
    elif isinstance(node, pikepdf.Dictionary) and "/S" in node:
        if node.S == "/Figure":
            yield str(node.get("/Alt", ""))
        yield from figures(node.get("/K"))


def test_filters_use_the_document_language_and_codes_have_alternative_texts(
    browser: Browser, templates: TemplateWorker
) -> None:
    output = {
        "timezone": "Asia/Tokyo",
        "filename": "{{ 1234.5|money('EUR') }}",
    }
    data = {"lang": "de", "url": "https://pay.example/1", "sku": "4006381333931"}
    filter_job = task(INVOICE, output, templating=True, data=data)

    outcome = run_page_job(*filter_job, PipelineServices(browser, templates, RefusingEgress()))

    content = outcome.files[0].content
    text = pypdf.PdfReader(io.BytesIO(content)).pages[0].extract_text().replace("\u00a0", " ")
    for expected in (
        "1.234,50 €",
        "19 %",
        "22. November 2026",
        "22.11.26, 18:30",
        "Thanks for paying here",
    ):
        assert expected in text
    assert outcome.filename == "1.234,50\u00a0€"
    with pikepdf.open(io.BytesIO(content)) as document:
        named = list(figures(document.Root.StructTreeRoot.K))
    assert named == [data["url"], data["sku"], data["url"]]
