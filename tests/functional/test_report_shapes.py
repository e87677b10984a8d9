"""Reports and totals have the shapes that the description of the API tells."""

from chalicelib.contract.meta import ProblemDetails
from chalicelib.contract.reports import ConformanceReport, InvoiceTotals, RenderResult
from tests.builders.http import Answer
from tests.builders.hybrids import hybrid
from tests.builders.invoice_json import invoice_json
from tests.builders.service import Service
from tests.builders.verdicts import BROKEN, finding, judging, post_einvoice, silent


def test_reports_and_totals_are_as_described(service: Service) -> None:
    judging(service, finding(), finding("warning"))
    einvoice = {"profile": "EN16931", "invoice": invoice_json()}
    output = {"pdf": {"pdfa": "3a", "pdfua": True}, "einvoice": einvoice}

    for refused in (service.render(output=output), post_einvoice(service, invoice=BROKEN)):
        assert ProblemDetails.model_validate(refused.json).result is not None

    silent(service)
    made = post_einvoice(service).json
    RenderResult.model_validate(made["result"])
    InvoiceTotals.model_validate(made["invoice"])

    for content in (b"<a/>", hybrid()):
        ConformanceReport.model_validate(examined(service, content).json["conformance"])


def examined(service: Service, content: bytes) -> Answer:
    kind = "application/pdf" if content.startswith(b"%PDF") else "application/xml"
    headers = {"Content-Type": kind}
    return service.call("POST", "/v1/einvoices/validate", body=content, headers=headers)
