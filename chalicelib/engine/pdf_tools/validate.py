"""Tool `validate`: a report about a document's claims, and no file."""

from collections.abc import Iterator
from copy import replace
from typing import Final, NamedTuple

import pikepdf

from chalicelib.contract.options.pdf_tools import ValidateOptions
from chalicelib.engine.conformance.checks import PDFA_PROFILES, ConformanceCheck, RawFinding
from chalicelib.engine.conformance.document_claims import EmbeddedInvoice, embedded_invoice
from chalicelib.engine.conformance.invoice_head import NotAnInvoiceError, invoice_check
from chalicelib.engine.pdf.document.claims import claimed_profiles
from chalicelib.engine.pdf.document.save import save
from chalicelib.engine.pdf_tools.tool import ToolCheck, ToolInput, ToolOutput
from chalicelib.engine.pdf_tools.tool_files import open_source

_OWN_SOURCE: Final = "platen"
# A document that claims nothing is judged by this level and by PDF/UA-1.
_DEFAULT_LEVEL: Final = "2b"
# A PDF that carries an invoice must be PDF/A-3 (Factur-X 1.0, 6.1).
_HYBRID_LEVEL: Final = "3b"


class _Claims(NamedTuple):
    """Claims of a document; `pdfa` may be a level without rules here, such as `1b`."""

    pdfa: str | None
    pdfua: bool
    invoice: EmbeddedInvoice | None


def run(tool_input: ToolInput[ValidateOptions]) -> ToolOutput:
    """Return the checks of the document's claims; findings fail the report, not the request."""
    source = tool_input.source
    with open_source(source, tool_input) as document:
        claims = _Claims(*claimed_profiles(document), _invoice(document, tool_input))
        # The validators have no password. Protection that needs none they judge themselves.
        content = save(document) if document.is_encrypted and source.password else None
    checks = (*_invoice_checks(claims, tool_input), *_pdf_checks(claims, content))
    return ToolOutput(checks=tuple(_as_report_only(check) for check in checks))


def _invoice(
    document: pikepdf.Pdf, tool_input: ToolInput[ValidateOptions]
) -> EmbeddedInvoice | None:
    try:
        return embedded_invoice(document)
    except NotAnInvoiceError as reason:
        _warn_of_invoice(reason, tool_input)
        return None


def _invoice_checks(claims: _Claims, tool_input: ToolInput[ValidateOptions]) -> Iterator[ToolCheck]:
    if claims.invoice is not None:
        try:
            xml = claims.invoice.content
            yield ToolCheck(xml, (invoice_check(xml),))
        except NotAnInvoiceError as reason:
            _warn_of_invoice(reason, tool_input)


def _warn_of_invoice(reason: NotAnInvoiceError, tool_input: ToolInput[ValidateOptions]) -> None:
    tool_input.warn(
        "einvoice_validation_unavailable",
        f"The e-invoice in the PDF was not validated: {reason}.",
    )


def _pdf_checks(claims: _Claims, content: bytes | None) -> Iterator[ToolCheck]:
    """Yield the checks of the PDF itself; `content` is its copy without a password, if any."""
    pdfa, findings = _pdfa_check(claims), tuple(_own_findings(claims, content))
    # Own findings are about the last check of their request.
    if pdfa is not None and findings:
        yield ToolCheck(content, (pdfa,), findings)
        pdfa = None
    claims_nothing = claims == _Claims(None, pdfua=False, invoice=None)
    pdfua = ConformanceCheck.pdfua(claimed=claims.pdfua) if claims.pdfua or claims_nothing else None
    checks = tuple(check for check in (pdfa, pdfua) if check is not None)
    if checks:
        yield ToolCheck(content, checks)


def _pdfa_check(claims: _Claims) -> ConformanceCheck | None:
    if claims.pdfa in PDFA_PROFILES:
        return ConformanceCheck.pdfa(claims.pdfa)
    if claims.invoice is not None:
        return ConformanceCheck.pdfa(_HYBRID_LEVEL)
    if claims.pdfa is None and claims.pdfua:
        return None
    return ConformanceCheck.pdfa(_DEFAULT_LEVEL, claimed=False)


def _own_findings(claims: _Claims, content: bytes | None) -> Iterator[RawFinding]:
    """Yield findings on PDF/A that the validators cannot see."""
    if claims.pdfa is not None and claims.pdfa not in PDFA_PROFILES:
        message = f"There are no rules here for PDF/A-{claims.pdfa}"
        yield RawFinding(_OWN_SOURCE, "warning", "PLT-PROFILE", message, "", 1)
    if content is not None:
        message = "The PDF opens with a password only, which PDF/A forbids"
        yield RawFinding(_OWN_SOURCE, "error", "PLT-ENCRYPTED", message, "", 1)
    for contradiction in claims.invoice.contradictions if claims.invoice else ():
        yield RawFinding(_OWN_SOURCE, "warning", contradiction.rule, contradiction.message, "", 1)


def _as_report_only(check: ToolCheck) -> ToolCheck:
    checks = tuple(replace(each, report_only=True) for each in check.checks)
    return check._replace(checks=checks)
