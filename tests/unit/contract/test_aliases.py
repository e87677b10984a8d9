"""The table of tolerated names: each row is another way to say a member that the model has."""

from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from chalicelib.contract.aliases import ALIASES, Alias, aliases_of, in_our_names, read_aliases
from chalicelib.contract.base import Model
from chalicelib.contract.einvoices import EInvoiceRequest
from chalicelib.contract.invoice.invoice import Invoice
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.tolerated_names import VALUES
from tests.unit.contract.test_all_bounds import BODIES, models


def all_subclasses(model: type[BaseModel]) -> set[type[BaseModel]]:
    found = set(model.__subclasses__())
    return found.union(*map(all_subclasses, found)) if found else found


# Only what is imported is a subclass.
assert models(BODIES)
MODELS = sorted(all_subclasses(Model), key=lambda each: each.__name__)
OTHER_VALUES = [each for each in ALIASES if each.other == each.ours]
APART = [
    each
    for each in ALIASES
    if not each.is_spare and not f"{each.other}.".startswith(f"{each.ours}.")
]
NAMES = [each for each in ALIASES if each.other != each.ours]


def row_id(alias: Alias) -> str:
    return f"{alias.model}.{alias.other}-{alias.ours}"


def models_of(alias: Alias) -> list[type[BaseModel]]:
    return [each for each in MODELS if alias in aliases_of(each)]


def has_member(model: type[BaseModel], path: tuple[str, ...]) -> bool:
    name, *inner = path
    fields = {field.alias or each: field.annotation for each, field in model.model_fields.items()}
    if name not in fields:
        return False
    return not inner or any(has_member(each, tuple(inner)) for each in models_in(fields[name]))


def models_in(hint: object) -> list[type[BaseModel]]:
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return [hint]
    return [model for each in get_args(hint) for model in models_in(each)]


@pytest.mark.parametrize("alias", ALIASES, ids=row_id)
def test_models_have_our_names_alone(alias: Alias) -> None:
    known = models_of(alias)

    assert known, "no model has this row"
    for model in known:
        assert has_member(model, alias.our_path), f"{model.__name__} has no {alias.ours}"
        if alias.other != alias.ours:
            assert not has_member(model, alias.other_path), f"{model.__name__} has {alias.other}"


def test_each_row_has_values_that_show_it() -> None:
    assert set(VALUES) == {row_id(each) for each in ALIASES}


@pytest.mark.parametrize("alias", ALIASES, ids=row_id)
def test_value_is_read_as_ours(alias: Alias) -> None:
    given, expected = VALUES[row_id(alias)]

    assert read_aliases([alias], nested(alias.other_path, given)) == (
        {} if expected is None else nested(alias.our_path, expected)
    )


@pytest.mark.parametrize("alias", APART, ids=row_id)
@pytest.mark.parametrize("is_ours_first", [True, False])
def test_second_of_two_names_is_refused(alias: Alias, *, is_ours_first: bool) -> None:
    given, _ = VALUES[row_id(alias)]
    names = [alias.our_path, alias.other_path]
    first, second = names if is_ours_first else reversed(names)

    with pytest.raises(ValidationError) as refused:
        read_aliases([alias], nested(first, given) | nested(second, given))

    (error,) = refused.value.errors()
    assert error["loc"] == second
    assert error["msg"] == f"says the same as {'.'.join(first)}: give one of them"


@pytest.mark.parametrize("alias", NAMES, ids=row_id)
def test_null_stays_null(alias: Alias) -> None:
    read = read_aliases([alias], nested(alias.other_path, None))

    assert read == nested(alias.our_path, None)


@pytest.mark.parametrize("alias", OTHER_VALUES, ids=row_id)
def test_values_of_ours_stay(alias: Alias) -> None:
    _, ours = VALUES[row_id(alias)]

    assert read_aliases([alias], nested((alias.ours,), ours)) == {alias.ours: ours}


def test_other_names_of_one_member_are_two_as_well() -> None:
    with pytest.raises(ValidationError) as refused:
        read_aliases(
            [each for each in ALIASES if each.model == "PdfOptions"],
            {"single_page": True, "paper": {"height": "20cm"}},
        )

    assert [error["loc"] for error in refused.value.errors()] == [("paper", "height")]


def test_own_type_counts_beside_a_data_uri() -> None:
    rows = [each for each in ALIASES if each.model == "Attachment"]
    uri = "data:text/plain;charset=utf-8;base64,aGFsbG8="

    assert read_aliases(rows, {"data_uri": uri, "mime_type": "text/csv"}) == {
        "content": "aGFsbG8=",
        "content_type": "text/csv",
    }
    assert read_aliases(rows, {"data_uri": uri}) == {
        "content": "aGFsbG8=",
        "content_type": "text/plain",
    }


def test_what_is_given_stays_as_it_was() -> None:
    body: dict[str, Any] = {"input": {"type": "template", "version": 3}, "output": {"pdf": {}}}
    rows = [each for each in ALIASES if each.model in {"RenderRequest", "OutputSpec"}]

    read = read_aliases(rows, body)

    assert read == {"input": {"type": "template"}, "output": {"pdf": {}}, "version": 3}
    assert body["input"]["version"] == 3
    assert read_aliases(rows, {"input": {}}) == {"input": {}}


def test_invoice_is_given_on_in_our_names() -> None:
    ours = invoice_json()
    line = {**ours["lines"][0], "quantity": 1.50}
    ours["lines"] = [line]
    theirs = {**ours, "lines": [{"tax" if n == "vat" else n: v for n, v in line.items()}]}

    assert "tax" in theirs["lines"][0]
    assert in_our_names(Invoice, theirs) == ours
    assert in_our_names(Invoice, ours) == ours
    EInvoiceRequest.model_validate({"profile": "EN16931", "invoice": theirs})


def nested(path: tuple[str, ...], value: object) -> dict[str, Any]:
    name, *inner = path
    return {name: nested(tuple(inner), value) if inner else value}
