"""Events of API Gateway (REST proxy, version 1) and of a function's URL (version 2).

Pure functions, which tests use too.
"""

import base64
import datetime as dt
import json
import urllib.parse
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_ACCOUNT: Final = "000000000000"


@dataclass(frozen=True, slots=True)
class Request:
    """HTTP request; `path` is not percent-decoded and has no query."""

    method: str
    path: str
    query: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    source_ip: str = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class RouteMatch:
    """Resource of a path, with its parameters not percent-decoded."""

    resource: str
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Response:
    """HTTP response to the client."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class RouteTable:
    """Table of resources; literal segments win over parameters, `{proxy+}` matches last."""

    def __init__(self, resources: Sequence[str]) -> None:
        """Index resources such as `/v1/renders/{id}`."""
        split = [(resource, _segments(resource)) for resource in resources]
        self._table = sorted(split, key=lambda row: [_match_order(segment) for segment in row[1]])

    def match(self, path: str) -> RouteMatch | None:
        """Return the match of a path, or None; a trailing slash does not matter.

        A tail has the segments behind its prefix as they were sent, also empty ones.
        """
        segments = _segments(path)
        sent = path.removeprefix("/").rstrip("/").split("/")
        for resource, pattern in self._table:
            has_tail = bool(pattern) and pattern[-1].endswith("+}")
            parameters = (
                _tail_parameters(pattern, sent) if has_tail else _parameters(pattern, segments)
            )
            if parameters is not None:
                return RouteMatch(resource, parameters)
        return None


def proxy_event(
    request: Request, match: RouteMatch, *, moment: dt.datetime, stage: str = "live"
) -> dict[str, Any]:
    """Return the proxy event; every body is in base64, as `*/*` is a binary media type."""
    headers = _multi_values((name.title(), value) for name, value in request.headers)
    query = _multi_values(urllib.parse.parse_qsl(request.query, keep_blank_values=True))
    single = {name: values[-1] for name, values in headers.items()}
    return {
        "resource": match.resource,
        "path": request.path,
        "httpMethod": request.method,
        "headers": single or None,
        "multiValueHeaders": headers or None,
        "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
        "pathParameters": dict(match.parameters) or None,
        "stageVariables": None,
        "requestContext": {
            "accountId": _ACCOUNT,
            "apiId": "local",
            "resourceId": "local",
            "stage": stage,
            "protocol": "HTTP/1.1",
            "path": f"/{stage}{request.path}",
            "resourcePath": match.resource,
            "httpMethod": request.method,
            "requestId": str(uuid.uuid4()),
            "extendedRequestId": "local",
            "requestTime": moment.strftime("%d/%b/%Y:%H:%M:%S +0000"),
            "requestTimeEpoch": int(moment.timestamp() * 1000),
            "domainName": single.get("Host", "127.0.0.1"),
            "identity": {
                "sourceIp": request.source_ip,
                "userAgent": single.get("User-Agent"),
            },
        },
        "body": base64.b64encode(request.body).decode() if request.body else None,
        "isBase64Encoded": bool(request.body),
    }


def function_url_event(request: Request, *, moment: dt.datetime) -> dict[str, Any]:
    """Return the event of a function's URL (payload version 2.0).

    Path and query are as they were sent, but for each plus of the query AWS writes a space.
    """
    headers = _multi_values((name.lower(), value) for name, value in request.headers)
    query = _multi_values(urllib.parse.parse_qsl(request.query, keep_blank_values=True))
    joined = {name: ",".join(values) for name, values in headers.items()}
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": request.path,
        "rawQueryString": request.query.replace("+", " "),
        "headers": joined,
        **({"queryStringParameters": {n: ",".join(v) for n, v in query.items()}} if query else {}),
        "requestContext": {
            "accountId": "anonymous",
            "apiId": "local",
            "domainName": joined.get("host", "127.0.0.1"),
            "domainPrefix": "local",
            "http": {
                "method": request.method,
                "path": request.path,
                "protocol": "HTTP/1.1",
                "sourceIp": request.source_ip,
                "userAgent": joined.get("user-agent"),
            },
            "requestId": str(uuid.uuid4()),
            "routeKey": "$default",
            "stage": "$default",
            "time": moment.strftime("%d/%b/%Y:%H:%M:%S +0000"),
            "timeEpoch": int(moment.timestamp() * 1000),
        },
        **({"body": base64.b64encode(request.body).decode()} if request.body else {}),
        "isBase64Encoded": bool(request.body),
    }


def proxy_response(payload: bytes) -> Response:
    """Return the response in a function's result; raises ValueError for a malformed one."""
    answer = json.loads(payload)
    if not isinstance(answer, dict) or not isinstance(answer.get("statusCode"), int):
        message = "the function's answer has no statusCode"
        raise ValueError(message)  # noqa: TRY004 -- the data is wrong, not a type in the code
    body = answer.get("body") or ""
    raw = base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode()
    many = answer.get("multiValueHeaders") or {}
    headers = [
        *((name, str(value)) for name, values in many.items() for value in values),
        *(
            (name, str(value))
            for name, value in (answer.get("headers") or {}).items()
            if name not in many
        ),
    ]
    return Response(answer["statusCode"], tuple(headers), raw)


def _multi_values(pairs: Any) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in pairs:
        grouped.setdefault(name, []).append(value)
    return grouped


def _segments(path: str) -> list[str]:
    return [segment for segment in path.split("/") if segment]


def _match_order(segment: str) -> tuple[int, str]:
    if segment.endswith("+}"):
        return (2, segment)
    return (1, segment) if segment.startswith("{") else (0, segment)


def _tail_parameters(pattern: Sequence[str], segments: Sequence[str]) -> dict[str, str] | None:
    *prefix, tail = pattern
    rest = "/".join(segments[len(prefix) :])
    parameters = _parameters(prefix, segments[: len(prefix)]) if rest else None
    return None if parameters is None else {**parameters, tail[1:-2]: rest}


def _parameters(pattern: Sequence[str], segments: Sequence[str]) -> dict[str, str] | None:
    if len(pattern) != len(segments):
        return None
    parameters = {}
    for segment, value in zip(pattern, segments, strict=True):
        if segment.startswith("{"):
            parameters[segment[1:-1]] = value
        elif segment != value:
            return None
    return parameters
