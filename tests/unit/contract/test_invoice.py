"""Invoice of the contract and of the engine: both accept and refuse the same JSON."""

import copy
import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final, get_args, get_origin, get_type_hints

import pytest

from chalicelib.contract.invoice import constraints
from chalicelib.contract.invoice.field_types import EInvoiceProfile, XmlProfile
from chalicelib.contract.invoice.invoice import EInvoiceSpec
from chalicelib.contract.invoice.invoice import Invoice as Contract
from chalicelib.contract.validation import read_body
from chalicelib.core.errors import ServiceError
from chalicelib.engine.einvoice import data_types as v
from chalicelib.engine.einvoice.findings import InvalidInvoiceError
from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.write_json import invoice_json as written
from tests.builders.invoices.invoice_json import ABSENT, invoice_json

type Path = tuple[str | int, ...]

_FORMS: Final = {
    constraints.INVOICE_TYPE_CODE_PATTERN: "380",
    constraints.SUBJECT_CODE_PATTERN: "AAI",
    constraints.CURRENCY_PATTERN: "EUR",
    constraints.COUNTRY_PATTERN: "DE",
    constraints.PAYMENT_MEANS_PATTERN: "58",
    constraints.UNIT_PATTERN: "HUR",
}
# Replacement values; the longest texts are at and above every bound.
_TEXTS: Final = ("", " ", "ab", "AB", "ABC", "abcd", "a\x01c", "1", "-1", "1.25", "1.234567")
_WORDS: Final = ("1.2345678", "1e3", "101", "1234567890", "12345678901", "2026-02-30", "20260201")
_LONG: Final = tuple("x" * n for n in (50, 51, 200, 201, 1000, 1001, 2000, 2001, 5000, 5001))
_OTHERS: Final[tuple[Any, ...]] = (
    None,
    True,
    0,
    -1,
    1.5,
    1e-7,
    101,
    10**10,
    10**40,
    [],
    {},
    [None],
    {"foo": 1},
)
PROBES: Final = (*_TEXTS, *_WORDS, *_LONG, *_OTHERS)


def sample(hint: Any) -> Any:
    """Return JSON with every field of the engine's model."""
    if type(None) in get_args(hint):
        hint = next(each for each in get_args(hint) if each is not type(None))
    marks: Sequence[Any] = getattr(hint, "__metadata__", ())
    plain = hint.__origin__ if marks else hint
    if get_origin(plain) is tuple:
        return [sample(get_args(plain)[0])]
    if get_origin(plain) is Mapping:
        return {"E": sample(get_args(plain)[1])}
    if is_dataclass(plain):
        hints = get_type_hints(plain, include_extras=True)
        return {each.name: sample(hints[each.name]) for each in fields(plain)}
    return "2026-02-01" if plain is dt.date else _sample_text(marks[0])


def _sample_text(mark: v.TextConstraint | v.ChoiceConstraint | v.DecimalConstraint) -> str:
    match mark:
        case v.TextConstraint(pattern=form):
            return _FORMS[form] if form else "DE1"
        case v.ChoiceConstraint(values=words):
            return words[0]
        case _:
            return "1"


def paths(value: Any, at: Path = ()) -> Iterator[Path]:
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for step, member in () if isinstance(value, str) else inner:
        yield from paths(member, (*at, step))


def replaced(value: Any, path: Path, by: Any) -> Any:
    """Return a value with another one at a path, or without it where `by` is Ellipsis."""
    if not path:
        return by
    result = copy.copy(value)
    if len(path) == 1 and by is ...:
        del result[path[0]]
    else:
        result[path[0]] = replaced(value[path[0]], path[1:], by)
    return result


def contract_takes(value: Any) -> bool:
    try:
        read_body(Contract, json.dumps(value).encode(), value)
    except ServiceError:
        return False
    return True


def engine_takes(value: Any) -> bool:
    try:
        read_invoice(json.loads(json.dumps(value)), "invoice")
    except InvalidInvoiceError:
        return False
    return True


COMPLETE: Final = sample(Invoice)


def test_complete_invoice_round_trips() -> None:
    assert contract_takes(COMPLETE)
    assert written(read_invoice(COMPLETE, "invoice")) == COMPLETE


@pytest.mark.parametrize("path", [path for path in paths(COMPLETE) if path], ids=str)
def test_contract_and_engine_accept_and_refuse_the_same(path: Path) -> None:
    changed = [replaced(COMPLETE, path, by) for by in (..., *PROBES)]
    disagreed = [
        by
        for by, invoice in zip((..., *PROBES), changed, strict=True)
        if contract_takes(invoice) != engine_takes(invoice)
        # An empty allowance has a valid shape but no amount (BR-41).
        and not (by == {} and path[-2:-1] in {("allowances",), ("charges",)})
    ]

    assert disagreed == []


def test_unknown_fields_are_refused() -> None:
    for path in paths(COMPLETE):
        holder = COMPLETE
        for step in path:
            holder = holder[step]
        if isinstance(holder, dict):
            invoice = replaced(COMPLETE, path, {**holder, "foo": "1"})
            assert not contract_takes(invoice), path
            assert not engine_takes(invoice), path


@pytest.mark.parametrize("path", [path for path in paths(COMPLETE) if path[-1:] == (0,)], ids=str)
def test_array_lengths_equal_the_contract(path: Path) -> None:
    most = 10_000 if path == ("lines", 0) else 100
    entry = COMPLETE
    for step in path:
        entry = entry[step]
    for entries, taken in ((most, True), (most + 1, False)):
        invoice = replaced(COMPLETE, path[:-1], [entry] * entries)
        assert contract_takes(invoice) is taken
        assert engine_takes(invoice) is taken


def test_enumerations_equal_the_engine_values() -> None:
    schema = Contract.model_json_schema()["$defs"]

    assert schema["InvoiceVat"]["properties"]["category"]["enum"] == [*constraints.VAT_CATEGORIES]
    assert get_args(XmlProfile) == tuple(PROFILES)
    assert get_args(EInvoiceProfile) == tuple(
        name for name, profile in PROFILES.items() if profile.xmp_level
    )


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"number": ABSENT}, "/number"),
        ({"lines": []}, "/lines"),
        ({"lines[1].vat.category": "X"}, "/lines/1/vat/category"),
        ({"lines[0].price.net": "1,50"}, "/lines/0/price/net"),
        ({"prepaid_amount": 1.234}, "/prepaid_amount"),
        ({"line_total": "1.00"}, "/line_total"),
        ({"seller.name": "a\x00"}, "/seller/name"),
        ({"tax_point_date_code": "4"}, "/tax_point_date_code"),
    ],
)
def test_a_refusal_points_at_the_field(changes: dict[str, Any], path: str) -> None:
    value = invoice_json(changes)

    with pytest.raises(ServiceError) as refused:
        read_body(Contract, json.dumps(value).encode(), value)

    assert [error.path for error in refused.value.errors] == [path]


@pytest.mark.parametrize(
    ("spec", "taken"),
    [
        ({"invoice": invoice_json()}, True),
        ({"invoice_path": "order.invoice"}, True),
        ({"invoice_path": "order..invoice"}, False),
        ({"invoice_path": ""}, False),
        ({}, False),
        ({"invoice": invoice_json(), "invoice_path": "invoice"}, False),
        ({"invoice_path": "invoice", "syntax": "cii"}, True),
        ({"invoice_path": "invoice", "syntax": "ubl"}, False),
        ({"invoice_path": "invoice", "profile": "COMFORT"}, False),
    ],
)
def test_a_pdf_carries_one_invoice_in_cii(spec: dict[str, Any], taken: bool) -> None:  # noqa: FBT001 -- a table's column
    value = {"profile": "EN16931", **spec}
    try:
        read_body(EInvoiceSpec, json.dumps(value).encode(), value)
    except ServiceError:
        assert not taken
    else:
        assert taken
