"""Chalice app that sends every path and method to the dispatcher (decision 6)."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Final, override

from chalice.app import Chalice, Response

from chalicelib.adapters import json_logs
from chalicelib.api.edge.dispatch import Dispatcher
from chalicelib.api.edge.endpoint import Endpoint, Reply
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

_CURRENT_EVENT: Final[ContextVar[dict[str, Any] | None]] = ContextVar("event", default=None)


class App(Chalice):
    """Chalice app: Chalice owns the routes, the dispatcher answers the requests.

    Several threads may serve requests at once. So `current_request`, which all threads of a
    Chalice app share, is never read; the event travels in a context variable.
    """

    def __init__(
        self, endpoints: Sequence[Endpoint], services: Callable[[], RequestServices]
    ) -> None:
        """Register every path for every method."""
        super().__init__("platen", configure_logs=False)
        json_logs.configure_logging("api")
        self.api.binary_types = list(BINARY_TYPES)
        self.dispatcher = Dispatcher(endpoints, services)
        for path in (*self.dispatcher.routes, *CATCH_ALL_PATHS):
            # No content types: API Gateway and Chalice would answer 415 in their own format.
            self.route(path, methods=list(METHODS), content_types=[], name=path)(self._view)

    @override
    def __call__(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Answer an API Gateway proxy event."""
        token = _CURRENT_EVENT.set(event)
        # If this function dies, the gateway's error response has the gateway's own request id.
        gateway_id = (event.get("requestContext") or {}).get("requestId")
        try:
            with json_logs.log_context(invocation=context.aws_request_id, gateway_id=gateway_id):
                response: dict[str, Any] = super().__call__(_chalice_event(event), context)
        finally:
            _CURRENT_EVENT.reset(token)
        return response

    def _view(self, **_params: str) -> Response:
        event = _CURRENT_EVENT.get()
        assert event is not None
        return _chalice_response(self.dispatcher.answer(Request(event)))


def _chalice_event(event: dict[str, Any]) -> dict[str, Any]:
    """Return the event in a form that Chalice accepts; the dispatcher reads the original.

    Chalice refuses binary responses unless the first type in Accept is binary, and fails on
    unknown routes. The dispatcher decides on both.
    """
    context = dict(event.get("requestContext") or {})
    context["resourcePath"], context["httpMethod"] = CATCH_ALL_PATHS[0], "GET"
    headers = event.get("headers") or {}
    headers = {name: value for name, value in headers.items() if name.lower() != "accept"}
    defaults = {"body": None, "pathParameters": None, "stageVariables": None}
    return {
        **defaults,
        "multiValueQueryStringParameters": None,
        **event,
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
