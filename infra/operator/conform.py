"""`platen conform`: verdict of the validators on a local file, as text or JSON."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from chalicelib.core.text import terminal_text
from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.conformance.document_claims import (
    NotAPdfError,
    PdfClaims,
    read_pdf_claims,
)
from chalicelib.engine.conformance.hybrid_metadata import Contradiction
from chalicelib.engine.conformance.invoice_head import NotAnInvoiceError, invoice_check
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.conformance.report import report_section
from chalicelib.engine.deadline import Deadline
from infra.operator.output import CommandError
from infra.setup.steps import INSTALL_DIR

if TYPE_CHECKING:
    from chalicelib.engine.report_section import ReportFinding

_TIMEOUT_S: Final = 600
_MAX_BYTES: Final = 100_000_000
_PDF_MARKER: Final = b"%PDF-"
_HEAD_BYTES: Final = 1024
# Whitespace and byte order marks that may precede the first `<` of an XML file.
_XML_PREFIX_BYTES: Final = b" \t\r\n\0\xef\xbb\xbf\xfe\xff"
# Checks of a PDF that claims no standard: those that archives and screen readers need.
_DEFAULT_CLAIMS: Final = PdfClaims(pdfa="2b", pdfua=True, invoice=None)
_SUBJECT_TEXTS: Final = {
    "einvoice": "As an e-invoice",
    "pdfa": "For the archive",
    "pdfua": "For readers with disabilities",
}
_PASSED_TEXTS: Final = {
    "einvoice": "valid; it can be sent.",
    "pdfa": "conforms; it can be archived.",
    "pdfua": "conforms, as far as a program can tell.",
}
_FAILED_TEXTS: Final = {
    "einvoice": "NOT valid; who receives it may refuse it.",
    "pdfa": "does NOT conform; an archive may refuse it.",
    "pdfua": "does NOT conform; a screen reader may stumble over it.",
}


@dataclass(frozen=True, slots=True)
class _ValidationRequest:
    """One check and the bytes to validate."""

    check: ConformanceCheck
    content: bytes
    contradictions: tuple[Contradiction, ...] = ()


@click.command(epilog="Example: platen conform invoice.pdf")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The conformance report as one JSON object.")
def conform(file: Path, *, as_json: bool) -> None:
    """Tell whether an XML invoice or a PDF is what it claims to be; exit 1 where it is not.

    A PDF is held to the PDF/A and PDF/UA of its metadata, or to PDF/A-2b and PDF/UA-1 where it
    claims neither, and an invoice inside it to its own profile.
    """
    try:
        requests = _validation_requests(_read_document(file))
    except CommandError as refusal:
        if as_json:
            click.echo(json.dumps({"code": refusal.code, "detail": refusal.message}))
        raise
    report, reasons = _validate(requests)
    if as_json:
        click.echo(json.dumps(report))
    else:
        click.echo("\n".join(report_lines(terminal_text(file.name), report, reasons)))
    if any(part["status"] != "passed" for part in report.values()):
        raise SystemExit(1)


def _read_document(file: Path) -> bytes:
    if file.stat().st_size > _MAX_BYTES:
        raise _not_a_document("the file is larger than 100 MB, the most that can be checked")
    content = file.read_bytes()
    if _PDF_MARKER not in content[:_HEAD_BYTES] and not content.lstrip(
        _XML_PREFIX_BYTES
    ).startswith(b"<"):
        raise _not_a_document(
            "the file is neither a PDF nor an XML" if content else "the file is empty"
        )
    return content


def _validation_requests(content: bytes) -> list[_ValidationRequest]:
    try:
        if _PDF_MARKER not in content[:_HEAD_BYTES]:
            return [_ValidationRequest(invoice_check(content), content)]
        claims = read_pdf_claims(content)
        invoice = claims.invoice
        target = claims if claims.pdfa or claims.pdfua or invoice else _DEFAULT_CLAIMS
        requests = (
            [_ValidationRequest(invoice_check(invoice), invoice, claims.contradictions)]
            if invoice
            else []
        )
        if target.pdfa:
            requests.append(_ValidationRequest(ConformanceCheck.pdfa(target.pdfa), content))
        if target.pdfua:
            requests.append(_ValidationRequest(ConformanceCheck.pdfua(), content))
    except (NotAnInvoiceError, NotAPdfError) as reason:
        raise _not_a_document(str(reason)) from reason
    return requests


def _not_a_document(reason: str) -> CommandError:
    return CommandError("not_a_document", f"There is nothing to check: {reason}.")


def _validate(requests: list[_ValidationRequest]) -> tuple[dict[str, Any], dict[str, str]]:
    folder = os.environ.get("PLATEN_VALIDATORS_DIR") or INSTALL_DIR / "validators"
    validator = LocalValidator(Path(folder))
    report: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    try:
        for request in requests:
            deadline = Deadline.after(_TIMEOUT_S)
            (verdict,) = validator.validate(request.content, [request.check], deadline)
            subject = request.check.subject
            section = report_section(request.check, verdict, lambda _location: None)
            own: list[ReportFinding] = [
                {"rule": rule, "message": text, "location": "", "path": None, "count": 1}
                for rule, text in request.contradictions
            ]
            report[subject] = {**section, "warnings": [*own, *section["warnings"]]}
            reasons[subject] = verdict.why
    finally:
        validator.close()
    return report, reasons


def report_lines(name: str, report: Mapping[str, Any], reasons: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a report, in plain words; `reasons` say why there is no verdict."""
    yield name
    if "einvoice" not in report:
        yield "It carries no e-invoice."
    for subject, part in report.items():
        yield ""
        standard = _standard_name(subject, part)
        yield f"{_SUBJECT_TEXTS[subject]} ({standard}): {_verdict_text(subject, part)}"
        if part["status"] == "unavailable":
            yield f"  {terminal_text(reasons[subject])}"
        yield from _finding_lines("error", part["errors"])
        yield from _finding_lines("warning", part["warnings"])
        if part["validator"]:
            yield f"  checked by {part['validator']}"


def _standard_name(subject: str, part: Mapping[str, Any]) -> str:
    match subject:
        case "einvoice":
            return str(part["scenario"] or f"{part['profile']}, {part['syntax'].upper()}")
        case "pdfa":
            return f"PDF/A-{part['level']}"
        case _:
            return "PDF/UA-1"


def _verdict_text(subject: str, part: Mapping[str, Any]) -> str:
    match part["status"]:
        case "passed":
            return _PASSED_TEXTS[subject]
        case "failed":
            return _FAILED_TEXTS[subject]
        case _:
            return "could not be checked; this says nothing about the file."


def _finding_lines(kind: str, findings: list[Mapping[str, Any]]) -> Iterator[str]:
    by_rule: dict[str, list[Mapping[str, Any]]] = {}
    for finding in findings:
        by_rule.setdefault(finding["rule"], []).append(finding)
    for rule, rows in by_rule.items():
        count = sum(row["count"] for row in rows)
        times = f" ({count} times)" if count > 1 else ""
        yield f"  {kind} {rule}{times}: {terminal_text(rows[0]['message'])}"
        if location := rows[0]["location"]:
            yield f"    {'first ' if count > 1 else ''}at {terminal_text(location)}"
