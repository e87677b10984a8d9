"""Chalice app of the blueprints, with what Chalice itself cannot answer (decision 6)."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final, override

from chalice.app import Blueprint, Response

from chalicelib.adapters import json_logs
from chalicelib.api.edge.auth import PUBLIC
from chalicelib.api.edge.dispatch import Dispatcher
from chalicelib.api.edge.endpoint import ANSWER, Call, Reply, RouteTable, endpoint, endpoints_of
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


class App(RouteTable):
    """Chalice app of the blueprints; the dispatcher checks each request before its view.

    Several threads may serve requests at once. So `current_request`, which all threads of a
    Chalice app share, is never read; the request travels in a context variable.
    """

    def __init__(
        self, blueprints: Sequence[Blueprint], services: Callable[[], RequestServices]
    ) -> None:
        """Register the blueprints, and what refuses all other paths and methods."""
        super().__init__("platen", configure_logs=False)
        json_logs.configure_logging("api")
        self.api.binary_types = list(BINARY_TYPES)
        for blueprint in blueprints:
            self.register_blueprint(blueprint)
        self.dispatcher = Dispatcher(endpoints_of(blueprints), services)
        self._register_refusals()

    @override
    def __call__(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Answer an API Gateway proxy event."""
        request = Request(event)
        token = ANSWER.set(lambda: _chalice_response(self.dispatcher.answer(request)))
        # If this function dies, the gateway's error response has the gateway's own request id.
        gateway_id = (event.get("requestContext") or {}).get("requestId")
        try:
            with json_logs.log_context(invocation=context.aws_request_id, gateway_id=gateway_id):
                response: dict[str, Any] = super().__call__(self._chalice_event(event), context)
        finally:
            ANSWER.reset(token)
        return response

    def _register_refusals(self) -> None:
        """Route what no blueprint declares: Chalice would answer 404 and 405 in its own format.

        HEAD goes where GET goes.
        """
        refuse = endpoint(auth=PUBLIC)(_never)
        for path in (*self.dispatcher.routes, *CATCH_ALL_PATHS):
            missing = [method for method in METHODS if method not in self.routes.get(path, {})]
            self.route(path, methods=missing, name=f"refuse {path}")(refuse)

    def _chalice_event(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return the event in a form that Chalice accepts; the dispatcher reads the original.

        Chalice refuses binary responses unless the first type in Accept is binary, and fails on
        events without all members. The dispatcher decides on Accept.
        """
        context = dict(event.get("requestContext") or {})
        if context.get("resourcePath") not in self.routes:
            context["resourcePath"] = CATCH_ALL_PATHS[0]
        if context.get("httpMethod") not in METHODS:
            context["httpMethod"] = "GET"
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


def _never(call: Call) -> Reply:
    """Refuse the request; the dispatcher does so before it would call this."""
    raise AssertionError(call)


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
