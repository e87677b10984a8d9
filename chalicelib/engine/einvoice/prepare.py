"""Prepare an e-invoice: read it, compute its totals, check its rules."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.text import safe_filename
from chalicelib.engine.context import UploadReader
from chalicelib.engine.einvoice.findings import Finding, InvalidInvoiceError, finding_pointer
from chalicelib.engine.einvoice.model import Invoice, InvoiceNote
from chalicelib.engine.einvoice.profiles import InvoiceProfile, Syntax
from chalicelib.engine.einvoice.rules.check import read_and_check
from chalicelib.engine.einvoice.totals import InvoiceTotals
from chalicelib.engine.einvoice.write_json import completed_json
from chalicelib.engine.report_section import ReportSection, fit_section

_INVALID: Final = "einvoice_invalid"
_TEST_NOTE: Final = InvoiceNote(subject_code="AAI", text="TEST")


@dataclass(frozen=True, slots=True, kw_only=True)
class EInvoiceInput:
    """A requested e-invoice; `findings_root` is the JSON path of `source` in the request."""

    profile: InvoiceProfile
    syntax: Syntax
    source: Json
    findings_root: str
    is_test: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedInvoice:
    """An invoice that passed the rules, with its computed totals.

    Templates show `completed_json`, which has the same amounts as the XML.
    """

    input: EInvoiceInput
    invoice: Invoice
    totals: InvoiceTotals
    completed_json: JsonObject

    @property
    def filename(self) -> str:
        """Return the default name of the XML file, made from the invoice number."""
        return safe_filename(self.invoice.number, fallback="invoice", extension="xml")

    def to_xml(self, uploads: UploadReader | None = None) -> bytes:
        """Write the invoice in its profile and syntax; a test invoice gets the note TEST.

        `uploads` reads the documents that it embeds; raises RenderFailure `upload_not_found`.
        """
        if self.input.syntax == "cii":
            from chalicelib.engine.einvoice.write_cii import write_cii as write  # noqa: PLC0415 -- or ubl
        else:
            from chalicelib.engine.einvoice.write_ubl import write_ubl as write  # noqa: PLC0415 -- or cii
        embedded = {
            document.upload_id: b64encode(uploads(document.upload_id)).decode()
            for document in self.invoice.supporting_documents
            if document.upload_id is not None and uploads is not None
        }
        return write(self._invoice_to_write(), self.totals, self.input.profile, embedded)

    def _invoice_to_write(self) -> Invoice:
        if not self.input.is_test:
            return self.invoice
        notes = self.invoice.notes
        if notes and self.input.profile.name == "PEPPOL":
            # Peppol allows one note: the mark goes on a line of its own there.
            *others, last = notes
            marked = replace(last, text=f"{last.text}\n{_TEST_NOTE.text}")
            return replace(self.invoice, notes=(*others, marked))
        return replace(self.invoice, notes=(*notes, _TEST_NOTE))


def prepare_invoice(einvoice: EInvoiceInput) -> PreparedInvoice:
    """Read, compute and check an invoice; raise RenderFailure `einvoice_invalid`.

    `result.conformance.einvoice` of the failure has the findings.
    """
    try:
        invoice, totals = read_and_check(
            einvoice.source, einvoice.profile, einvoice.syntax, einvoice.findings_root
        )
    except InvalidInvoiceError as invalid:
        raise _invalid_failure(einvoice, invalid) from None
    completed = completed_json(einvoice.source, invoice, totals)
    return PreparedInvoice(input=einvoice, invoice=invoice, totals=totals, completed_json=completed)


def invoice_at(data: JsonObject, path: str) -> Json:
    """Return the value at a dotted path of object keys, or None."""
    value: Json = data
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _invalid_failure(einvoice: EInvoiceInput, invalid: InvalidInvoiceError) -> RenderFailure:
    report: ReportSection = {
        "profile": einvoice.profile.name,
        "syntax": einvoice.syntax,
        "status": "failed",
        "validator": None,
        "scenario": None,
        "errors": [finding.to_json() for finding in invalid.findings],
        "warnings": [],
    }
    section = fit_section(report)
    root = einvoice.findings_root
    errors = [
        FieldError(finding_pointer(str(each["path"]), root), _INVALID, str(each["message"]))
        for each in section["errors"]
    ]
    return RenderFailure(
        _INVALID,
        _summary(invalid.findings),
        errors=errors,
        result={"conformance": {"einvoice": section}},
    )


def _summary(findings: tuple[Finding, ...]) -> str:
    first, more = findings[0], len(findings) - 1
    return f"{first.message} ({first.rule})" + (f", and {more} more" if more else "")
