"""Null of a member that has a default is the default, in every body but those of changes."""

import pytest
from pydantic import BaseModel, ValidationError

from chalicelib.contract.base import Model
from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.contract.render.output import output_options
from chalicelib.contract.render.request import RenderRequest
from chalicelib.contract.template.template import TemplateChange
from tests.unit.contract.test_all_bounds import BODIES, models

MEMBERS = [
    pytest.param(model, name, id=f"{model.__name__}.{name}")
    for model in models(BODIES)
    if issubclass(model, Model) and model.null_is_default
    for name in sorted(model.names_with_default())
]


@pytest.mark.parametrize(("model", "name"), MEMBERS)
def test_null_is_the_default(model: type[BaseModel], name: str) -> None:
    refused: list[object] = []
    try:
        made = model.model_validate({name: None})
    except ValidationError as missing:
        refused = [error["loc"] for error in missing.errors() if name in error["loc"]]
    else:
        assert made == model.model_validate({})
        assert made.model_fields_set == set()
    assert refused == []


def test_null_inside_an_object_is_absent() -> None:
    request = RenderRequest.model_validate(
        {"input": {"type": "html", "html": "", "assets": None}, "output": {"pdf": {"margin": None}}}
    )

    assert request.output is not None
    assert output_options(request.output).pdf == PdfOptions()
    assert request.output.model_dump(exclude_unset=True) == {"pdf": {}}


def test_null_of_a_change_is_refused_where_it_is_no_value() -> None:
    with pytest.raises(ValidationError, match="valid string"):
        TemplateChange.model_validate({"name": None})
    assert TemplateChange.model_validate({"description": None}).model_fields_set == {"description"}
    assert TemplateChange.model_json_schema()["properties"]["name"]["type"] == "string"
