"""Fake results of the validators, and the requests that provoke their codes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from pikepdf import Encryption

from chalicelib.adapters.aws.remote_validator import MAX_INLINE_BYTES
from chalicelib.engine.conformance.checks import RawFinding, Verdict, VerdictJson
from tests.builders.http import ApiAnswer
from tests.builders.invoices.hybrids import hybrid_pdf
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service
from tests.fakes.engine import FAKE_PDF
from tests.fakes.presigned import SignedObjects

INVALID_INVOICE: Final = invoice_json({"lines[1].vat": {"category": "E", "rate": 0}})
FINDING_LOCATION: Final = "/rsm:CrossIndustryInvoice/rsm:ExchangedDocument/ram:ID"


def raw_finding(
    severity: str = "error", *, rule: str = "BR-02", location: str = FINDING_LOCATION
) -> RawFinding:
    return RawFinding("cen", severity, rule, "An invoice has a number", location, 1)


def fake_validation(service: Service, *findings: RawFinding) -> list[dict[str, Any]]:
    """Make the validators report these findings for everything; return their requests."""
    requests: list[dict[str, Any]] = []

    def verdicts(order: dict[str, Any]) -> list[VerdictJson]:
        requests.append(order)
        return [Verdict(findings, "V 1", "S").to_json() for _ in order["checks"]]

    service.verdicts = verdicts
    return requests


@contextmanager
def fake_large_documents(service: Service) -> Iterator[None]:
    """Make documents so large that the validators fetch them from S3, without findings."""

    store = SignedObjects(service.clients.s3, service.settings.bucket, "RenderFunction")

    def verdicts(order: dict[str, Any]) -> list[VerdictJson]:
        document = store.get(order["url"], max_bytes=MAX_INLINE_BYTES + 1_000, timeout_s=1)
        assert document == service.engine.content
        return [Verdict(()).to_json() for _ in order["checks"]]

    service.engine.content, service.verdicts = FAKE_PDF + b"x" * MAX_INLINE_BYTES, verdicts
    yield
    service.engine.content, service.verdicts = FAKE_PDF, None


def kill_validators(service: Service) -> None:
    """Make the validators die on every request."""
    service.verdicts = lambda order: [Verdict(why="killed").to_json() for _ in order["checks"]]


def post_einvoice(service: Service, **more: Any) -> ApiAnswer:
    body = {"profile": "EN16931", "invoice": invoice_json()} | more
    return service.call("POST", "/v1/einvoices", json_body=body)


def _reject_pdf(service: Service, **pdf: Any) -> ApiAnswer:
    fake_validation(service, raw_finding())
    return service.render(output={"pdf": pdf})


def _reject_einvoice(service: Service) -> ApiAnswer:
    fake_validation(service, raw_finding())
    return post_einvoice(service)


def _render_on_free_plan(service: Service) -> ApiAnswer:
    key = service.key("live", service.create_workspace("free"))
    return service.render(output={"pdf": {"pdfua": True}}, key=key)


def _validate_received(service: Service, content: bytes) -> ApiAnswer:
    headers = {"Content-Type": "application/pdf"}
    return service.call("POST", "/v1/einvoices/validate", body=content, headers=headers)


# By code of the catalogue: a request whose faulty document is answered with it.
PROVOKED_REJECTIONS: Final[dict[str, Callable[[Service], ApiAnswer]]] = {
    "einvoice_invalid": lambda service: post_einvoice(service, invoice=INVALID_INVOICE),
    "einvoice_validation_failed": _reject_einvoice,
    "pdfa_conversion_failed": lambda service: _reject_pdf(service, pdfa="3b"),
    "pdfua_validation_failed": lambda service: _reject_pdf(service, pdfua=True),
}
PROVOKED_VALIDATION_ERRORS: Final[dict[str, Callable[[Service], ApiAnswer]]] = {
    **PROVOKED_REJECTIONS,
    "plan_feature_unavailable": _render_on_free_plan,
    "invalid_pdf_source": lambda service: _validate_received(service, b"%PDF-1.7 junk"),
    "pdf_password_required": lambda service: _validate_received(
        service, hybrid_pdf(encryption=Encryption(owner="o", user="u"))
    ),
}


def _render_unvalidated(service: Service, **pdf: Any) -> ApiAnswer:
    kill_validators(service)
    return service.render(output={"pdf": pdf})


def _post_unvalidated_einvoice(service: Service) -> ApiAnswer:
    kill_validators(service)
    return post_einvoice(service)


def _post_warned_einvoice(service: Service) -> ApiAnswer:
    fake_validation(service, raw_finding("warning"))
    return post_einvoice(service)


# By warning: a request whose answer carries it and no other.
PROVOKED_VALIDATION_WARNINGS: Final[dict[str, Callable[[Service], ApiAnswer]]] = {
    "einvoice_validation_warning": _post_warned_einvoice,
    "einvoice_validation_unavailable": _post_unvalidated_einvoice,
    "pdfa_validation_unavailable": lambda service: _render_unvalidated(service, pdfa="2b"),
    "pdfua_validation_unavailable": lambda service: _render_unvalidated(
        service, pdfua=True, accessibility_report=True
    ),
    "accessibility_validation_unavailable": lambda service: _render_unvalidated(
        service, accessibility_report=True
    ),
}
