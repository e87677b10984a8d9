"""JSON Schema 2020-12 of the contract's models."""

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import JsonSchemaValue, models_json_schema

type _Mode = Literal["validation", "serialization"]
type _References = dict[type, JsonSchemaValue]


def model_json_schemas(
    request_models: Iterable[type[BaseModel]],
    response_models: Iterable[type[BaseModel]],
    ref_template: str,
) -> tuple[_References, _References, dict[str, JsonSchemaValue]]:
    """Return the references of the request models, those of the response models, and all schemas.

    `ref_template` is the form of a reference, such as `#/components/schemas/{model}`.
    """
    models_and_modes: list[tuple[type[BaseModel], _Mode]] = [
        (model, "validation") for model in request_models
    ]
    models_and_modes += [(model, "serialization") for model in response_models]
    references, definitions = models_json_schema(models_and_modes, ref_template=ref_template)
    by_mode: dict[_Mode, _References] = {
        "validation": {},
        "serialization": {},
    }
    for (model, mode), reference in references.items():
        by_mode[mode][model] = reference
    return by_mode["validation"], by_mode["serialization"], definitions.get("$defs", {})


def type_json_schema(kind: object, ref_template: str) -> JsonSchemaValue:
    """Return the schema of a type of members, without those of the models that it refers to."""
    adapter: TypeAdapter[object] = TypeAdapter(kind)
    schema = adapter.json_schema(ref_template=ref_template)
    schema.pop("$defs", None)
    return schema
