"""Validators that tell what a test has them tell, and what that is answered with."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from pikepdf import Encryption

from chalicelib.adapters.aws.validators import INLINE_BYTES
from chalicelib.bootstrap import validation
from chalicelib.engine.conformance.checks import Raw, Verdict
from chalicelib.settings import ValidateSettings
from tests.builders.grants import serving
from tests.builders.http import Answer
from tests.builders.hybrids import hybrid
from tests.builders.invoice_json import invoice_json
from tests.builders.service import Service
from tests.fakes.engine import PDF

BROKEN: Final = invoice_json({"lines[1].vat": {"category": "E", "rate": 0}})
PLACE: Final = "/rsm:CrossIndustryInvoice/rsm:ExchangedDocument/ram:ID"


def finding(severity: str = "error", *, rule: str = "BR-02", place: str = PLACE) -> Raw:
    return Raw("cen", severity, rule, "An invoice has a number", place, 1)


def judging(service: Service, *findings: Raw) -> list[dict[str, Any]]:
    """Have the validators tell this of everything, and return what they are asked."""
    asked: list[dict[str, Any]] = []

    def verdicts(order: dict[str, Any]) -> list[dict[str, Any]]:
        asked.append(order)
        return [Verdict(findings, "V 1", "S").to_json() for _ in order["checks"]]

    service.verdicts = verdicts
    return asked


@contextmanager
def fetching(service: Service) -> Iterator[None]:
    """Have documents made that the validators have to fetch, and nothing found wrong with them."""

    def verdicts(order: dict[str, Any]) -> list[dict[str, Any]]:
        with serving("ValidateFunction"):
            settings = ValidateSettings(bucket=service.settings.bucket, validators_dir="unused")
            assert validation.bench(settings, service.clients).objects.get(order["key"])
        return [Verdict(()).to_json() for _ in order["checks"]]

    service.engine.content, service.verdicts = PDF + b"x" * INLINE_BYTES, verdicts
    yield
    service.engine.content, service.verdicts = PDF, None


def silent(service: Service) -> None:
    """Have the validators die over everything."""
    service.verdicts = lambda order: [Verdict(why="killed").to_json() for _ in order["checks"]]


def post_einvoice(service: Service, **more: Any) -> Answer:
    body = {"profile": "EN16931", "invoice": invoice_json()} | more
    return service.call("POST", "/v1/einvoices", json_body=body)


def _rejected(service: Service, **pdf: Any) -> Answer:
    judging(service, finding())
    return service.render(output={"pdf": pdf})


def _rejected_einvoice(service: Service) -> Answer:
    judging(service, finding())
    return post_einvoice(service)


def _of_the_free_plan(service: Service) -> Answer:
    key = service.key("live", service.create_workspace("free"))
    return service.render(output={"pdf": {"pdfua": True}}, key=key)


def _examined(service: Service, content: bytes) -> Answer:
    headers = {"Content-Type": "application/pdf"}
    return service.call("POST", "/v1/einvoices/validate", body=content, headers=headers)


# By code of the catalogue: what is answered with it, for what is wrong with a document.
REJECTED: Final[dict[str, Callable[[Service], Answer]]] = {
    "einvoice_invalid": lambda service: post_einvoice(service, invoice=BROKEN),
    "einvoice_validation_failed": _rejected_einvoice,
    "pdfa_conversion_failed": lambda service: _rejected(service, pdfa="3b"),
    "pdfua_validation_failed": lambda service: _rejected(service, pdfua=True),
}
PROVOKED: Final[dict[str, Callable[[Service], Answer]]] = {
    **REJECTED,
    "plan_feature_unavailable": _of_the_free_plan,
    "invalid_pdf_source": lambda service: _examined(service, b"%PDF-1.7 junk"),
    "pdf_password_required": lambda service: _examined(
        service, hybrid(encryption=Encryption(owner="o", user="u"))
    ),
}


def _unjudged(service: Service, **pdf: Any) -> Answer:
    silent(service)
    return service.render(output={"pdf": pdf})


def _unjudged_einvoice(service: Service) -> Answer:
    silent(service)
    return post_einvoice(service)


def _warned(service: Service) -> Answer:
    judging(service, finding("warning"))
    return post_einvoice(service)


# By warning: an answer that carries it and no other.
WARNED: Final[dict[str, Callable[[Service], Answer]]] = {
    "einvoice_validation_warning": _warned,
    "einvoice_validation_unavailable": _unjudged_einvoice,
    "pdfa_validation_unavailable": lambda service: _unjudged(service, pdfa="2b"),
    "pdfua_validation_unavailable": lambda service: _unjudged(
        service, pdfua=True, accessibility_report=True
    ),
    "accessibility_validation_unavailable": lambda service: _unjudged(
        service, accessibility_report=True
    ),
}
