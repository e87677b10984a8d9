"""Request models are derived from the typed options, and every option is read somewhere."""

import ast
import pickle
from pathlib import Path
from typing import Annotated, Final, TypeAliasType

import msgspec
import pytest

from chalicelib.contract import field_types
from chalicelib.contract.invoice.invoice import EInvoiceSpec
from chalicelib.contract.options import assets, http, image, output, pdf, values
from chalicelib.contract.options.base import Bounds, Options
from chalicelib.contract.options_model import OptionsModel
from chalicelib.contract.render.output import OutputSpec, output_options
from chalicelib.contract.render.pdf import Permissions
from chalicelib.contract.render.request import AssetSpec
from chalicelib.contract.validation import read_body
from chalicelib.core import json
from chalicelib.core.errors import FieldError, ServiceError

ROOT: Final = Path(__file__).parents[3] / "chalicelib"
STRUCTS: Final = [
    each
    for module in (assets, http, image, output, pdf)
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, Options) and each is not Options
]
# A request's own object, or a name that only requests have.
READ_AS_JSON: Final = {"syntax"}


class Side(Options, frozen=True):
    """Side of a paper."""

    length: Annotated[int, Bounds(ge=1, le=9)] = 3
    unit: str | None = msgspec.field(default=None, name="in")
    """Millimetres if it is absent."""


class Paper(Options, frozen=True):
    """Paper of some sides."""

    name: Annotated[str, Bounds(min_length=1, max_length=4)]
    sides: Annotated[tuple[Side, ...], Bounds(max_length=2)] = ()
    inner: Side = Side(length=5)
    color: values.Color = "red"


class SideModel(OptionsModel, of=Side):
    """A side."""


def check_sides(paper: Paper) -> None:
    """Raise ValueError for a side as long as the inner one."""
    if paper.inner in paper.sides:
        message = "sides must differ from inner"
        raise ValueError(message)


class PaperModel(OptionsModel, of=Paper, check=check_sides):
    """A paper."""


def refusal_of(**paper: object) -> FieldError:
    with pytest.raises(ServiceError) as refused:
        read(**paper)
    (error,) = refused.value.errors
    return error


def read(**paper: object) -> Paper:
    model = read_body(PaperModel, json.dumps(paper).encode(), paper)
    return Paper.from_json(model.model_dump(mode="json"))


def test_a_model_has_the_members_and_defaults_of_its_struct() -> None:
    assert read(name="A4") == Paper("A4", (), Side(), "red")
    assert read(name="A4", sides=[{"in": "cm"}]).sides == (Side(3, "cm"),)
    assert refusal_of().path == "/name"
    assert refusal_of(name="A4", unit="cm").code == "unknown"


def test_a_model_checks_the_bounds_of_its_struct() -> None:
    assert refusal_of(name="").message == "must have at least 1 characters"
    assert refusal_of(name="Legal").message == "must have at most 4 characters"
    assert refusal_of(name="A4", sides=[{}, {}, {}]).message == "must have at most 2 entries"
    low = refusal_of(name="A4", sides=[{"length": 0}])
    assert (low.path, low.message) == ("/sides/0/length", "must be at least 1")


def test_a_text_that_a_struct_names_is_checked_as_in_all_requests() -> None:
    assert refusal_of(name="A4", color="reddish").message.startswith("must be a CSS color")


def test_a_model_checks_what_its_members_are_together() -> None:
    assert (
        refusal_of(name="A4", inner={"length": 3}, sides=[{}]).message
        == "sides must differ from inner"
    )


def test_the_reference_has_the_text_below_a_member() -> None:
    unit = SideModel.model_json_schema()["properties"]["in"]

    assert unit["description"] == "Millimetres if it is absent."


def test_a_struct_does_not_check_bounds() -> None:
    """A text that grows when its template is run is read again."""
    assert Paper.from_json({"name": "Letter, turned"}).name == "Letter, turned"


def test_models_are_classes_of_their_modules() -> None:
    permissions = Permissions.model_validate({"copy": False})

    assert pickle.loads(pickle.dumps(permissions)) == permissions  # noqa: S301 -- made here
    assert AssetSpec.__module__ == "chalicelib.contract.render.request"


def test_the_default_output_is_that_of_the_struct() -> None:
    assert output_options(OutputSpec()) == output.OutputOptions()


@pytest.mark.parametrize("struct", STRUCTS)
def test_every_struct_has_a_model(struct: type[Options]) -> None:
    is_base = any(each is not struct and issubclass(each, struct) for each in STRUCTS)

    assert is_base or struct is output.EInvoiceOptions or "request_model" in vars(struct)


def test_every_named_text_has_its_checks() -> None:
    names = {name for name, each in vars(values).items() if isinstance(each, TypeAliasType)}

    assert names - vars(field_types).keys() == set()


def test_the_einvoice_of_a_request_has_the_members_of_its_struct() -> None:
    """The request has a whole invoice, of which the struct has the JSON."""
    fields = {
        field.name: field.required for field in msgspec.structs.fields(output.EInvoiceOptions)
    }
    members = {name: field.is_required() for name, field in EInvoiceSpec.model_fields.items()}

    assert fields == members


def test_every_option_is_read() -> None:
    """An option that nothing reads would be accepted and ignored."""
    read_names = {
        node.attr
        for folder in ("engine", "features", "contract/options")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }

    names = {name for struct in STRUCTS for name in struct.__struct_fields__}
    assert names - read_names - READ_AS_JSON == set()
