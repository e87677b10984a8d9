"""Models offer what the contract lists, and the inner code agrees with them."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, TypeAliasType, get_args, get_origin

import pytest

from chalicelib import contract
from chalicelib.contract.base import Model
from chalicelib.core.json import Json
from chalicelib.engine.formats import FORMATS
from chalicelib.features.renders import model
from tests.architecture.contract_shapes import ENUMS, SHAPES, WARNINGS
from tests.builders import validation_results
from tests.builders.problem_catalogue import BROWSER_WARNINGS, DELIVERY_WARNINGS

CODE = Path(contract.__file__).parents[1]


def models() -> dict[str, type[Model]]:
    """Return every model of the contract by name."""
    found: dict[str, type[Model]] = {}
    for module in pkgutil.walk_packages(contract.__path__, f"{contract.__name__}."):
        members = vars(importlib.import_module(module.name)).values()
        kinds = [kind for kind in members if isinstance(kind, type) and issubclass(kind, Model)]
        found |= {kind.__name__: kind for kind in kinds if kind.__module__ == module.name}
    return found


def values(annotation: Any) -> Iterator[str]:
    """Yield the literal values of a field, at any depth."""
    if annotation is Json:  # The caller's own, and recursive.
        return
    if isinstance(annotation, TypeAliasType):
        yield from values(annotation.__value__)
    elif get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif annotation is not Any:
        for argument in get_args(annotation):
            yield from values(argument)


def enums() -> dict[str, set[str]]:
    fields = (
        (f"{name}.{info.alias or field}", set(map(str, values(info.annotation))))
        for name, kind in models().items()
        for field, info in kind.model_fields.items()
    )
    return {name: words for name, words in fields if words}


def emitted_warnings() -> Iterator[str]:
    for path in CODE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _warns(ast.unparse(node.func)):
                assert node.args, f"{path}: a warning's code comes first"
                if isinstance(node.args[0], ast.Constant):
                    yield ast.literal_eval(node.args[0])


def _warns(called: str) -> bool:
    return called.rpartition(".")[2].removeprefix("_") in {"RenderWarning", "warn"}


def test_every_enumeration_equals_the_contract() -> None:
    assert enums() == {name: set(ENUMS[name].split()) for name in ENUMS}


def test_warnings_equal_the_contract() -> None:
    codes = set(emitted_warnings())

    # One of each way to warn, so that a renamed one is missed.
    assert {"asset_failed", "einvoice_skipped_plan"} <= codes
    assert codes <= set(WARNINGS.split())
    assert (
        set(WARNINGS.split()) - DELIVERY_WARNINGS
        == BROWSER_WARNINGS.keys() | validation_results.PROVOKED_VALIDATION_WARNINGS.keys()
    )


@pytest.mark.parametrize("name", SHAPES)
def test_every_model_has_the_contract_fields(name: str) -> None:
    assert list(models()[name].model_fields) == SHAPES[name].split()


@pytest.mark.parametrize(
    ("inside", "field"),
    [
        (model.RenderStatus, "Render.status"),
        (model.RunMode, "RenderRequest.mode"),
        (model.DeliveryType, "DeliverySpec.type"),
    ],
)
def test_inner_enumerations_equal_the_published_ones(inside: Any, field: str) -> None:
    assert set(values(inside)) == enums()[field]


def test_every_offered_format_can_be_rendered() -> None:
    # `xml` is not rendered: it is written from the invoice.
    assert {format_.name for format_ in FORMATS} | {"xml"} == enums()["OutputSpec.formats"]
