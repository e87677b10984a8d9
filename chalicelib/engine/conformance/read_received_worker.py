"""Worker process that reads one received document: warm up, enter the sandbox, answer.

lxml and qpdf are C code that parses input of strangers, and neither can be interrupted. A process
can be limited and killed.
"""

import base64
import codecs
import io
import json
import os
import resource
import sys
from collections.abc import Sequence
from typing import Final, NotRequired, TypedDict, final

import pikepdf

from chalicelib.core.json import JsonObject
from chalicelib.engine.conformance.checks import PDFA_PROFILES, CheckJson, ConformanceCheck
from chalicelib.engine.conformance.document_claims import (
    NotAPdfError,
    PasswordProtectedPdfError,
    PdfClaims,
    read_pdf_claims,
)
from chalicelib.engine.conformance.rule_sets import missing_rules, rule_check
from chalicelib.engine.einvoice.read_xml import INVOICE_ROOT, XmlInvoice, read_xml
from chalicelib.engine.einvoice.xml_parser import RefusedXmlError
from chalicelib.engine.pdf.document.claims import is_pdf
from chalicelib.engine.report_section import ReportFinding
from chalicelib.engine.sandbox import process_sandbox, wire

_INPUT: Final = 0
_OUTPUT: Final = 1
_CPU_S: Final = 10
# Encodings of invoices besides UTF-8. Codecs are modules, which the sandbox cannot load later.
_ENCODINGS: Final = ("cp1250", "cp1252", "iso8859_2", "iso8859_15", "utf_16", "utf_32")


class EmbeddedFile(TypedDict):
    """An embedded document in base64, and its position among the supporting documents."""

    position: int
    content: str


@final
class DocumentReading(TypedDict):
    """Checks to run on a document, its invoice and own findings.

    `xml` is the invoice inside a PDF, in base64; `pdf` are the checks of the PDF itself.
    """

    profile: str | None
    syntax: str | None
    check: CheckJson | None
    invoice: JsonObject | None
    errors: list[ReportFinding]
    warnings: list[ReportFinding]
    xml: NotRequired[str]
    embedded: NotRequired[list[EmbeddedFile]]
    pdf: NotRequired[list[CheckJson]]


class _Refusal(TypedDict):
    code: str
    detail: str


@final
class RefusedDocument(TypedDict):
    """Reason why a document cannot be read."""

    refusal: _Refusal


def main(parent_pid: int) -> None:
    """Read one document from the pipe and send the answer; a broken limit ends the process."""
    _warm_up()
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    missing_walls = process_sandbox.enter_sandbox(parent_pid)
    wire.send({"ready": True, "missing_walls": missing_walls}, _OUTPUT)
    request = wire.receive(lambda size: os.read(_INPUT, size))
    if request is not None:
        wire.send({**_answer(base64.b64decode(request["content"])), "recycle": False}, _OUTPUT)


def _answer(content: bytes) -> DocumentReading | RefusedDocument:
    try:
        return read_document(content)
    except NotAPdfError as reason:
        locked = isinstance(reason, PasswordProtectedPdfError)
        code = "pdf_password_required" if locked else "invalid_pdf_source"
        return {"refusal": {"code": code, "detail": str(reason)}}


def _warm_up() -> None:
    # The sandbox opens no files. Load all modules first, and the ciphers for an encrypted PDF that
    # opens without a password.
    read_document(b"<a/>")
    read_document(_encrypted_pdf())
    for name in _ENCODINGS:
        codecs.lookup(name)


def _encrypted_pdf() -> bytes:
    document = io.BytesIO()
    with pikepdf.new() as pdf:
        pdf.save(document, encryption=pikepdf.Encryption(owner="", user=""))
    return document.getvalue()


# The invoice and its report must fit into the 6 MB of a function's response.
_MAX_ANSWER_BYTES: Final = 5_800_000
# So that it stands beside the invoice in an answer of the engine that is not stored.
_MAX_FILES_BYTES: Final = 4_400_000
# A PDF that carries an invoice must be PDF/A-3 (Factur-X 1.0, 6.1).
_HYBRID_PDFA_PROFILE: Final = "3b"


def read_document(content: bytes) -> DocumentReading:
    """Read an XML or a PDF; raise NotAPdfError for an unreadable PDF."""
    if not is_pdf(content):
        return _xml_answer(content)
    claims = read_pdf_claims(content)
    if claims.invoice is None:
        answer = _no_invoice_answer(claims.problem or _absent_invoice(claims))
    else:
        answer = _xml_answer(claims.invoice)
        answer["xml"] = base64.b64encode(claims.invoice).decode()
        _leave_out_large_files(answer)
    _add_pdf_checks(answer, claims)
    return answer


def _absent_invoice(claims: PdfClaims) -> str:
    missing = "the PDF carries no factur-x.xml, xrechnung.xml or the like"
    return f"{missing}; it is damaged, and parts of it are lost" if claims.is_damaged else missing


def _add_pdf_checks(answer: DocumentReading, claims: PdfClaims) -> None:
    answer["warnings"][:0] = [_finding(*contradiction) for contradiction in claims.contradictions]
    level = claims.pdfa
    if level is not None and level not in PDFA_PROFILES:
        missing = _finding("PLT-PROFILE", f"There are no rules here for PDF/A-{level}")
        answer["warnings"].insert(0, missing)
        level = None
    if level is None and claims.names_an_invoice:
        level = _HYBRID_PDFA_PROFILE
    checks = [ConformanceCheck.pdfa(level)] if level else []
    checks += [ConformanceCheck.pdfua()] if claims.pdfua else []
    answer["pdf"] = [check.to_json() for check in checks]


def _xml_answer(xml: bytes) -> DocumentReading:
    try:
        reading = read_xml(xml)
    except RefusedXmlError as reason:
        return _no_invoice_answer(str(reason))
    check = rule_check(reading.guideline or "", reading.document_type)
    invoice, findings = _invoice_and_findings(reading)
    embedded = _embedded_files(reading, invoice, findings) if invoice else []
    errors: list[ReportFinding] = []
    warnings = [*_impossible_identifiers(reading), *findings]
    if reading.guideline is None:
        errors = [_finding("BR-01", "The document names no profile: BT-24 is absent")]
    elif check is None:
        missing = missing_rules(reading.guideline[:200], reading.document_type)
        warnings.insert(0, _finding("PLT-PROFILE", missing))
    answer = _received_document(
        profile=check.profile if check else None,
        syntax=reading.syntax,
        check=check,
        invoice=invoice,
        errors=errors,
        warnings=warnings,
    )
    if embedded:
        answer["embedded"] = embedded
        _leave_out_large_files(answer)
    return answer


def _impossible_identifiers(reading: XmlInvoice) -> list[ReportFinding]:
    return [
        _finding(rule, each.message, each.location, each.path)
        for rule, each in reading.impossible_identifiers
    ]


def _embedded_files(
    reading: XmlInvoice, invoice: JsonObject, findings: list[ReportFinding]
) -> list[EmbeddedFile]:
    """Return the embedded documents; those that are no base64 are left out and named."""
    files: list[EmbeddedFile] = []
    for position, content, location in reading.embedded:
        compact = "".join(content.split())
        try:
            base64.b64decode(compact, validate=True)
        except ValueError:
            drop_embedded(invoice, position)
            message = "The embedded document is no base64"
            findings.append(_not_in_model(message, location, _document_path(position)))
        else:
            files.append({"position": position, "content": compact})
    return files


def _leave_out_large_files(answer: DocumentReading) -> None:
    """Leave out the embedded documents for which the answer of the function has no room."""
    room = _MAX_FILES_BYTES - len(json.dumps(answer["invoice"])) - len(answer.get("xml", ""))
    files, answer["embedded"] = answer.get("embedded", []), []
    for file in files:
        room -= len(file["content"])
        if room >= 0:
            answer["embedded"].append(file)
            continue
        assert answer["invoice"] is not None, "its documents have positions in it"
        drop_embedded(answer["invoice"], file["position"])
        path = _document_path(file["position"])
        message = f"{path}: the embedded document is too large for an answer"
        answer["warnings"].insert(0, _not_in_model(message, path, path))


def _document_path(position: int) -> str:
    return f"{INVOICE_ROOT}.supporting_documents[{position}]"


def drop_embedded(invoice: JsonObject, position: int) -> None:
    """Take the name and the type of an embedded document out of an invoice."""
    documents = invoice["supporting_documents"]
    assert isinstance(documents, list)
    for name in ("filename", "content_type"):
        documents[position].pop(name, None)


def _invoice_and_findings(reading: XmlInvoice) -> tuple[JsonObject | None, list[ReportFinding]]:
    """Return the invoice in the contract's model, and findings about content it cannot hold."""
    if reading.problem is not None:
        return None, [_not_in_model(reading.problem.message, reading.problem.location)]
    invoice = reading.content
    if invoice is None:
        return None, [_not_in_model("The profile carries no lines, which an invoice needs")]
    # Serialised twice, because a function's response carries the body as a JSON string.
    if len(json.dumps(json.dumps(invoice))) > _MAX_ANSWER_BYTES:
        return None, [_not_in_model("The invoice is too large for an answer")]
    return invoice, [
        _not_in_model(each.message, each.location, each.path) for each in reading.not_in_model
    ]


def _not_in_model(message: str, location: str = "", path: str | None = None) -> ReportFinding:
    return _finding("PLT-NOT-IN-MODEL", message, location, path)


def _finding(rule: str, message: str, location: str = "", path: str | None = None) -> ReportFinding:
    return {"rule": rule, "message": message, "location": location, "path": path, "count": 1}


def _no_invoice_answer(reason: str) -> DocumentReading:
    return _received_document(errors=[_finding("PLT-NO-INVOICE", reason)])


def _received_document(
    *,
    profile: str | None = None,
    syntax: str | None = None,
    check: ConformanceCheck | None = None,
    invoice: JsonObject | None = None,
    errors: Sequence[ReportFinding] = (),
    warnings: Sequence[ReportFinding] = (),
) -> DocumentReading:
    return {
        "profile": profile,
        "syntax": syntax,
        "check": check.to_json() if check else None,
        "invoice": invoice,
        "errors": [*errors],
        "warnings": [*warnings],
    }


if __name__ == "__main__":
    main(int(sys.argv[1]))
