"""The contract's models as JSON Schema 2020-12."""

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

type _Mode = Literal["validation", "serialization"]


def model_json_schemas(
    request_models: Iterable[type[BaseModel]],
    response_models: Iterable[type[BaseModel]],
    ref_template: str,
) -> tuple[dict[Any, Any], dict[Any, Any], dict[str, Any]]:
    """Return references to the models that are read, to those that are written, and all schemas.

    `template` says where a schema stands, such as `#/components/schemas/{model}`.
    """
    asked: list[tuple[type[BaseModel], _Mode]] = [(model, "validation") for model in request_models]
    asked += [(model, "serialization") for model in response_models]
    found, definitions = models_json_schema(asked, ref_template=ref_template)
    by_mode: dict[_Mode, dict[Any, Any]] = {
        "validation": {},
        "serialization": {},
    }
    for (model, mode), reference in found.items():
        by_mode[mode][model] = reference
    return by_mode["validation"], by_mode["serialization"], definitions.get("$defs", {})
