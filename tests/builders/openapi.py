"""The OpenAPI document of the API, and validators of what it describes."""

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from chalicelib.api.edge.openapi import openapi_document
from chalicelib.api.routes import ENDPOINTS
from chalicelib.bootstrap.event_types import CONTRACT_EVENT_TYPES


@cache
def api_document() -> Any:
    """Return the document of all endpoints and event types."""
    return openapi_document(ENDPOINTS, CONTRACT_EVENT_TYPES, "https://api.test")


def webhook(event_type: str) -> Any:
    """Return the operation of an event type, with its header parameters resolved."""
    document = api_document()
    operation = document["webhooks"][event_type]["post"]
    names = [entry["$ref"].rpartition("/")[2] for entry in operation["parameters"]]
    parameters = [document["components"]["parameters"][name] for name in names]
    return operation | {"parameters": parameters}


def webhook_body(event_type: str) -> Any:
    """Return the media type object of an event type's body."""
    return webhook(event_type)["requestBody"]["content"]["application/json"]


def validator(schema: Any) -> Any:
    """Return a validator of a schema of the document."""
    return Draft202012Validator(schema | {"components": api_document()["components"]})
