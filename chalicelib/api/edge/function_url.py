"""Events of the function's URL (payload version 2.0), as proxy events of a REST API.

The URL is the entrance of paths whose query is signed as it is sent: a REST API decodes the query
and hands it over in another order (decision 48). It has these paths only.
"""

from collections.abc import Mapping
from typing import Final, TypedDict
from urllib.parse import parse_qs

from chalicelib.api.edge.request import ProxyEvent, RawTarget

PATHS: Final = ("/l/{link_id}/{file}", "/files/{file_id}/{filename}")
_VERSION: Final = "2.0"


class _Http(TypedDict):
    method: str
    sourceIp: str


class _Context(TypedDict):
    http: _Http
    requestId: str
    timeEpoch: int


class FunctionUrlEvent(TypedDict, total=False):
    """Event of a function's URL: the members that are read here."""

    rawPath: str
    rawQueryString: str
    headers: Mapping[str, str]
    requestContext: _Context
    body: str
    isBase64Encoded: bool


def is_function_url_event(event: Mapping[str, object]) -> bool:
    """Tell whether an event came by the function's URL."""
    return event.get("version") == _VERSION


def proxy_event(event: FunctionUrlEvent) -> ProxyEvent:
    """Return an event of the function's URL as a proxy event, with `rawTarget`.

    Of a path that the URL does not have the event has no resource.
    """
    path = event["rawPath"]
    # The URL writes a space for each plus of the query, and nothing else: a space is sent as `%20`.
    query = (event.get("rawQueryString") or "").replace(" ", "+")
    context = event["requestContext"]
    resource, parameters = _match(path)
    return {
        "resource": resource,
        "path": path,
        "httpMethod": context["http"]["method"],
        # Values of a repeated header are joined by commas.
        "headers": event.get("headers") or {},
        "multiValueQueryStringParameters": parse_qs(query, keep_blank_values=True),
        "pathParameters": parameters,
        "requestContext": {
            "httpMethod": context["http"]["method"],
            "resourcePath": resource,
            "path": path,
            "requestId": context["requestId"],
            "requestTimeEpoch": context["timeEpoch"],
            "identity": {"sourceIp": context["http"]["sourceIp"]},
        },
        "body": event.get("body"),
        "isBase64Encoded": bool(event.get("isBase64Encoded")),
        "rawTarget": RawTarget(path, query),
    }


def _match(path: str) -> tuple[str, dict[str, str]]:
    sent = path.split("/")
    for pattern in PATHS:
        steps = pattern.split("/")
        if len(sent) == len(steps) and sent[1] == steps[1] and all(sent[2:]):
            return pattern, {
                name.strip("{}"): value for name, value in zip(steps[2:], sent[2:], strict=True)
            }
    return "", {}
