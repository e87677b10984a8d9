"""Fields of the routes that carry an id of this service, read from the route table."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel

from chalicelib.api.edge.endpoint import Endpoint

_ID_NAME: Final = re.compile(r"(.+_)?ids?")
_PATH_PARAMETER: Final = re.compile(r"\{(\w+)\+?\}")
# Ids of others: of an invoice, of the layers of a scene, of a template at an email provider.
_NOT_OURS: Final = re.compile(
    r".*/invoice/(?!.*upload_id$).*|.*/layers/\*/id|.*/provider_template/id|\{number\}"
)


def route_of(endpoint: Endpoint) -> str:
    """Return method and path."""
    return f"{endpoint.method} {endpoint.path}"


def id_fields(endpoint: Endpoint) -> list[str]:
    """Return `{parameter}` of the path, `?name` of the query and JSON Pointers of the body.

    `*` stands for each entry of a list.
    """
    path = [f"{{{name}}}" for name in _PATH_PARAMETER.findall(endpoint.path)]
    query = [f"?{steps[-1]}" for steps in _ids_in(endpoint.query_model)]
    body = ["/" + "/".join(steps) for steps in _ids_in(endpoint.body_model)]
    fields = dict.fromkeys([*path, *sorted(query), *sorted(body)])
    return [each for each in fields if not _NOT_OURS.fullmatch(each)]


def _ids_in(model: type[BaseModel] | None) -> Iterator[tuple[str, ...]]:
    if model is None:
        return
    schema = model.model_json_schema()
    yield from _ids_of_schema(schema, schema.get("$defs", {}), (), ())


def _ids_of_schema(
    schema: Mapping[str, Any],
    definitions: Mapping[str, Any],
    steps: tuple[str, ...],
    seen: tuple[str, ...],
) -> Iterator[tuple[str, ...]]:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name not in seen:
            yield from _ids_of_schema(definitions[name], definitions, steps, (*seen, name))
        return
    for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _ids_of_schema(each, definitions, steps, seen)
    for name, each in schema.get("properties", {}).items():
        if _ID_NAME.fullmatch(name):
            yield (*steps, name)
        yield from _ids_of_schema(each, definitions, (*steps, name), seen)
    entries = schema.get("items")
    if entries is not None:
        yield from _ids_of_schema(entries, definitions, (*steps, "*"), seen)
