"""Hybrid invoices through the whole pipeline: page and XML agree."""

import io
import zipfile
from typing import Any

import pikepdf
import pypdf
import pytest
from lxml import etree

from chalicelib.contract.options.output import EInvoiceOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import EInvoiceDefault, RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.pages.engine_jobs import RefusingEgress, task

PAGE = (
    "<html lang=de><title>R</title><h1>{{ invoice.number }}</h1>"
    "<p>Total {{ invoice.grand_total }}; {{ invoice.lines[0].net_amount }}"
)


@pytest.fixture
def made(browser: Browser, templates: TemplateWorker) -> Any:
    def made(
        invoice: Any, *, written: bool = True, test: bool = False, **output: Any
    ) -> RenderOutcome:
        options = {"profile": "EN16931", "invoice_path": "order.invoice"}
        default = EInvoiceDefault(EInvoiceOptions.from_json(options), "plan")
        hybrid = task(
            PAGE,
            output | {"einvoice": options} if written else output,
            templating=True,
            seconds=30,
            data={"order": {"invoice": invoice}},
            test=test,
            einvoice_default=None if written else default,
        )
        return run_page_job(*hybrid, PipelineServices(browser, templates, RefusingEgress()))

    return made


def total_in(xml: bytes) -> str:
    (total,) = etree.fromstring(xml).iter("{*}GrandTotalAmount")
    return total.text or ""


def test_page_xml_and_totals_come_from_one_invoice(made: Any) -> None:
    outcome = made(invoice_json(), formats=["xml", "pdf"], test=True)

    xml, pdf = outcome.files
    assert (xml.format, pdf.format) == ("xml", "pdf")
    with pikepdf.open(io.BytesIO(pdf.content)) as document:
        assert list(document.attachments) == ["factur-x.xml"]
        assert document.attachments["factur-x.xml"].get_file().read_bytes() == xml.content
        assert document.open_metadata()["pdfaid:part"] == "3"
    text = pypdf.PdfReader(io.BytesIO(pdf.content)).pages[0].extract_text()
    assert total_in(xml.content) == outcome.invoice_totals["grand_total"] == "214.16"
    assert "Total 214.16; 59.97" in text
    assert b"TEST" in xml.content
    kinds = [[check.kind for check in each.checks] for each in outcome.validation_requests]
    assert kinds == [["cii-EN16931"], ["pdf-3b"]]
    assert [each.content for each in outcome.validation_requests] == [xml.content, pdf.content]


def test_xml_alone_needs_no_page(made: Any) -> None:
    outcome = made(invoice_json(), format="xml")

    (xml,) = outcome.files
    assert (xml.format, xml.content_type) == ("xml", "application/xml")
    assert total_in(xml.content) == "214.16"
    assert set(outcome.trace.timings) == {"template_ms", "finish_ms"}
    (request,) = outcome.validation_requests
    assert request.content == xml.content


def test_zip_holds_pdf_and_xml(made: Any) -> None:
    (packed,) = made(invoice_json(), format="zip", formats=["pdf", "xml"], filename="R").files
    assert zipfile.ZipFile(io.BytesIO(packed.content)).namelist() == ["R.pdf", "R.xml"]


def test_invalid_invoice_fails_with_the_path_in_the_data(made: Any) -> None:
    for invoice in (invoice_json({"lines[1].vat": {"category": "E", "rate": 0}}), None, "x"):
        with pytest.raises(RenderFailure) as caught:
            made(invoice)
        assert caught.value.code == "einvoice_invalid"
        report = caught.value.members["result"]["conformance"]["einvoice"]
        assert report["errors"][0]["path"].startswith("data.order.invoice")


def test_einvoice_skipped_by_plan_still_has_its_totals(made: Any) -> None:
    outcome = made(invoice_json(), written=False)
    assert outcome.invoice_totals["grand_total"] == "214.16"
    assert [warning.code for warning in outcome.trace.warnings] == ["einvoice_skipped_plan"]
    with pikepdf.open(io.BytesIO(outcome.files[0].content)) as document:
        assert not list(document.attachments)

    outcome = made({}, written=False)
    assert outcome.invoice_totals is None
    codes = [warning.code for warning in outcome.trace.warnings]
    assert codes == ["einvoice_skipped_plan", "invoice_totals_unavailable", "undefined_value"]
