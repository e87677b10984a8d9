"""Chalice app of the blueprints, and answers that Chalice itself cannot give (decision 6)."""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import wraps
from typing import Any, Final, Protocol, override

from chalice.app import Blueprint, Chalice, Response

from chalicelib.adapters import json_logs
from chalicelib.api.edge.dispatch import (
    Dispatcher,
    Fallback,
    cors_preflight,
    refuse_method,
    refuse_path,
)
from chalicelib.api.edge.endpoint import Endpoint, Reply, endpoints_of
from chalicelib.api.edge.function_url import is_function_url_event, proxy_event
from chalicelib.api.edge.request import ProxyEvent, Request
from chalicelib.api.edge.services import RequestServices

_UNKNOWN_PATH: Final = "/{proxy+}"
# The last takes all paths that no resource has.
CATCH_ALL_PATHS: Final = ("/", _UNKNOWN_PATH)
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


class LambdaContext(Protocol):
    """Part of the context of an invocation that is read here."""

    @property
    def aws_request_id(self) -> str: ...  # noqa: D102


# The current request: Chalice hands its views the path parameters only.
_REQUEST: Final[ContextVar[Request]] = ContextVar("request")


class App(Chalice):
    """Chalice app of the blueprints; the dispatcher checks each request before its view.

    Several threads may serve requests at once. So `current_request`, which all threads of a
    Chalice app share, is never read; the request travels in a context variable.
    """

    def __init__(
        self, blueprints: Sequence[Blueprint], services: Callable[[], RequestServices]
    ) -> None:
        """Route each path of the blueprints; refuse all other paths and methods."""
        super().__init__("platen", configure_logs=False)
        json_logs.configure_logging("api")
        # Chalice refuses clients that do not accept a type of this list first (chalice #1095).
        self.api.binary_types = []
        self._dispatcher = Dispatcher(services=services)
        # One method of each path that is refused.
        self._refused_methods = dict.fromkeys(CATCH_ALL_PATHS, METHODS[0])
        paths: defaultdict[str, dict[str, Endpoint]] = defaultdict(dict)
        for row in endpoints_of(blueprints):
            paths[row.path][row.method] = row
        for path, rows in paths.items():
            self._route_path(path, rows)
        for path in CATCH_ALL_PATHS:
            if path not in paths:
                self._add_view(path, METHODS, refuse_path(paths))

    @override
    def __call__(self, event: Any, context: LambdaContext) -> dict[str, object]:
        """Answer an API Gateway proxy event, or an event of the function's URL."""
        if is_function_url_event(event):
            event = proxy_event(event)
        token = _REQUEST.set(Request(event))
        # If this function dies, the gateway's error response has the gateway's own request id.
        gateway_id = (event.get("requestContext") or {}).get("requestId")
        try:
            with json_logs.log_context(invocation=context.aws_request_id, gateway_id=gateway_id):
                response: dict[str, object] = super().__call__(self._chalice_event(event), context)
        finally:
            _REQUEST.reset(token)
        return response

    def _route_path(self, path: str, rows: Mapping[str, Endpoint]) -> None:
        """Route all methods of a path, as Chalice would answer 405 in its own format.

        HEAD goes where GET goes.
        """
        targets: dict[str, Endpoint | Fallback] = {**rows}
        if "GET" in rows:
            targets.setdefault("HEAD", rows["GET"])
        readable = [method for method, row in rows.items() if row.allows_any_origin]
        if readable:
            targets.setdefault("OPTIONS", cors_preflight(readable))
        for method, target in targets.items():
            self._add_view(path, [method], target)
        missing = [method for method in METHODS if method not in targets]
        self._refused_methods[path] = missing[0]
        self._add_view(path, missing, refuse_method(targets))

    def _add_view(self, path: str, methods: Sequence[str], target: Endpoint | Fallback) -> None:
        """Route these methods of a path to the dispatcher, with the endpoints that answer them."""

        @wraps(target.view if isinstance(target, Endpoint) else target)
        def view(**_params: str) -> Response:
            return _ChaliceResponse(self._dispatcher.answer(_REQUEST.get(), target))

        # Without content types: API Gateway and Chalice would answer 415 in their own format.
        name = f"{' '.join(methods)} {path}"
        self.route(path, methods=list(methods), name=name, content_types=[])(view)

    def _chalice_event(self, event: ProxyEvent) -> dict[str, object]:
        """Return the event in a form that Chalice accepts; the dispatcher reads the original.

        Chalice fails on events without all members.
        """
        context: dict[str, object] = {**(event.get("requestContext") or {})}
        path = str(context.get("resourcePath"))
        if path not in self.routes:
            path = _UNKNOWN_PATH
            context |= {"resourcePath": path, "httpMethod": METHODS[0]}
        elif context.get("httpMethod") not in METHODS:
            # Such as TRACE, which the path refuses as it refuses this method.
            context["httpMethod"] = self._refused_methods[path]
        return {
            "body": None,
            "stageVariables": None,
            "multiValueQueryStringParameters": None,
            **event,
            "pathParameters": defaultdict(str, event.get("pathParameters") or {}),
            "headers": event.get("headers") or {},
            "requestContext": context,
        }


class _ChaliceResponse(Response):
    """Response whose body is sent as it is, or decoded from base64 by API Gateway."""

    def __init__(self, reply: Reply) -> None:
        body, self._is_base64 = reply.body, reply.is_base64
        if isinstance(body, bytes):
            body, self._is_base64 = b64encode(body).decode(), bool(body)
        super().__init__(body, dict(reply.headers), reply.status)

    @override
    def to_dict(self, binary_types: list[str] | None = None) -> dict[str, object]:
        response: dict[str, object] = super().to_dict(binary_types)
        return response | {"isBase64Encoded": self._is_base64}
