"""OpenAPI 3.1 document of the API, built from the endpoints that also make the routes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast

import msgspec

from chalicelib.api.edge import openapi_types as oas
from chalicelib.api.edge.endpoint import JSON, Endpoint, import_model
from chalicelib.api.edge.openapi_texts import TAGS, parameter_text
from chalicelib.api.edge.openapi_webhooks import EVENTS_TAG, event_schemas, webhook_operations
from chalicelib.api.edge.problems import PROBLEM_JSON
from chalicelib.api.edge.request_body import MULTIPART_TYPE
from chalicelib.contract.json_schemas import model_json_schemas
from chalicelib.contract.meta import ProblemDetails
from chalicelib.contract.webhooks.event import Event, EventData
from chalicelib.core.problems import PROBLEMS, Problem
from chalicelib.core.version import VERSION
from chalicelib.features.events.model import EventType

if TYPE_CHECKING:
    from pydantic import BaseModel

_SCHEMA_REFERENCE: Final = "#/components/schemas/{model}"
_BINARY_SCHEMA: Final[oas.Schema] = {"type": "string", "format": "binary"}
_FORM_SCHEMA: Final[oas.Schema] = {
    "type": "object",
    "required": ["file"],
    "properties": {"file": _BINARY_SCHEMA | {"description": "The bytes of the file."}},
}
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\+?\}")
_KEY_PROBLEMS: Final = (
    "authentication_required",
    "invalid_api_key",
    "api_key_expired",
    "api_key_revoked",
    "insufficient_scope",
    "ip_not_allowed",
    "workspace_suspended",
    "workspace_deletion_scheduled",
    "rate_limited",
)
_BODY_PROBLEMS: Final = (
    "invalid_json",
    "validation_error",
    "payload_too_large",
    "unsupported_media_type",
)
_RETRY_STATUSES: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_DESCRIPTION: Final = """Documents from HTML, templates and data: PDF and images.

Send an API key with every request, as `Authorization: Bearer <key>` or as `X-API-Key: <key>`.
Keys with `_test_` in them make watermarked documents that cost nothing.

Errors are problem details (RFC 9457); programs should branch on `code`. Fields and query
parameters that are not listed here are refused. Null of a field of a new object that has a default
is the default. A method that a path has not is 405 `method_not_allowed`, and `Allow` names those
that it has. Times are RFC 3339 in UTC. Every response has an `X-Request-Id`."""
_TEXT_SCHEMA: Final[oas.Schema] = {"type": "string"}
SECURITY: Final = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API key."},
    "header": {
        "type": "apiKey",
        "in": "header",
        "name": "X-API-Key",
        "description": "An API key, in place of `Authorization`.",
    },
}
HEADERS: Final[Mapping[str, oas.Header]] = {
    "ETag": {"description": "The revision in quotes, for `If-Match`.", "schema": _TEXT_SCHEMA},
    "X-Request-Id": {
        "description": "Id of this request in the logs: the client's own if it sent a valid one.",
        "schema": _TEXT_SCHEMA,
    },
    "RateLimit": {
        "description": "Requests left (`r`) and seconds until the rate is full again (`t`), of "
        "requests that create renders, or of all others: each have the plan's rate. On every "
        "response to an accepted key, errors included. Absent for requests that are not "
        "counted: those to public endpoints, unknown paths and wrong methods, and those whose key "
        "is missing, invalid, not allowed from the IP address, or of a suspended workspace.",
        "schema": _TEXT_SCHEMA,
    },
    "RateLimit-Policy": {
        "description": "Requests (`q`) in a window of seconds (`w`) that the plan allows. Absent "
        "whenever `RateLimit` is absent.",
        "schema": _TEXT_SCHEMA,
    },
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
}
PARAMETERS: Final[Mapping[str, oas.Parameter]] = {
    "Idempotency-Key": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "A repeat within 24 hours with the same key and body returns the first "
        "result, and makes nothing more.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    },
    "If-Match": {
        "name": "If-Match",
        "in": "header",
        "description": "The `ETag` of the draft that was read, or `*`: a draft that has changed "
        "since is a `draft_revision_conflict`.",
        "schema": _TEXT_SCHEMA,
    },
    "X-Request-Id": {
        "name": "X-Request-Id",
        "in": "header",
        "description": "The client's own id for this request: 1 to 128 letters, digits, `.`, `_` "
        "and `-`. Another text is replaced by an id of ours.",
        "schema": _TEXT_SCHEMA,
    },
    "webhook-id": {
        "name": "webhook-id",
        "in": "header",
        "required": True,
        "description": "The id of the event, as in the body.",
        "schema": _TEXT_SCHEMA,
        "example": "evt_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    },
    "webhook-timestamp": {
        "name": "webhook-timestamp",
        "in": "header",
        "required": True,
        "description": "Unix seconds at which this attempt was signed. Refuse what is more than "
        "five minutes from your clock.",
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
        "example": "1769860800",
    },
    "webhook-signature": {
        "name": "webhook-signature",
        "in": "header",
        "required": True,
        "description": "One or two signatures `v1,<base64>` with a space between them: the "
        "HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` (Standard Webhooks). The key is "
        "the secret behind `whsec_`, decoded from base64. One that fits is enough.",
        "schema": {"type": "string", "pattern": "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$"},
        "example": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    },
    "user-agent": {
        "name": "user-agent",
        "in": "header",
        "required": True,
        "description": "The sender: this service, and the version of the form of its deliveries.",
        "schema": {"type": "string", "const": "Platen-Webhooks/1.0"},
    },
}


def openapi_document(
    endpoints: Sequence[Endpoint], event_types: Sequence[EventType], api_host: str
) -> oas.Document:
    """Return the OpenAPI document of these endpoints and of the webhooks of these event types.

    `api_host` is the server URL.
    """
    inputs, outputs, definitions = _model_schemas(endpoints, event_types)
    writer = _OperationWriter(inputs=inputs, outputs=outputs, definitions=definitions)
    paths: dict[str, dict[str, oas.Operation]] = {}
    for row in endpoints:
        # OpenAPI has no template for a tail; the parameter describes it.
        path = row.path.replace("+}", "}")
        paths.setdefault(path, {})[row.method.lower()] = writer.operation(row)
    for row in endpoints:
        if row.query_model is not None:
            # The fields of a query model are listed as parameters instead.
            definitions.pop(inputs[row.query_model]["$ref"].rpartition("/")[2], None)
    objects = {row.model: outputs[import_model(row.model)] for row in event_types}
    envelope, data = definitions.pop(Event.__name__), definitions.pop(EventData.__name__)
    definitions |= event_schemas(event_types, envelope, data, objects)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Platen", "version": VERSION, "description": _DESCRIPTION},
        "servers": [{"url": api_host}],
        "security": [{"bearer": []}, {"header": []}],
        "tags": [_tag(name) for name in _tag_names(endpoints, event_types)],
        "paths": paths,
        "webhooks": webhook_operations(event_types),
        "components": {
            "schemas": {name: definitions[name] for name in sorted(definitions)},
            "securitySchemes": SECURITY,
            "headers": HEADERS,
            "parameters": PARAMETERS,
        },
    }


def _model_schemas(
    endpoints: Sequence[Endpoint], event_types: Sequence[EventType]
) -> "oas.ModelSchemas":
    request_models = {name for row in endpoints for name in (row.body, row.query) if name}
    response_models = {name for row in endpoints for name in row.answers.values() if name}
    response_models |= {row.model for row in event_types}
    models = model_json_schemas(
        map(import_model, sorted(request_models)),
        [*map(import_model, sorted(response_models)), ProblemDetails, Event],
        _SCHEMA_REFERENCE,
    )
    return cast("oas.ModelSchemas", models)


def _tag(name: str) -> Mapping[str, str]:
    return {"name": name, "description": TAGS[name]} if name in TAGS else {"name": name}


def _tag_names(endpoints: Sequence[Endpoint], event_types: Sequence[EventType]) -> Iterable[str]:
    tags = dict.fromkeys(row.tag for row in endpoints if row.tag)
    return [*tags, *([EVENTS_TAG] if event_types else [])]


class _OperationWriter(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Writer of operation objects; has the schemas of all models."""

    inputs: "Mapping[type[BaseModel], oas.Schema]"
    outputs: "Mapping[type[BaseModel], oas.Schema]"
    definitions: Mapping[str, oas.Schema]

    def operation(self, row: Endpoint) -> oas.Operation:
        operation: oas.Operation = {
            "operationId": row.operation_id,
            "summary": row.summary,
            "description": _description(row),
            "tags": [row.tag],
            "parameters": [
                *_path_parameters(row.path),
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
        by_status: dict[int, list[Problem]] = {}
        for code in _problem_codes(row):
            by_status.setdefault(PROBLEMS[code].http_status, []).append(PROBLEMS[code])
        for status, problems in sorted(by_status.items()):
            responses.setdefault(str(status), self._problem_response(row, status, problems))
        return responses

    def _success_response(self, row: Endpoint, status: HTTPStatus) -> oas.Response:
        headers = _header_references(row)
        if row.has_etag:
            headers["ETag"] = {"$ref": "#/components/headers/ETag"}
        response: oas.Response = {"description": status.phrase, "headers": headers}
        is_empty = status.is_redirection and row.answers[status] is None
        if is_empty or status == HTTPStatus.NO_CONTENT:
            return response
        # A file is the answer with 200 only; the others are JSON.
        types = {kind.partition(";")[0] for kind in row.answer_types}
        if status != HTTPStatus.OK:
            types = {JSON}
        content: dict[str, oas.MediaType] = {
            kind: {"schema": _BINARY_SCHEMA} for kind in sorted(types)
        }
        if JSON in content:
            name = row.answers[status]
            content[JSON] = {
                "schema": self.outputs[import_model(name)] if name else {"type": "object"}
            }
        response["content"] = content
        return response

    def _problem_response(
        self, row: Endpoint, status: int, problems: Sequence[Problem]
    ) -> oas.Response:
        lines = [f"- `{problem.code}`: {problem.title}." for problem in problems]
        headers = _header_references(row)
        if status in _RETRY_STATUSES:
            headers["Retry-After"] = {"$ref": "#/components/headers/Retry-After"}
        return {
            "description": "\n".join([HTTPStatus(status).phrase, "", *lines]),
            "headers": headers,
            "content": {PROBLEM_JSON: {"schema": self.outputs[ProblemDetails]}},
        }


def _problem_codes(row: Endpoint) -> list[str]:
    codes = [*row.problems, "internal_error"]
    if row.has_tail:
        codes.append("not_found")
    if row.auth.scope is not None:
        codes += [*_KEY_PROBLEMS, "region_degraded"]
    if row.body is not None or row.media_types != (JSON,):
        codes += _BODY_PROBLEMS
    elif not row.takes_raw_query and row.query_error_code == "validation_error":
        # Of a parameter that is unknown or sent twice.
        codes.append("validation_error")
    if row.query is not None:
        codes.append(row.query_error_code)
    if row.takes_idempotency_key:
        codes += ["idempotency_in_progress", "idempotency_key_reused"]
    return list(dict.fromkeys(codes))


def _description(row: Endpoint) -> str:
    scope = f"Needs the scope `{row.auth.scope}`." if row.auth.scope else ""
    return "\n\n".join(part for part in (row.description, scope) if part)


def _path_parameters(path: str) -> list[oas.Parameter]:
    parameters = []
    for name in _PLACEHOLDER.findall(path):
        parameter: oas.Parameter
        parameter = {"name": name, "in": "path", "required": True, "schema": _TEXT_SCHEMA}
        text = parameter_text(path, name)
        if text:
            parameter["description"] = text
        parameters.append(parameter)
    return parameters


def _header_parameters(row: Endpoint) -> list[oas.Parameter]:
    names = ["X-Request-Id"]
    if row.takes_idempotency_key:
        names.insert(0, "Idempotency-Key")
    if row.takes_if_match:
        names.append("If-Match")
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def _header_references(row: Endpoint) -> dict[str, oas.HeaderReference]:
    names = ["X-Request-Id", "RateLimit", "RateLimit-Policy"]
    if row.auth.scope is None:
        names = names[:1]
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _parameter_schema(field: oas.Schema) -> oas.Schema:
    """Return the schema of a query parameter, which is absent, never null."""
    schema = field.copy()
    schema.pop("title", None)
    schema.pop("description", None)
    if "anyOf" not in schema:
        return schema
    branches = [branch for branch in schema.pop("anyOf") if branch != {"type": "null"}]
    if schema.get("default", 0) is None:
        del schema["default"]
    return branches[0] | schema if len(branches) == 1 else schema | {"anyOf": branches}
