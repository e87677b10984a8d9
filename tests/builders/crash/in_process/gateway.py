"""HTTP to the API of this process; the connection is cut where the API function dies."""

import json
from types import SimpleNamespace
from typing import Any, Final, override

import httpx

from infra.local.gateway.app import FUNCTION_URL_PREFIXES
from infra.local.gateway.events import (
    Request,
    RouteTable,
    function_url_event,
    proxy_event,
    proxy_response,
)
from tests.builders.aws_actions import acting_as
from tests.builders.crash.in_process.service import MortalService
from tests.builders.lambda_client import FunctionKilled

# Ids of one moment have no order: requests come one after the other.
_BETWEEN_REQUESTS_MS: Final = 10
_CONTEXT: Final = SimpleNamespace(aws_request_id="invocation")


class GatewayTransport(httpx.BaseTransport):
    """Way of requests to the API function; after its death the next request finds a new one."""

    def __init__(self, service: MortalService) -> None:
        self._service = service
        self._routes = RouteTable(list(service.app.routes))

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        service = self._service
        service.clock.advance(milliseconds=_BETWEEN_REQUESTS_MS)
        event = self._event(request)
        try:
            with acting_as("APIHandler"):
                answer = service.functions.run_in_process(lambda: service.app(event, _CONTEXT))
        except FunctionKilled as died:
            del service.services
            raise httpx.RemoteProtocolError("the function has died") from died
        response = proxy_response(json.dumps(answer).encode())
        return httpx.Response(response.status, headers=response.headers, content=response.body)

    def _event(self, request: httpx.Request) -> dict[str, Any]:
        path, _, query = request.url.raw_path.decode().partition("?")
        headers = [(name, value) for name, value in request.headers.items()]
        sent = Request(request.method, path, query, headers, request.read())
        moment = self._service.clock.now()
        if path.startswith(FUNCTION_URL_PREFIXES):
            return function_url_event(sent, moment=moment)
        match = self._routes.match(path)
        assert match is not None, f"there is no route for {path}"
        return proxy_event(sent, match, moment=moment)
