"""API Gateway proxy events, and the answers of the app."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from chalicelib.api.edge.app import App
from infra.local.gateway.events import RouteTable

# The Lambda context; the app uses nothing else of it.
GATEWAY_ID: Final = "ca7f0a1c-gateway"
CONTEXT: Final = SimpleNamespace(aws_request_id="invocation-1")


@dataclass(frozen=True)
class ApiAnswer:
    """Answer of the app to one request."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """Return the problem's code; the answer must be a complete problem (RFC 9457)."""
        problem = self.json
        assert self.headers["Content-Type"] == "application/problem+json", self
        assert problem["status"] == self.status
        assert problem["type"] == problem["doc_url"]
        assert problem["type"].endswith(f"/errors/{problem['code']}")
        assert problem["request_id"] == self.headers["X-Request-Id"]
        assert problem["title"]
        assert problem["detail"]
        return str(problem["code"])

    @property
    def pointers(self) -> list[str]:
        """Return the JSON Pointers of the refused fields."""
        return [entry["path"] for entry in self.json["errors"]]


def request(  # noqa: PLR0913 -- the parts of an HTTP request
    app: App,
    method: str,
    target: str,
    *,
    key: str | None = None,
    headers: Mapping[str, str | tuple[str, ...]] | None = None,
    json_body: Any = None,
    body: bytes | None = None,
    source_ip: str = "203.0.113.7",
) -> ApiAnswer:
    """Send one request through the app as API Gateway would; a tuple is a repeated header."""
    sent: dict[str, str | tuple[str, ...]] = {"Host": "api.test", "Accept": "*/*"}
    if json_body is not None:
        body = json.dumps(json_body).encode()
    if body is not None:
        sent["Content-Type"] = "application/json"
    if key is not None:
        sent["Authorization"] = f"Bearer {key}"
    sent |= dict(headers or {})
    return answer_of(app(event(app, method, target, sent, body, source_ip), CONTEXT))


@cache
def _route_table(app: App) -> RouteTable:
    return RouteTable(list(app.routes))


def answer_of(answer: Any) -> ApiAnswer:
    """Return the answer in a result of the app."""
    raw = answer["body"]
    content = base64.b64decode(raw) if answer.get("isBase64Encoded") else raw.encode()
    return ApiAnswer(answer["statusCode"], answer["headers"], content)


def event(
    app: App,
    method: str,
    target: str,
    headers: Mapping[str, str | tuple[str, ...]],
    body: bytes | None,
    source_ip: str,
) -> dict[str, Any]:
    """Return the REST proxy event (payload version 1.0) of a request."""
    url = urlsplit(target)
    match = _route_table(app).match(url.path)
    assert match is not None, f"the app has no catch-all path for {url.path}"
    query = parse_qs(url.query, keep_blank_values=True)
    several = {
        name: [value] if isinstance(value, str) else list(value) for name, value in headers.items()
    }
    return {
        "resource": match.resource,
        "path": url.path,
        "httpMethod": method,
        "headers": {name: values[-1] for name, values in several.items()},
        "multiValueHeaders": several,
        "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
        "pathParameters": dict(match.parameters) or None,
        "stageVariables": None,
        "requestContext": {
            "resourcePath": match.resource,
            "httpMethod": method,
            "path": url.path,
            "requestId": GATEWAY_ID,
            "identity": {"sourceIp": source_ip},
        },
        "body": None if body is None else base64.b64encode(body).decode(),
        "isBase64Encoded": body is not None,
    }
