"""Webhooks of an OpenAPI document: one operation and one body schema for each event type."""

from collections.abc import Mapping, Sequence
from typing import Final

from chalicelib.api.edge.endpoint import JSON
from chalicelib.api.edge.openapi import objects as oas
from chalicelib.core.json import Json
from chalicelib.features.events.model import EventType

EVENTS_TAG: Final = "Events"
_HEADERS: Final[Sequence[oas.Parameter]] = [
    {
        "name": "webhook-id",
        "in": "header",
        "required": True,
        "description": "The id of the event, as in the body.",
        "schema": {"type": "string"},
        "example": "evt_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    },
    {
        "name": "webhook-timestamp",
        "in": "header",
        "required": True,
        "description": "Unix seconds at which this attempt was signed. Refuse what is more than "
        "five minutes from your clock.",
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
        "example": "1769860800",
    },
    {
        "name": "webhook-signature",
        "in": "header",
        "required": True,
        "description": "One or two signatures `v1,<base64>` with a space between them: the "
        "HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` (Standard Webhooks). The key is "
        "the secret behind `whsec_`, decoded from base64. One that fits is enough.",
        "schema": {"type": "string", "pattern": "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$"},
        "example": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    },
    {
        "name": "user-agent",
        "in": "header",
        "required": True,
        "description": "The sender: this service, and the version of its form of deliveries.",
        "schema": {"type": "string", "const": "Platen-Webhooks/1.0"},
    },
]
_DESCRIPTION: Final = """Sent to the webhook endpoints that have `{name}` in `events`.

An event may arrive twice, and in another order than events happened."""
_OF_REQUESTS: Final = "Also sent to the `webhook` of the render's request, if its `events` name it."
_UPCOMING: Final = "This release does not send it yet."
_RESPONSES: Final[Mapping[str, oas.Response]] = {
    "2XX": {"description": "The event was taken."},
    "default": {
        "description": "A failure, a redirect too, like no answer within 10 seconds: the event "
        "is sent again, with eight attempts at most.",
    },
}
# Times of an object, the latest change first; and when objects without them were made.
_TIMES: Final = ("files_purged_at", "sent_at", "completed_at", "created_at")
_EXAMPLE_TIME: Final = "2026-01-31T12:00:00.000Z"
_EXAMPLE_ID: Final = "01J8Z6Y3K4M5N6P7Q8R9S0T1V2"


def webhook_operations(event_types: Sequence[EventType]) -> dict[str, dict[str, oas.Operation]]:
    """Return the member `webhooks`: the operations that a receiver implements, by event type."""
    return {row.name: {"post": _operation(row)} for row in event_types}


def event_schemas(
    event_types: Sequence[EventType],
    envelope: oas.Schema,
    data: oas.Schema,
    references: Mapping[str, oas.Schema],
) -> dict[str, oas.Schema]:
    """Return the schema of each body: the model of all events, with its own type and object.

    `references` has the reference of each model that event types name.
    """
    return {
        _schema_name(row): _body_schema(row, envelope, data, references[row.model])
        for row in event_types
    }


def _operation(row: EventType) -> oas.Operation:
    description = _DESCRIPTION.format(name=row.name)
    if row.name.startswith("render."):
        description = f"{description}\n\n{_OF_REQUESTS}"
    schema: oas.Schema = {"$ref": oas.SCHEMAS + _schema_name(row)}
    return {
        "operationId": f"receive{_schema_name(row)}",
        "summary": row.summary,
        "description": description if row.is_public else f"{description}\n\n{_UPCOMING}",
        "tags": [EVENTS_TAG],
        # The signature is what authenticates it, no API key.
        "security": [],
        "parameters": _HEADERS,
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": schema, "example": _example(row)}},
        },
        "responses": _RESPONSES,
    }


def _body_schema(
    row: EventType, envelope: oas.Schema, data: oas.Schema, reference: oas.Schema
) -> oas.Schema:
    members, about = envelope["properties"], data["properties"]["object"]
    kind: oas.Schema = {"type": "string", "const": row.name}
    subject: oas.Schema = {"properties": {"object": reference | _texts(about)}}
    of_event: oas.Schema = {
        "description": f"{row.summary}.",
        "properties": {
            **members,
            "type": kind | _texts(members["type"]),
            "data": data | subject,
        },
    }
    return envelope | of_event


def _texts(schema: oas.Schema) -> oas.Schema:
    return {"description": schema["description"]}


def _schema_name(row: EventType) -> str:
    words = row.name.replace(".", "_").split("_")
    return "".join(word.capitalize() for word in words) + "Event"


def _example(row: EventType) -> Mapping[str, Json]:
    times = (row.example.get(name) for name in _TIMES)
    return {
        "id": f"evt_{_EXAMPLE_ID}",
        "type": row.name,
        "created_at": next((time for time in times if time), _EXAMPLE_TIME),
        "workspace_id": f"ws_{_EXAMPLE_ID}",
        "region": "eu",
        "data": {"object": row.example},
    }
