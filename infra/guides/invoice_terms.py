"""Table of the fields of an invoice by the terms of EN 16931 (BT and BG numbers).

The numbers stand in the descriptions of the contract's models. A model that occurs in several
places, such as an address, names one number for each of them, in the order of `_PLACES`.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from chalicelib.contract.base import Model
from chalicelib.contract.invoice.business_groups import (
    InvoiceAddress,
    InvoiceAdjustment,
    InvoiceContact,
    InvoiceIdentifier,
    InvoicePeriod,
    InvoiceVat,
)
from chalicelib.contract.invoice.invoice import Invoice
from chalicelib.contract.json_schemas import model_json_schemas
from chalicelib.contract.render.conformance_report import InvoiceTotals
from infra.guides.markdown import code, table
from infra.guides.profile_fields import smallest_profile

_HEAD: Final = ("Term", "Field", "Needed", "From profile", "What it is")
_MODELS: Final[Mapping[str, tuple[type[Model], str]]] = {
    "Invoice": (Invoice, "no"),
    "InvoiceTotals": (InvoiceTotals, "computed"),
}
_PARTIES: Final = ("seller", "buyer", "tax_representative", "delivery")
_ADJUSTMENTS: Final = ("allowances[]", "charges[]", "lines[].allowances[]", "lines[].charges[]")
# Where a model with several numbers occurs: the first number is that of the first place.
_PLACES: Final[Mapping[type[Model], tuple[str, ...]]] = {
    InvoiceAddress: _PARTIES,
    InvoiceContact: _PARTIES,
    InvoiceAdjustment: _ADJUSTMENTS,
    InvoiceVat: ("allowances[]", "charges[]", "lines[]"),
    InvoicePeriod: ("invoice_period", "lines[]"),
}
_TERMS: Final = re.compile(r"\s*\((B[TG]-[0-9]+(?:,\s+B[TG]-[0-9]+)*)\)")


def terms_table(name: str) -> str:
    """Return the fields of an invoice with their terms; the name is that of a model.

    `Invoice` are the fields that a request sends, `InvoiceTotals` those that are computed.
    """
    if name not in _MODELS:
        message = f"{name}: {' or '.join(_MODELS)} is expected"
        raise ValueError(message)
    model, optional = _MODELS[name]
    return table(_HEAD, _rows(model, "", optional))


def _rows(model: type[Model], prefix: str, optional: str) -> Iterator[tuple[str, ...]]:
    descriptions = _definitions()[model.__name__]["properties"]
    for name, field in model.model_fields.items():
        path = f"{prefix}{name}"
        terms, text = _split(" ".join(descriptions[name].get("description", "").split()))
        inner = _inner(field)
        needed = "yes" if field.is_required() and optional == "no" else optional
        term = ", ".join(terms if len(terms) == 1 or inner else [_at(model, path, terms)])
        field_path = path + (inner[1] if inner else "")
        is_identifier = inner is not None and inner[0] is InvoiceIdentifier
        names = (
            f"{code(f'{field_path}.id')}, {code('.scheme')}" if is_identifier else code(field_path)
        )
        yield term, names, needed, code(smallest_profile(field_path)), text
        if inner and not is_identifier:
            yield from _rows(inner[0], f"{field_path}.", optional)


@cache
def _definitions() -> dict[str, dict[str, Any]]:
    models = [model for model, _ in _MODELS.values()]
    return model_json_schemas(models, [], "#/$defs/{model}")[2]


def _split(description: str) -> tuple[list[str], str]:
    """Return the terms of a description, and its text without them."""
    match = _TERMS.search(description)
    if match is None:
        return [""], description
    return re.split(r",\s+", match[1]), _TERMS.sub("", description, count=1)


def _at(model: type[Model], path: str, terms: list[str]) -> str:
    """Return the term of a field whose model occurs in several places."""
    for owner, places in _PLACES.items():
        if issubclass(model, owner):
            found = [n for n, place in enumerate(places) if path.startswith(f"{place}.")]
            return terms[found[0]]
    message = f"{model.__name__}: no places for {path} {terms}"
    raise ValueError(message)


def _inner(field: FieldInfo) -> tuple[type[Model], str] | None:
    """Return the model of a field's value or entries, and how a path names them."""
    return _model_in(field.annotation, "")


def _model_in(kind: Any, suffix: str) -> tuple[type[Model], str] | None:
    if isinstance(kind, type) and issubclass(kind, Model):
        return kind, suffix
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        return next(filter(None, (_model_in(each, suffix) for each in arguments)), None)
    if origin is Annotated:
        return _model_in(arguments[0], suffix)
    if origin is list:
        return _model_in(arguments[0], f"{suffix}[]")
    if origin is dict:
        return _model_in(arguments[1], f"{suffix}.*")
    return None
