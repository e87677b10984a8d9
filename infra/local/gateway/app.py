"""WSGI application of the gateway, which invokes the API function for each request."""

import datetime as dt
import json
import time
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

from infra.local.console import Console
from infra.local.gateway.bucket import BucketDoor
from infra.local.gateway.events import (
    Request,
    Response,
    RouteTable,
    function_url_event,
    proxy_event,
    proxy_response,
)
from infra.local.runner.invocation import Invocation
from infra.local.runner.invoke_api import MAX_SYNC_BYTES
from infra.local.runner.pool import StillRunning, Throttled, WorkerPool
from infra.template import IntrinsicResolver

# Bounds of API Gateway: 10 MB of a request, 29 s until its answer.
MAX_BODY_BYTES: Final = 10_485_760
TIMEOUT_S: Final = 29.0
_HOP_BY_HOP: Final = frozenset({"connection", "content-length", "transfer-encoding", "keep-alive"})

# In a deployment these paths have a host of their own, the API function's URL.
FUNCTION_URL_PREFIXES: Final = ("/l/", "/files/")
_SECTION: Final = "x-amazon-apigateway-gateway-responses"

type StartResponse = Callable[[str, list[tuple[str, str]]], Any]


class GatewayResponses:
    """Responses of the gateway itself, from the templates in functions.yaml."""

    def __init__(self, template: Mapping[str, Any], resolver: IntrinsicResolver) -> None:
        """Resolve every response of the template once."""
        definition = template["Resources"]["RestAPI"]["Properties"]["DefinitionBody"]
        self._responses: Mapping[str, Any] = resolver.resolve(definition[_SECTION])

    def response(self, kind: str, request_id: str) -> Response:
        """Return the response of a kind, such as `REQUEST_TOO_LARGE`, else the default."""
        default = "DEFAULT_5XX" if kind.startswith(("INTEGRATION", "API_")) else "DEFAULT_4XX"
        response = self._responses.get(kind) or self._responses[default]
        body = response["responseTemplates"]["application/json"]
        headers = tuple(
            (name.removeprefix("gatewayresponse.header."), _header_value(value, request_id))
            for name, value in response["responseParameters"].items()
        )
        text = body.replace("$context.requestId", request_id)
        return Response(int(response["statusCode"]), headers, text.encode())

    def problem(self, kind: str, detail: str) -> Response:
        """Return the response of a kind with a detail of its own."""
        response = self.response(kind, _gateway_id(time.time()))
        body = json.dumps({**json.loads(response.body), "detail": detail}).encode()
        return Response(response.status, response.headers, body)

    def capacity_problem(self) -> Response:
        """Return the response `region_degraded`, for a request without effect."""
        return self.response("INTEGRATION_TIMEOUT", _gateway_id(time.time()))


def _length(method: str, response: Response) -> str | None:
    """Return the length of the body, of HEAD as the function says, which may not know it."""
    if method != "HEAD":
        return str(len(response.body))
    said = (value for name, value in response.headers if name.lower() == "content-length")
    return next(said, None)


def _header_value(mapped: str, request_id: str) -> str:
    return request_id if mapped == "context.requestId" else mapped.strip("'")


class Gateway:
    """WSGI application in front of the API function; it has no state of its own."""

    def __init__(
        self,
        pool: WorkerPool,
        routes: RouteTable,
        responses: GatewayResponses,
        console: Console,
        *,
        base_path: str = "",
        bucket: BucketDoor | None = None,
    ) -> None:
        """Invoke the function of `pool`; log each request to `console`.

        A proxy may leave `base_path` before the paths of the API, or take it away. Without a
        `bucket` its objects have a host of their own.
        """
        self._pool = pool
        self._routes = routes
        self._responses = responses
        self._console = console
        self._base_path = base_path
        self._bucket = bucket

    def __call__(self, environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        """Answer one request and log it."""
        started = time.time()
        if self._bucket and self._bucket.takes(environ["PATH_INFO"]):
            return self._bucket(environ, start)
        request = read_request(environ, self._base_path)
        response = self._answer(request, started)
        headers = [pair for pair in response.headers if pair[0].lower() not in _HOP_BY_HOP]
        length = _length(request.method, response)
        if length is not None:
            headers.append(("Content-Length", length))
        start(f"{response.status} {_reason_phrase(response.status)}", headers)
        self._console.log_request(
            request.method,
            request.path,
            response.status,
            (time.time() - started) * 1000,
            next(
                (value for name, value in headers if name.lower() == "x-request-id"),
                "-",
            ),
            route=self._route(request.path),
        )
        return [] if request.method == "HEAD" else [response.body]

    def _route(self, path: str) -> str:
        """Return the pattern of a path, which names nothing of a workspace."""
        prefix = next((each for each in FUNCTION_URL_PREFIXES if path.startswith(each)), None)
        if prefix is not None:
            return f"{prefix}{{proxy+}}"
        match = self._routes.match(path)
        return "unmatched" if match is None else match.resource

    def _answer(self, request: Request, started: float) -> Response:
        moment = dt.datetime.fromtimestamp(started, dt.UTC)
        if request.path.startswith(FUNCTION_URL_PREFIXES):
            return self._answer_by_function_url(request, moment)
        match = self._routes.match(request.path)
        if match is None:
            # So answers API Gateway where no resource has the path.
            return self._responses.response("MISSING_AUTHENTICATION_TOKEN", _gateway_id(started))
        event = proxy_event(request, match, moment=moment)
        gateway_id: str = event["requestContext"]["requestId"]
        payload = json.dumps(event).encode()
        if len(request.body) > MAX_BODY_BYTES or len(payload) > MAX_SYNC_BYTES:
            return self._responses.response("REQUEST_TOO_LARGE", gateway_id)
        return self._invoke(payload, gateway_id, started + TIMEOUT_S)

    def _answer_by_function_url(self, request: Request, moment: dt.datetime) -> Response:
        """Answer as the function's URL does, which has no responses of a gateway."""
        payload = json.dumps(function_url_event(request, moment=moment)).encode()
        if len(payload) > MAX_SYNC_BYTES:
            return _plain_response(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        deadline = moment.timestamp() + TIMEOUT_S
        invocation = Invocation(payload, slot_deadline=lambda: deadline, answer_deadline=deadline)
        try:
            answer = self._pool.invoke(invocation)
        except StillRunning:
            return _plain_response(HTTPStatus.BAD_GATEWAY)
        except Throttled:
            return _plain_response(HTTPStatus.TOO_MANY_REQUESTS)
        if answer.error:
            return _plain_response(HTTPStatus.BAD_GATEWAY)
        return proxy_response(answer.payload)

    def _invoke(self, payload: bytes, gateway_id: str, answer_deadline: float) -> Response:
        invocation = Invocation(
            payload, slot_deadline=lambda: answer_deadline, answer_deadline=answer_deadline
        )
        try:
            answer = self._pool.invoke(invocation)
        except StillRunning:
            return self._responses.response("INTEGRATION_TIMEOUT", gateway_id)
        except Throttled:
            kind = (
                "INTEGRATION_TIMEOUT" if time.time() >= answer_deadline else "INTEGRATION_FAILURE"
            )
            return self._responses.response(kind, gateway_id)
        if answer.error:
            kind = (
                "INTEGRATION_TIMEOUT" if time.time() >= answer_deadline else "INTEGRATION_FAILURE"
            )
            return self._responses.response(kind, gateway_id)
        try:
            return proxy_response(answer.payload)
        except ValueError:
            return self._responses.response("API_CONFIGURATION_ERROR", gateway_id)


def _plain_response(status: HTTPStatus) -> Response:
    body = json.dumps({"Message": status.phrase}).encode()
    return Response(status, (("Content-Type", "application/json"),), body)


def read_request(environ: Mapping[str, Any], base_path: str = "") -> Request:
    """Return the request of a WSGI environment, its path not percent-decoded.

    The path is without `base_path`, if it begins with it.
    """
    raw = str(environ.get("REQUEST_URI") or environ["PATH_INFO"])
    path, _, query = raw.partition("?")
    if base_path and path.startswith(f"{base_path}/"):
        path = path.removeprefix(base_path)
    headers = [
        (name.removeprefix("HTTP_").replace("_", "-"), value)
        for name, value in environ.items()
        if name.startswith("HTTP_") or (name in {"CONTENT_TYPE", "CONTENT_LENGTH"} and value)
    ]
    return Request(
        method=environ["REQUEST_METHOD"],
        path=path,
        query=query,
        headers=headers,
        # One byte more than is taken shows that it is too large.
        body=environ["wsgi.input"].read(MAX_BODY_BYTES + 1),
        source_ip=environ.get("REMOTE_ADDR", "127.0.0.1"),
    )


def _gateway_id(started: float) -> str:
    return f"local-{int(started * 1000):x}"


def _reason_phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
