"""Validation of a received e-invoice that was read, by the validators."""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chalicelib.core.json import JsonObject
from chalicelib.engine.conformance.checks import ConformanceCheck, Validator
from chalicelib.engine.conformance.invoice_field_paths import InvoiceFieldPaths
from chalicelib.engine.conformance.report import MAX_FINDINGS, conformance_report
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.report_section import ReportFinding, ReportSection, fit_section

if TYPE_CHECKING:
    from chalicelib.engine.conformance.read_received_worker import DocumentReading, EmbeddedFile

_INVOICE_ROOT: Final = "invoice"
# The rest of the list is left for findings of the validators.
_MAX_OWN_WARNINGS: Final = 50
_NOT_VALIDATED: Final[ReportFinding] = {
    "rule": "PLT-NOT-VALIDATED",
    "message": "The validators gave no verdict; send the document again",
    "location": "",
    "path": None,
    "count": 1,
}


@dataclass(frozen=True, slots=True)
class ReceivedValidation:
    """Report on a document; `invoice` is its content in the contract's model, if it fits."""

    conformance: dict[str, ReportSection]
    invoice: JsonObject | None
    embedded: Sequence["EmbeddedFile"] = ()
    """Documents that the invoice embeds; their bytes are not in it."""


def validate_received(
    content: bytes,
    reading: "DocumentReading",
    validator: Validator,
    deadline: Deadline,
    *,
    may_store: bool,
) -> ReceivedValidation:
    """Validate an XML or a PDF that `read_received` has read.

    With `may_store` False nothing of the document is stored on its way (decision 17).
    """
    report: dict[str, ReportSection] = {}
    for document, checks in _documents_and_checks(content, reading):
        verdicts = validator.validate(document, checks, deadline, may_store=may_store)
        report |= conformance_report(
            checks, verdicts, _to_json_path if reading["invoice"] else None
        )
    return ReceivedValidation(
        report | {"einvoice": _einvoice_section(reading, report)},
        reading["invoice"],
        reading.get("embedded", ()),
    )


def _documents_and_checks(
    content: bytes, answer: "DocumentReading"
) -> Iterator[tuple[bytes, list[ConformanceCheck]]]:
    if answer["check"] is not None:
        xml = base64.b64decode(answer["xml"]) if "xml" in answer else content
        yield xml, [ConformanceCheck.from_json(answer["check"])]
    if answer.get("pdf"):
        yield content, [ConformanceCheck.from_json(check) for check in answer["pdf"]]


def _einvoice_section(
    answer: "DocumentReading", report: Mapping[str, ReportSection]
) -> ReportSection:
    """Return the section about the invoice, completed with the service's own findings."""
    section: ReportSection = report.get("einvoice") or {
        "profile": answer["profile"],
        "syntax": answer["syntax"],
        "status": "failed" if answer["errors"] else "unavailable",
        "validator": None,
        "scenario": None,
        "errors": answer["errors"],
        "warnings": [],
    }
    is_unvalidated = "einvoice" in report and section["status"] == "unavailable"
    own = [*([_NOT_VALIDATED] if is_unvalidated else []), *answer["warnings"]][:_MAX_OWN_WARNINGS]
    if answer["invoice"]:
        own = [_with_path(finding) for finding in own]
    warnings = [*own, *section["warnings"]]
    return fit_section({**section, "warnings": warnings[:MAX_FINDINGS]})


def _with_path(finding: ReportFinding) -> ReportFinding:
    """Return a finding with the JSON path of the field nearest to its XPath, if it has none."""
    path = finding["path"] or _to_json_path(finding["location"])
    return {**finding, "path": path}


# Of an invoice of unknown shape: other writers may mix allowances and charges, and payment means.
_FIELD_PATHS: Final = InvoiceFieldPaths(_INVOICE_ROOT)
_UNKNOWN_ENTRY: Final = re.compile(r"\.(?:charges|credit_transfers)\[.*")


def _to_json_path(location: str) -> str | None:
    """Return the JSON path in the read invoice.

    The order of allowances, charges and accounts in a received XML is unknown: a path into them
    ends with the object that holds them.
    """
    path = _UNKNOWN_ENTRY.sub("", _FIELD_PATHS.json_path(location) or "")
    return path if path.startswith(f"{_INVOICE_ROOT}.") else None
