"""From what a request says of an e-invoice to one that can be shown and written as XML."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.core.text import safe_filename
from chalicelib.engine.conformance.bounds import bounded
from chalicelib.engine.einvoice.findings import Finding, InvalidInvoiceError
from chalicelib.engine.einvoice.model import Invoice, Note
from chalicelib.engine.einvoice.profiles import Profile, Syntax
from chalicelib.engine.einvoice.rules import examined
from chalicelib.engine.einvoice.totals import Totals
from chalicelib.engine.einvoice.write_json import completed_json

_TEST_NOTE: Final = Note(subject_code="AAI", text="TEST")


@dataclass(frozen=True, slots=True, kw_only=True)
class EInvoice:
    """An e-invoice that is asked for: `source` stands at the JSON path `root` of the request."""

    profile: Profile
    syntax: Syntax
    source: Any
    root: str
    test: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An invoice that breaks no rule, with what follows from it.

    `completed` is what pages show: so they cannot disagree with the XML.
    """

    asked: EInvoice
    invoice: Invoice
    totals: Totals
    completed: Mapping[str, Any]

    @property
    def filename(self) -> str:
        """Return the name of an XML file that has no other."""
        return safe_filename(self.invoice.number, fallback="invoice", extension="xml")

    def xml(self) -> bytes:
        """Return the invoice in its profile and syntax."""
        if self.asked.syntax == "cii":
            from chalicelib.engine.einvoice.cii import to_cii as write  # noqa: PLC0415 -- or ubl
        else:
            from chalicelib.engine.einvoice.ubl import to_ubl as write  # noqa: PLC0415 -- or cii
        return write(self._written(), self.totals, self.asked.profile)

    def _written(self) -> Invoice:
        if not self.asked.test:
            return self.invoice
        return replace(self.invoice, notes=(*self.invoice.notes, _TEST_NOTE))


def prepare(asked: EInvoice) -> Prepared:
    """Read, compute and check an invoice; raises RenderFailure `einvoice_invalid`."""
    try:
        invoice, totals = examined(asked.source, asked.profile, asked.syntax, asked.root)
    except InvalidInvoiceError as invalid:
        raise _failure(asked, invalid) from None
    completed = completed_json(asked.source, invoice, totals)
    return Prepared(asked=asked, invoice=invoice, totals=totals, completed=completed)


def invoice_at(data: Mapping[str, Any], path: str) -> Any:
    """Return what stands in the data at a dotted path of object keys; None where nothing does."""
    value: Any = data
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _failure(asked: EInvoice, invalid: InvalidInvoiceError) -> RenderFailure:
    report = {
        "profile": asked.profile.name,
        "syntax": asked.syntax,
        "status": "failed",
        "validator": None,
        "scenario": None,
        "errors": [finding.to_json() for finding in invalid.findings],
        "warnings": [],
    }
    return RenderFailure(
        "einvoice_invalid",
        _told(invalid.findings),
        result={"conformance": {"einvoice": bounded(report)}},
    )


def _told(findings: tuple[Finding, ...]) -> str:
    first, more = findings[0], len(findings) - 1
    return f"{first.message} ({first.rule})" + (f", and {more} more" if more else "")
