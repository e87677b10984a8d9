"""Headers, parameters and security schemes that operations refer to."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from chalicelib.api.edge.endpoint import JSON, Endpoint
from chalicelib.api.edge.openapi import objects as oas

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
    "Idempotent-Replayed": {
        "description": "`true`: the request was a repeat, and this is the answer of the first one.",
        "schema": {"type": "string", "const": "true"},
    },
    "Location": {
        "description": "The URL of what was made, or of what is answered elsewhere.",
        "schema": {"type": "string", "format": "uri"},
    },
    "X-Billed-Renders": {
        "description": "Renders that are billed for this file. Absent unless the body is a file.",
        "schema": {"type": "integer", "minimum": 0},
    },
    "X-Pages": {
        "description": "Pages of the file. Absent unless the body is a file that has pages.",
        "schema": {"type": "integer", "minimum": 1},
    },
    "X-Render-Id": {
        "description": "Id of the render. Absent unless the body is a file.",
        "schema": _TEXT_SCHEMA,
    },
    "ETag": {
        "description": "Version of the answer in quotes: of a draft its revision, for `If-Match`; "
        "of what changes with a release a checksum, for `If-None-Match`.",
        "schema": _TEXT_SCHEMA,
    },
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
}

# An accepted render has its address, by whichever endpoint it was made.
_RENDER: Final = "chalicelib.contract.render.render:Render"
_OF_FILES: Final = ("X-Render-Id", "X-Billed-Renders", "X-Pages")


def common_headers(row: Endpoint) -> dict[str, oas.HeaderReference]:
    """Return the headers of every response of an endpoint."""
    return _references(
        "X-Request-Id", *(("RateLimit", "RateLimit-Policy") if row.auth.scope is not None else ())
    )


def answer_headers(row: Endpoint, status: HTTPStatus) -> dict[str, oas.HeaderReference]:
    """Return the headers of a response below 400."""
    names = []
    if status in {HTTPStatus.CREATED, HTTPStatus.FOUND, HTTPStatus.SEE_OTHER}:
        names.append("Location")
    has_address = row.idempotent or _RENDER in row.answer_models(status)
    if has_address and status == HTTPStatus.ACCEPTED:
        names.append("Location")
    is_file = status in {HTTPStatus.OK, HTTPStatus.SEE_OTHER} and row.answer_types != (JSON,)
    if row.idempotent and is_file:
        names += _OF_FILES
    if row.takes_idempotency_key:
        names.append("Idempotent-Replayed")
    if row.has_etag:
        names.append("ETag")
    return common_headers(row) | _references(*names)


def _references(*names: str) -> dict[str, oas.HeaderReference]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
