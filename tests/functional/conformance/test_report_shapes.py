"""Reports and totals have the shapes of the published API description."""

from chalicelib.contract.meta import ProblemDetails
from chalicelib.contract.render.conformance_report import (
    ConformanceReport,
    InvoiceTotals,
    RenderResult,
)
from tests.builders.http import ApiAnswer
from tests.builders.invoices.hybrids import hybrid_pdf
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service
from tests.builders.validation_results import (
    INVALID_INVOICE,
    fake_validation,
    kill_validators,
    post_einvoice,
    raw_finding,
)


def test_reports_and_totals_match_the_published_schema(service: Service) -> None:
    fake_validation(service, raw_finding(), raw_finding("warning"))
    einvoice = {"profile": "EN16931", "invoice": invoice_json()}
    output = {"pdf": {"pdfa": "3a", "pdfua": True}, "einvoice": einvoice}

    for refused in (service.render(output=output), post_einvoice(service, invoice=INVALID_INVOICE)):
        assert ProblemDetails.model_validate(refused.json).result is not None

    kill_validators(service)
    made = post_einvoice(service).json
    RenderResult.model_validate(made["result"])
    InvoiceTotals.model_validate(made["invoice"])

    for content in (b"<a/>", hybrid_pdf()):
        ConformanceReport.model_validate(validate(service, content).json["conformance"])


def validate(service: Service, content: bytes) -> ApiAnswer:
    kind = "application/pdf" if content.startswith(b"%PDF") else "application/xml"
    headers = {"Content-Type": kind}
    return service.call("POST", "/v1/einvoices/validate", body=content, headers=headers)
