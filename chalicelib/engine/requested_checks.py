"""Validation requests for the files of a render."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from chalicelib.core.passwords import prepare_password
from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding, ValidationRequest
from chalicelib.engine.conformance.html_places import html_places
from chalicelib.engine.conformance.invoice_field_paths import InvoiceFieldPaths
from chalicelib.engine.finishing.pdfa import pdfa_flavour

if TYPE_CHECKING:
    from chalicelib.engine.einvoice.prepare import PreparedInvoice
    from chalicelib.engine.finishing.finisher import FinishingContext

_OWN_SOURCE: Final = "platen"
# Untagged content is marked as an artifact, which validators take for decoration. Only the service
# knows that a reader of the page misses it.
_UNTAGGED_RULE: Final = "PLT-UNTAGGED-CONTENT"


def invoice_validation_request(prepared: "PreparedInvoice", xml: bytes) -> ValidationRequest:
    """Return the request to validate the XML of an invoice against its profile."""
    profile = prepared.input.profile.name
    if prepared.input.syntax == "cii":
        check = ConformanceCheck.cii(profile)
    else:
        from chalicelib.engine.conformance.invoice_head import invoice_check  # noqa: PLC0415 -- expat

        check = invoice_check(xml)
    paths = InvoiceFieldPaths.of(prepared.invoice, prepared.input.findings_root)
    return ValidationRequest(xml, (check,), paths, tuple(_impossible_identifiers(prepared)))


def _impossible_identifiers(prepared: "PreparedInvoice") -> Iterator[RawFinding]:
    from chalicelib.engine.einvoice.rules.identifiers import impossible_identifiers  # noqa: PLC0415 -- invoices only

    root, name = prepared.input.findings_root, prepared.input.profile.name
    for each in impossible_identifiers(prepared.invoice, is_xrechnung=name == "XRECHNUNG"):
        path = f"{root}.{each.path}"
        yield RawFinding(_OWN_SOURCE, "warning", each.rule, f"{path} {each.message}", path, 1)


def pdf_validation_request(content: bytes, finishing: "FinishingContext") -> ValidationRequest:
    """Return the request to validate a PDF against the standards of its options.

    Validators cannot open a PDF with a user password: they get a decrypted copy.
    """
    protection = finishing.output.pdf.protection
    if protection is not None and protection.user_password is not None:
        content = _decrypt_pdf(content, prepare_password(protection.user_password))
    own_findings = (
        RawFinding(_OWN_SOURCE, "warning", _UNTAGGED_RULE, each.advice, each.selector, each.count)
        for each in finishing.recorder.accessibility_gaps
        if finishing.output.pdf.has_pdfua_target
    )
    places = html_places(
        content, finishing.recorder.page_texts.elements, finishing.recorder.warnings
    )
    checks = tuple(_pdf_checks(finishing))
    return ValidationRequest(content, checks, None, tuple(own_findings), places)


def _decrypt_pdf(content: bytes, password: str) -> bytes:
    import pikepdf  # noqa: PLC0415 -- only protected documents need it

    result = io.BytesIO()
    with pikepdf.open(io.BytesIO(content), password=password) as document:
        document.save(result, encryption=False, deterministic_id=True)
    return result.getvalue()


def _pdf_checks(finishing: "FinishingContext") -> Iterator[ConformanceCheck]:
    level = pdfa_flavour(finishing)
    if level is not None:
        yield ConformanceCheck.pdfa(level)
    if finishing.output.pdf.has_pdfua_target:
        yield ConformanceCheck.pdfua(claimed=finishing.output.pdf.pdfua)
