"""Chalice app of the blueprints, with what Chalice itself cannot answer (decision 6)."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import wraps
from typing import Any, Final, override

from chalice.app import Blueprint, Chalice, Response

from chalicelib.adapters import json_logs
from chalicelib.api.edge.dispatch import Dispatcher, Fallback, refuse_method, refuse_path
from chalicelib.api.edge.endpoint import Endpoint, Reply, endpoints_of
from chalicelib.api.edge.request import Request
from chalicelib.api.edge.services import RequestServices

CATCH_ALL_PATHS: Final = ("/", "/{proxy+}")
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
# Concrete types only: with `*/*` Chalice and LocalStack turn JSON into base64 too (chalice #1095).
BINARY_TYPES: Final = (
    "application/octet-stream",
    "application/pdf",
    "application/zip",
    "image/jpeg",
    "image/png",
    "image/webp",
)


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
        """Route each path of the blueprints, and what refuses all other paths and methods."""
        super().__init__("platen", configure_logs=False)
        json_logs.configure_logging("api")
        self.api.binary_types = list(BINARY_TYPES)
        self._dispatcher = Dispatcher(services)
        paths: defaultdict[str, dict[str, Endpoint]] = defaultdict(dict)
        for row in endpoints_of(blueprints):
            paths[row.path][row.method] = row
        for path, rows in paths.items():
            self._route_path(path, rows)
        for path in CATCH_ALL_PATHS:
            self._add_view(path, METHODS, refuse_path)

    @override
    def __call__(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Answer an API Gateway proxy event."""
        token = _REQUEST.set(Request(event))
        # If this function dies, the gateway's error response has the gateway's own request id.
        gateway_id = (event.get("requestContext") or {}).get("requestId")
        try:
            with json_logs.log_context(invocation=context.aws_request_id, gateway_id=gateway_id):
                response: dict[str, Any] = super().__call__(self._chalice_event(event), context)
        finally:
            _REQUEST.reset(token)
        return response

    def _route_path(self, path: str, rows: Mapping[str, Endpoint]) -> None:
        """Route all methods of a path, as Chalice would answer 405 in its own format.

        HEAD goes where GET goes.
        """
        targets = dict(rows)
        if "GET" in targets:
            targets.setdefault("HEAD", targets["GET"])
        for method, row in targets.items():
            self._add_view(path, [method], row)
        missing = [method for method in METHODS if method not in targets]
        self._add_view(path, missing, refuse_method(targets))

    def _add_view(self, path: str, methods: Sequence[str], target: Endpoint | Fallback) -> None:
        """Route these methods of a path to the dispatcher, with what answers them."""

        @wraps(target.view if isinstance(target, Endpoint) else target)
        def view(**_params: str) -> Response:
            return _chalice_response(self._dispatcher.answer(_REQUEST.get(), target))

        # Without content types: API Gateway and Chalice would answer 415 in their own format.
        name = f"{methods[0]} {path}"
        self.route(path, methods=list(methods), name=name, content_types=[])(view)

    def _chalice_event(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return the event in a form that Chalice accepts; the dispatcher reads the original.

        Chalice refuses binary responses unless the first type in Accept is binary, and fails on
        events without all members. The dispatcher decides on Accept.
        """
        context = dict(event.get("requestContext") or {})
        methods = self.routes.get(str(context.get("resourcePath")), {})
        if context.get("httpMethod") not in methods:
            context |= {"resourcePath": CATCH_ALL_PATHS[0], "httpMethod": METHODS[0]}
        headers = event.get("headers") or {}
        headers = {name: value for name, value in headers.items() if name.lower() != "accept"}
        return {
            "body": None,
            "stageVariables": None,
            "multiValueQueryStringParameters": None,
            **event,
            "pathParameters": defaultdict(str, event.get("pathParameters") or {}),
            "headers": headers | {"accept": BINARY_TYPES[0]},
            "requestContext": context,
        }


class _Base64Response(Response):
    """Response whose body is already base64, which Chalice would encode a second time."""

    @override
    def to_dict(self, binary_types: list[str] | None = None) -> dict[str, Any]:
        del binary_types
        response: dict[str, Any] = super().to_dict()
        return response | {"isBase64Encoded": True}


def _chalice_response(reply: Reply) -> Response:
    body: Any = reply.body
    if reply.is_base64:
        return _Base64Response(body=body, headers=dict(reply.headers), status_code=reply.status)
    is_binary = reply.headers["Content-Type"].partition(";")[0] in BINARY_TYPES
    if is_binary and isinstance(body, str):
        body = body.encode()
    elif not is_binary and isinstance(body, bytes):
        body = body.decode()
    return Response(body=body, headers=dict(reply.headers), status_code=reply.status)
