"""Parts of an OpenAPI document that many operations share: keys, headers, header parameters."""

from collections.abc import Mapping
from typing import Final

from chalicelib.api.edge import openapi_types as oas

TEXT_SCHEMA: Final[oas.Schema] = {"type": "string"}
SECURITY: Final = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API key."},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}
HEADERS: Final[Mapping[str, oas.Header]] = {
    "ETag": {"description": "The revision in quotes, for `If-Match`.", "schema": TEXT_SCHEMA},
    "X-Request-Id": {
        "description": "Id of this request in the logs: the client's own if it sent a valid one.",
        "schema": TEXT_SCHEMA,
    },
    "RateLimit": {
        "description": "Requests left (`r`) and seconds until the rate is full again (`t`), of "
        "requests that create renders, or of all others: each have the plan's rate. On every "
        "response to an accepted key, errors included. Absent for requests that are not "
        "counted: those to public endpoints, unknown paths and wrong methods, and those whose key "
        "is missing, invalid, not allowed from the IP address, or of a suspended workspace.",
        "schema": TEXT_SCHEMA,
    },
    "RateLimit-Policy": {
        "description": "Requests (`q`) in a window of seconds (`w`) that the plan allows. Absent "
        "whenever `RateLimit` is absent.",
        "schema": TEXT_SCHEMA,
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
        "schema": TEXT_SCHEMA,
    },
    "X-Request-Id": {
        "name": "X-Request-Id",
        "in": "header",
        "description": "The client's own id for this request: 1 to 128 letters, digits, `.`, `_` "
        "and `-`. Another text is replaced by an id of ours.",
        "schema": TEXT_SCHEMA,
    },
    "webhook-id": {
        "name": "webhook-id",
        "in": "header",
        "required": True,
        "description": "The id of the event, as in the body.",
        "schema": TEXT_SCHEMA,
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
        "schema": {"type": "string", "const": "Platen-Webhooks/1.0"},
    },
}
