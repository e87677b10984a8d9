"""JSON reader of invoices: builds the model and reports every mismatch as a finding.

The readers are made from the annotations of the model, once for each class.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from typing import Annotated, Final, get_args, get_origin, get_type_hints

from chalicelib.contract.invoice.constraints import check_printable
from chalicelib.core.json import Json
from chalicelib.core.nearest import did_you_mean
from chalicelib.core.text import mismatch_message
from chalicelib.engine.einvoice import data_types as v
from chalicelib.engine.einvoice.findings import MAX_FINDINGS, Finding, InvalidInvoiceError
from chalicelib.engine.einvoice.model import Invoice

_ISO_DATE: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INVALID: Final = object()
_DEFAULT_ARRAY: Final = v.ArrayConstraint()
# A finding quotes an unknown name, which may be of any length, up to here.
_MAX_NAME_CHARACTERS: Final = 100
# Unknown names of more findings are not compared with the known ones.
_MAX_COMPARED: Final = 20
# EN 16931 has its own rule for some required fields; the others get PLT-REQUIRED.
_REQUIRED_RULES: Final = {
    "number": "BR-02",
    "issue_date": "BR-03",
    "currency": "BR-05",
    "seller.name": "BR-06",
    "buyer.name": "BR-07",
    "seller.address": "BR-08",
    "seller.address.country": "BR-09",
    "buyer.address.country": "BR-11",
    "lines": "BR-16",
    "payee.name": "BR-17",
    "tax_representative.name": "BR-18",
    "tax_representative.address": "BR-19",
    "tax_representative.address.country": "BR-20",
    "lines.quantity": "BR-22",
    "lines.item.name": "BR-25",
    "lines.price.net": "BR-26",
    "lines.vat": "BR-CO-04",
    "lines.vat.category": "BR-CO-04",
    "lines.allowances": "BR-41",
    "lines.charges": "BR-43",
    "allowances.vat": "BR-32",
    "allowances.vat.category": "BR-32",
    "charges.vat": "BR-37",
    "charges.vat.category": "BR-37",
    "payment.means_code": "BR-49",
    "payment.credit_transfers.account_id": "BR-50",
    "supporting_documents.id": "BR-52",
    "lines.item.attributes.name": "BR-54",
    "lines.item.attributes.value": "BR-54",
    "preceding_invoices.number": "BR-55",
    "tax_representative.vat_id": "BR-56",
    "delivery.address.country": "BR-57",
    "lines.item.classifications.scheme": "BR-65",
}


def read_invoice(source: Json, root: str) -> Invoice:
    """Read an invoice; raise InvalidInvoiceError with all findings.

    `root` is the JSON path of the invoice in the request; paths of findings begin with it.
    Blank texts, empty arrays and empty objects count as absent. A line without `id` gets its
    position, counted from 1.
    """
    report = _FindingCollector(root, [])
    if source is None:
        report.add_missing(root)
    numbered = _with_line_ids(source, report)
    invoice = None if source is None else _object_reader(Invoice)(numbered, root, report)
    if report.findings:
        raise InvalidInvoiceError(report.findings)
    assert isinstance(invoice, Invoice)
    return invoice


@dataclass(frozen=True, slots=True)
class _FindingCollector:
    """Findings collected so far, at most MAX_FINDINGS."""

    root: str
    findings: list[Finding]

    def add(self, rule: str, path: str, message: str) -> object:
        """Add a finding, unless the list is full, and return _INVALID."""
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(Finding(rule, f"{path} {message}", path))
        return _INVALID

    def add_unknown(self, path: str, name: str, known: Iterable[str]) -> object:
        """Add a finding for an unknown field, the first ones with the nearest known name."""
        is_compared = len(self.findings) < _MAX_COMPARED
        meant = did_you_mean(name, known) if is_compared else ""
        return self.add("PLT-UNKNOWN-FIELD", path, f"is not known{meant}")

    def add_missing(self, path: str) -> object:
        """Add a finding for an absent required field and return _INVALID."""
        name = re.sub(r"\[\d+\]", "", path.removeprefix(self.root + "."))
        return self.add(_REQUIRED_RULES.get(name, "PLT-REQUIRED"), path, "is required")


# A reader returns the value, None if it is absent, or _INVALID after it has reported a finding.
type _JsonReader = Callable[[Json, str, _FindingCollector], object]


def _with_line_ids(source: Json, report: _FindingCollector) -> Json:
    """Give each line without `id` its position, unless another line names itself so.

    Two lines may name themselves alike: the official sheets allow it.
    """
    if not isinstance(source, Mapping):
        return source
    lines = source.get("lines")
    if not isinstance(lines, list):
        return source
    ids = (line.get("id") for line in lines if isinstance(line, Mapping))
    own_ids = {each for each in ids if isinstance(each, str)}
    numbered: list[Json] = []
    for n, line in enumerate(lines, 1):
        if not isinstance(line, Mapping) or not _is_blank(line.get("id")):
            numbered.append(line)
            continue
        if str(n) in own_ids:
            message = f"is required: its position, {n}, is another line's id"
            report.add("PLT-LINE-ID", f"{report.root}.lines[{n - 1}].id", message)
        numbered.append({**line, "id": str(n)})
    return {**source, "lines": numbered}


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


@cache
def _object_reader(kind: type) -> _JsonReader:
    hints = get_type_hints(kind, include_extras=True)
    members = {
        each.name: (_annotation_reader(hints[each.name]), _is_required(each))
        for each in fields(kind)
    }

    def read(source: Json, path: str, report: _FindingCollector) -> object:
        if not isinstance(source, Mapping):
            return report.add("PLT-TYPE", path, "must be an object")
        values: dict[str, object] = {}
        for name in [name for name in source if name not in members]:
            values[name] = report.add_unknown(_member_path(path, name), name, members)
        for name, (read_member, required) in members.items():
            raw = source.get(name)
            value = None if raw is None else read_member(raw, f"{path}.{name}", report)
            if value is None and required:
                value = report.add_missing(f"{path}.{name}")
            if value is not None:
                values[name] = value
        if any(value is _INVALID for value in values.values()):
            return _INVALID
        return kind(**values) if values else None

    return read


def _is_required(member: Field[object]) -> bool:
    return member.default is MISSING and member.default_factory is MISSING


def _member_path(path: str, name: str) -> str:
    name = name[:_MAX_NAME_CHARACTERS]
    return f"{path}.{name}" if name.isidentifier() else f"{path}[{name!r}]"


def _annotation_reader(hint: object) -> _JsonReader:
    """Return the reader for an annotation of the model."""
    # `X | None` is read like X: only a default decides whether a member is required.
    if type(None) in get_args(hint):
        hint = next(each for each in get_args(hint) if each is not type(None))
    bare_type, *constraints = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if get_origin(bare_type) is tuple:
        return _array_reader(_annotation_reader(get_args(bare_type)[0]), *constraints)
    if get_origin(bare_type) is Mapping:
        keys, kind = get_args(bare_type)
        return _mapping_reader(keys.__metadata__[0], _annotation_reader(kind))
    if constraints:
        return _constrained_reader(constraints[0])
    return _read_date if bare_type is dt.date else _object_reader(bare_type)


def _constrained_reader(
    constraint: v.TextConstraint | v.ChoiceConstraint | v.DecimalConstraint,
) -> _JsonReader:
    match constraint:
        case v.TextConstraint():
            return _text_reader(constraint)
        case v.ChoiceConstraint():
            return _choice_reader(constraint)
        case v.DecimalConstraint():
            return _decimal_reader(constraint)


def _text_reader(constraint: v.TextConstraint) -> _JsonReader:
    def read(source: Json, path: str, report: _FindingCollector) -> object:
        if not isinstance(source, str):
            return report.add("PLT-TYPE", path, "must be a string")
        if constraint.pattern:
            matches = re.fullmatch(constraint.pattern, source) is not None
            return (
                source
                if matches
                else report.add("PLT-FORMAT", path, mismatch_message(constraint.pattern))
            )
        if not constraint.min_length and not source.strip():
            return None
        if not constraint.min_length <= len(source) <= constraint.max_length:
            bounds = f"must have {constraint.min_length or 1} to {constraint.max_length} characters"
            return report.add("PLT-LENGTH", path, bounds)
        return _convert(check_printable, source, path, report)

    return read


def _choice_reader(constraint: v.ChoiceConstraint) -> _JsonReader:
    def read(source: Json, path: str, report: _FindingCollector) -> object:
        if source in constraint.values:
            return source
        return report.add("PLT-FORMAT", path, f"must be one of {', '.join(constraint.values)}")

    return read


def _decimal_reader(constraint: v.DecimalConstraint) -> _JsonReader:
    def read(source: Json, path: str, report: _FindingCollector) -> object:
        if isinstance(source, bool) or not isinstance(source, str | int | float):
            return report.add("PLT-TYPE", path, "must be a decimal string or a number")
        return _convert(constraint.parse, source, path, report)

    return read


def _read_date(source: Json, path: str, report: _FindingCollector) -> object:
    if isinstance(source, str) and _ISO_DATE.fullmatch(source):
        with suppress(ValueError):
            return dt.date.fromisoformat(source)
    return report.add("PLT-FORMAT", path, "must be a date such as 2026-01-31")


def _array_reader(
    read_entry: _JsonReader, constraint: v.ArrayConstraint = _DEFAULT_ARRAY
) -> _JsonReader:
    def read(source: Json, path: str, report: _FindingCollector) -> object:
        if not isinstance(source, list):
            return report.add("PLT-TYPE", path, "must be an array")
        if len(source) > constraint.max_items:
            return report.add(
                "PLT-LENGTH", path, f"must have at most {constraint.max_items} entries"
            )
        values = []
        for n, entry in enumerate(source):
            value = read_entry(entry, f"{path}[{n}]", report)
            values.append(report.add_missing(f"{path}[{n}]") if value is None else value)
        if any(value is _INVALID for value in values):
            return _INVALID
        return tuple(values) or None

    return read


def _mapping_reader(keys: v.ChoiceConstraint, read_entry: _JsonReader) -> _JsonReader:
    def read(source: Json, path: str, report: _FindingCollector) -> object:
        if not isinstance(source, Mapping):
            return report.add("PLT-TYPE", path, "must be an object")
        values = {
            key: read_entry(entry, f"{path}.{key}", report)
            if key in keys.values
            else report.add("PLT-UNKNOWN-FIELD", _member_path(path, key), "is not known")
            for key, entry in source.items()
        }
        if any(value is _INVALID for value in values.values()):
            return _INVALID
        return {key: value for key, value in values.items() if value is not None}

    return read


def _convert[Source](
    read: Callable[[Source], object], source: Source, path: str, report: _FindingCollector
) -> object:
    try:
        return read(source)
    except ValueError as error:
        return report.add("PLT-FORMAT", path, str(error))
