"""Operations of the document: parameters, bodies and answers of the endpoints."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import msgspec

from chalicelib.api.edge.endpoint import JSON, Endpoint, import_model
from chalicelib.api.edge.openapi import objects as oas
from chalicelib.api.edge.openapi.headers import answer_headers
from chalicelib.api.edge.openapi.path_parameters import path_parameters
from chalicelib.api.edge.openapi.responses import ProblemResponses
from chalicelib.api.edge.openapi.schemas import with_default_in_words, without_null
from chalicelib.api.edge.request_body import MULTIPART_TYPE
from chalicelib.contract.meta import ProblemDetails

if TYPE_CHECKING:
    from pydantic import BaseModel

_BINARY_SCHEMA: Final[oas.Schema] = {"type": "string", "format": "binary"}
# A page for people is read as text, a file as bytes.
_PAGE_SCHEMA: Final[oas.Schema] = {"type": "string"}
FORMS: Final[Mapping[str, oas.Schema]] = {
    "UploadFile": {
        "type": "object",
        "description": "A file, sent at once.",
        "required": ["file"],
        "properties": {
            "file": {**_BINARY_SCHEMA, "description": "The file, with its name and type."}
        },
    }
}
_FORM_SCHEMA: Final[oas.Schema] = {"$ref": f"{oas.SCHEMAS}UploadFile"}


class OperationWriter(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Writer of operation objects; has the schemas of all models."""

    inputs: "Mapping[type[BaseModel], oas.Schema]"
    outputs: "Mapping[type[BaseModel], oas.Schema]"
    definitions: Mapping[str, oas.Schema]
    problems: ProblemResponses

    def operation(self, row: Endpoint) -> oas.Operation:
        """Return the operation of an endpoint."""
        operation: oas.Operation = {
            "operationId": row.operation_id,
            "summary": row.summary,
            "description": _description(row),
            "tags": [row.tag],
            "parameters": [
                *path_parameters(row.path),
                *self._query_parameters(row),
                *_header_parameters(row),
            ],
            "responses": self._responses(row),
        }
        if row.auth.scope is None:
            operation["security"] = []
        else:
            operation["x-scope"] = row.auth.scope
        if row.body or row.media_types != (JSON,):
            operation["requestBody"] = self._request_body(row)
        if not operation["description"]:
            del operation["description"]
        if not row.tag:
            del operation["tags"]
        return operation

    def _query_parameters(self, row: Endpoint) -> Iterable[oas.Parameter]:
        if row.query_model is None:
            return
        reference = self.inputs[row.query_model]["$ref"]
        schema = self.definitions[reference.rpartition("/")[2]]
        required = schema.get("required", ())
        for name, field in schema.get("properties", {}).items():
            yield {
                "name": name,
                "in": "query",
                "required": name in required,
                "description": field.get("description", ""),
                "schema": _parameter_schema(field),
                **({"style": "deepObject"} if name in row.query_model.keyed else {}),
            }

    def _request_body(self, row: Endpoint) -> oas.RequestBody:
        content: dict[str, oas.MediaType] = {
            kind: {"schema": _FORM_SCHEMA if kind == MULTIPART_TYPE else _BINARY_SCHEMA}
            for kind in row.media_types
        }
        if row.body_model is not None:
            content[JSON] = {"schema": self.inputs[row.body_model]}
        return {"required": row.body_required, "content": content}

    def _responses(self, row: Endpoint) -> dict[str, oas.Response]:
        responses = {
            str(status): self._success_response(row, HTTPStatus(status)) for status in row.answers
        }
        of_problems = self.problems.references(row, self.outputs[ProblemDetails])
        return of_problems | responses

    def _success_response(self, row: Endpoint, status: HTTPStatus) -> oas.Response:
        names = row.answer_models(status)
        response: oas.Response = {
            "description": _answer_words(row, status),
            "headers": answer_headers(row, status),
        }
        if (status.is_redirection and not names) or status == HTTPStatus.NO_CONTENT:
            return response
        # A file is the answer with 200 only; the others are JSON.
        types = row.answer_types if status == HTTPStatus.OK else (JSON,)
        content: dict[str, oas.MediaType] = {}
        # Some generators take the first one alone.
        for kind in types:
            bare, _, is_page = kind.partition(";")
            content[bare] = {"schema": _PAGE_SCHEMA if is_page else _BINARY_SCHEMA}
        if JSON in content:
            content[JSON] = {"schema": self._answer(names)}
        response["content"] = content
        return response

    def _answer(self, names: tuple[str, ...]) -> oas.Schema:
        """Return the schema of an answer in JSON: one of several objects, or any object."""
        schemas = [self.outputs[import_model(name)] for name in names]
        if len(schemas) > 1:
            return {"oneOf": schemas}
        return schemas[0] if schemas else {"type": "object"}


def _answer_words(row: Endpoint, status: HTTPStatus) -> str:
    if status != HTTPStatus.OK or not row.idempotent or row.answer_types == (JSON,):
        return status.phrase
    if row.answer_types[0] == JSON:
        return "The render, or for delivery `binary` its file."
    return "The file for delivery `binary`, or else the render."


def _description(row: Endpoint) -> str:
    scope = f"Needs the scope `{row.auth.scope}`." if row.auth.scope else ""
    return "\n\n".join(part for part in (row.description, scope) if part)


def _header_parameters(row: Endpoint) -> list[oas.Parameter]:
    names = ["X-Request-Id"]
    if row.takes_idempotency_key:
        names.insert(0, "Idempotency-Key")
    if row.takes_if_match:
        names.append("If-Match")
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def _parameter_schema(field: oas.Schema) -> oas.Schema:
    """Return the schema of a query parameter, which is absent, never null."""
    schema = without_null(field.copy())
    schema.pop("description", None)
    if schema.get("default", 0) is None:
        del schema["default"]
    return schema if "type" in schema else with_default_in_words(schema)
