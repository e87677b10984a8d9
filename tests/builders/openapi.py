"""The OpenAPI document of the API, and validators of the described bodies."""

import re
import threading
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from chalicelib.api.edge.openapi.document import openapi_document
from chalicelib.api.routes import ENDPOINTS
from chalicelib.bootstrap.event_types import CONTRACT_EVENT_TYPES

_BUILDING = threading.Lock()


def api_document() -> Any:
    """Return the document of all endpoints and event types; it is built by one thread."""
    with _BUILDING:
        return _api_document()


@cache
def _api_document() -> Any:
    return openapi_document(ENDPOINTS, CONTRACT_EVENT_TYPES, "https://api.test")


def webhook(event_type: str) -> Any:
    """Return the operation of an event type, with its header parameters."""
    document = api_document()
    return document["webhooks"][event_type]["post"]


def webhook_body(event_type: str) -> Any:
    """Return the media type object of an event type's body."""
    return webhook(event_type)["requestBody"]["content"]["application/json"]


def validator(schema: Any) -> Any:
    """Return a validator of a schema of the document."""
    components = api_document()["components"]
    return Draft202012Validator(_inlined(schema, ()) | {"components": components})


def _inlined(schema: Any, inside: tuple[str, ...]) -> Any:
    """Return a schema with its references resolved, but for those to schemas it is `inside`.

    The validator takes longer to follow references than for all else.
    """
    if isinstance(schema, list):
        return [_inlined(each, inside) for each in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference not in inside:
        *_, kind, name = reference.split("/")
        target = _inlined(api_document()["components"][kind][name], (*inside, reference))
        others = {key: value for key, value in schema.items() if key != "$ref"}
        return {"allOf": [target], **_inlined(others, inside)} if others else target
    return {key: _inlined(value, inside) for key, value in schema.items()}


def check_described(method: str, target: str, answer: Any) -> None:
    """Assert that an answer below 400 fits the document of its route: headers, type and JSON."""
    path = target.partition("?")[0]
    matching = [each for each in api_document()["paths"] if _pattern(each).fullmatch(path)]
    if answer.status >= 400 or not matching or method == "HEAD":
        return
    template = min(matching, key=lambda each: each.count("{"))
    described = api_document()["paths"][template][method.lower()]["responses"][str(answer.status)]
    sent = {name for name in answer.headers if name in api_document()["components"]["headers"]}
    assert sent <= set(described["headers"]), (method, target, answer.status)
    assert ("Location" in sent) is ("Location" in described["headers"]), (method, target)
    if answer.body:
        kind = answer.headers["Content-Type"].partition(";")[0]
        assert kind in described["content"], (method, target, kind)
        if kind == "application/json":
            validate = _answer_validator(template, method.lower(), str(answer.status)).validate
            validate(answer.json)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template)))


@cache
def _answer_validator(template: str, method: str, status: str) -> Any:
    described = api_document()["paths"][template][method]["responses"][status]
    return validator(described["content"]["application/json"]["schema"])
