"""`platen conform`: the verdict on a file, in words for whoever has to send or archive it."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from chalicelib.core.text import visible
from chalicelib.engine.conformance.checks import Check
from chalicelib.engine.conformance.claims import Claims, NotAPdf, claims_of
from chalicelib.engine.conformance.documents import NotAnInvoice, invoice_check
from chalicelib.engine.conformance.judge import Judge
from chalicelib.engine.conformance.report import section
from chalicelib.engine.deadline import Deadline
from infra.operator.output import Refused
from infra.setup.step import INSTALLED

_PATIENCE_S: Final = 600
_MOST_BYTES: Final = 100_000_000
_PDF: Final = b"%PDF-"
_HEAD_BYTES: Final = 1024
# Blanks, and the marks of the encodings that XML comes in.
_BEFORE_XML: Final = b" \t\r\n\0\xef\xbb\xbf\xfe\xff"
# What a PDF is held to that claims nothing: what an archive and a screen reader ask for.
_DEFAULTS: Final = Claims(pdfa="2b", pdfua=True, invoice=None)
_SUBJECTS: Final = {
    "einvoice": "As an e-invoice",
    "pdfa": "For the archive",
    "pdfua": "For readers with disabilities",
}
_PASSED: Final = {
    "einvoice": "valid; it can be sent.",
    "pdfa": "conforms; it can be archived.",
    "pdfua": "conforms, as far as a program can tell.",
}
_FAILED: Final = {
    "einvoice": "NOT valid; who receives it may refuse it.",
    "pdfa": "does NOT conform; an archive may refuse it.",
    "pdfua": "does NOT conform; a screen reader may stumble over it.",
}


@dataclass(frozen=True, slots=True)
class _Question:
    """One check, and the bytes that it is about."""

    check: Check
    content: bytes


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The conformance report as one JSON object.")
def conform(file: Path, *, as_json: bool) -> None:
    """Tell whether an XML invoice or a PDF is what it claims to be; exit 1 where it is not.

    A PDF is held to the PDF/A and PDF/UA of its metadata, or to PDF/A-2b and PDF/UA-1 where it
    claims neither, and an invoice inside it to its own profile.
    """
    try:
        questions = _questions(_content(file))
    except Refused as refusal:
        if as_json:
            click.echo(json.dumps({"code": refusal.code, "detail": refusal.message}))
        raise
    report, reasons = _judged(questions)
    if as_json:
        click.echo(json.dumps(report))
    else:
        click.echo("\n".join(_told(visible(file.name), report, reasons)))
    if any(part["status"] != "passed" for part in report.values()):
        raise SystemExit(1)


def _content(file: Path) -> bytes:
    if file.stat().st_size > _MOST_BYTES:
        raise _no_document("the file is larger than 100 MB, the most that can be checked")
    content = file.read_bytes()
    if _PDF not in content[:_HEAD_BYTES] and not content.lstrip(_BEFORE_XML).startswith(b"<"):
        raise _no_document(
            "the file is neither a PDF nor an XML" if content else "the file is empty"
        )
    return content


def _questions(content: bytes) -> list[_Question]:
    try:
        if _PDF not in content[:_HEAD_BYTES]:
            return [_Question(invoice_check(content), content)]
        claims = claims_of(content)
        invoice = claims.invoice
        held = claims if claims.pdfa or claims.pdfua or invoice else _DEFAULTS
        return [
            *([_Question(invoice_check(invoice), invoice)] if invoice else []),
            *([_Question(Check.pdfa(held.pdfa), content)] if held.pdfa else []),
            *([_Question(Check.pdfua(), content)] if held.pdfua else []),
        ]
    except (NotAnInvoice, NotAPdf) as reason:
        raise _no_document(str(reason)) from reason


def _no_document(why: str) -> Refused:
    return Refused("not_a_document", f"There is nothing to check: {why}.")


def _judged(questions: list[_Question]) -> tuple[dict[str, Any], dict[str, str]]:
    folder = os.environ.get("PLATEN_VALIDATORS_DIR") or INSTALLED / "validators"
    judge = Judge(Path(folder))
    report: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    try:
        for question in questions:
            deadline = Deadline.after(_PATIENCE_S)
            (verdict,) = judge.judge(question.content, [question.check], deadline)
            subject = question.check.subject
            report[subject] = section(question.check, verdict, lambda _location: None)
            reasons[subject] = verdict.why
    finally:
        judge.close()
    return report, reasons


def _told(name: str, report: Mapping[str, Any], reasons: Mapping[str, str]) -> Iterator[str]:
    yield name
    if "einvoice" not in report:
        yield "It carries no e-invoice."
    for subject, part in report.items():
        yield ""
        yield f"{_SUBJECTS[subject]} ({_name(subject, part)}): {_verdict(subject, part)}"
        if part["status"] == "unavailable":
            yield f"  {visible(reasons[subject])}"
        yield from _findings("error", part["errors"])
        yield from _findings("warning", part["warnings"])
        if part["validator"]:
            yield f"  checked by {part['validator']}"


def _name(subject: str, part: Mapping[str, Any]) -> str:
    match subject:
        case "einvoice":
            return str(part["scenario"] or f"{part['profile']}, {part['syntax'].upper()}")
        case "pdfa":
            return f"PDF/A-{part['profile']}"
        case _:
            return "PDF/UA-1"


def _verdict(subject: str, part: Mapping[str, Any]) -> str:
    match part["status"]:
        case "passed":
            return _PASSED[subject]
        case "failed":
            return _FAILED[subject]
        case _:
            return "could not be checked; this says nothing about the file."


def _findings(kind: str, findings: list[Mapping[str, Any]]) -> Iterator[str]:
    by_rule: dict[str, list[Mapping[str, Any]]] = {}
    for found in findings:
        by_rule.setdefault(found["rule"], []).append(found)
    for rule, rows in by_rule.items():
        count = sum(row["count"] for row in rows)
        times = f" ({count} times)" if count > 1 else ""
        yield f"  {kind} {rule}{times}: {visible(rows[0]['message'])}"
        if place := rows[0]["location"]:
            yield f"    {'first ' if count > 1 else ''}at {visible(place)}"
