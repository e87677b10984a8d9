"""From a request to an answer: every check in its order, then the view.

The order is Stripe's: an address that does not exist is 404 and a wrong method 405 to anybody, for
the routes are public knowledge; then who calls (401), whether they may (403) and how often (429);
only then what they sent (415, 413, 400).
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from chalicelib.adapters.json_logs import about
from chalicelib.api._body import read_into
from chalicelib.api._caller import authenticate
from chalicelib.api._endpoint import Call, Endpoint, Reply
from chalicelib.api._headers import with_headers
from chalicelib.api._problems import problem_reply, unexpected
from chalicelib.api._request import Request
from chalicelib.api._services import Services
from chalicelib.core import json
from chalicelib.core.clock import SystemClock
from chalicelib.core.errors import NotFound, ServiceError
from chalicelib.core.ids import RandomIds
from chalicelib.features.workspaces.rate import RateLimited

if TYPE_CHECKING:
    from chalicelib.bootstrap.api import ApiServices

log = logging.getLogger(__name__)

_SHOWN_PATH: Final = 200
# What is told by those who have counted, or tried to.
_COUNTED: Final = frozenset({"rate_limited", "idempotency_in_progress"})


class Dispatcher:
    """Answers requests from a table of endpoints; services are built when the first one comes."""

    def __init__(self, endpoints: Sequence[Endpoint], services: Callable[[], Services]) -> None:
        """Take the endpoints and what builds, or returns, the services."""
        self.routes: dict[str, dict[str, Endpoint]] = {}
        self._services = services
        for row in endpoints:
            methods = self.routes.setdefault(row.path, {})
            assert row.method not in methods, f"{row.method} {row.path} is declared twice"
            methods[row.method] = row

    def answer(self, request: Request) -> Reply:
        """Answer one request with headers and a body of text or bytes; never raises."""
        begun = time.perf_counter()
        exchange = _Exchange(request)
        try:
            reply = _encoded(self._counted(exchange))
        except ServiceError as error:
            reply = _encoded(exchange.problem(error))
        except Exception as error:
            log.exception("unexpected error", extra=exchange.facts())
            reply = _encoded(exchange.problem(unexpected(error)))
        exchange.noted()
        reply = with_headers(reply, exchange.request_id, exchange.call, exchange.code)
        facts = {
            "status": reply.status,
            "duration_ms": round(1000 * (time.perf_counter() - begun)),
        }
        log.info("request", extra=exchange.facts() | facts)
        return replace(reply, body="") if request.method == "HEAD" else reply

    def _counted(self, exchange: "_Exchange") -> Reply:
        try:
            return self._answer(exchange)
        except RateLimited as error:
            if error.rate is None:
                self._count_refused(exchange.call)
            elif exchange.call is not None:
                exchange.call.rate = error.rate
            raise
        except ServiceError as error:
            if error.code not in _COUNTED:
                self._count_refused(exchange.call)
            raise

    def _count_refused(self, call: Call | None) -> None:
        """Count what was refused before anybody counted it; the rate's own refusal goes first."""
        if call is None or call.known_caller is None or call.rate is not None:
            return
        services = self._services()
        call.rate = services.limits.count_request(call.caller.workspace, services.clock.now())

    def _answer(self, exchange: "_Exchange") -> Reply:
        request, services = exchange.request, self._services()
        now = services.clock.now()
        exchange.identify(request.own_id or services.ids.new("req", now))
        exchange.api_host = services.api_host
        call = Call(
            endpoint=self._endpoint(request),
            services=cast("ApiServices", services),
            request_id=exchange.request_id,
            method=request.method,
            params=request.params,
            headers=request.headers,
            source_ip=request.source_ip,
            started=request.taken_at or now.timestamp(),
        )
        exchange.call = call
        if call.endpoint.scope is not None:
            call.known_caller = authenticate(request.headers, request.source_ip, services)
            exchange.noted = services.note_key_use(call.caller.key, now)
            about(workspace=call.caller.workspace_id)
            call.caller.require(call.endpoint.scope)
            if call.endpoint.counts_itself:
                # Its body is read first, which costs what a flood must not.
                services.limits.refuse_surely(call.caller.workspace, now)
            else:
                call.rate = services.limits.count_request(call.caller.workspace, now)
        read_into(call, request)
        return call.endpoint(call)

    def _endpoint(self, request: Request) -> Endpoint:
        methods = self.routes.get(request.route)
        if methods is None:
            shown = request.path[:_SHOWN_PATH]
            raise NotFound("not_found", f"There is nothing at {shown}.")
        row = methods.get("GET" if request.method == "HEAD" else request.method)
        if row is None:
            allowed = ", ".join(_allowed(methods))
            detail = f"{request.route} takes {allowed}, not {request.method}."
            raise ServiceError("method_not_allowed", detail, headers={"Allow": allowed})
        return row


@dataclass(slots=True)
class _Exchange:
    """What is known of a request while it is being answered."""

    request: Request
    request_id: str = ""
    api_host: str = ""
    call: Call | None = None
    code: str | None = None
    noted: Callable[[], object] = lambda: None
    """Waits until the use of the key is written down."""

    def __post_init__(self) -> None:
        # Also a service that cannot be built answers with an id.
        self.identify(self.request.own_id or RandomIds().new("req", SystemClock().now()))

    def identify(self, request_id: str) -> None:
        self.request_id = request_id
        about(request_id=request_id)

    def problem(self, error: ServiceError) -> Reply:
        self.code = error.code
        return problem_reply(error, request_id=self.request_id, api_host=self.api_host)

    def facts(self) -> dict[str, Any]:
        caller = self.call.known_caller if self.call else None
        return {
            "method": self.request.method,
            "route": self.request.route,
            "code": self.code,
            "key": caller.key_id if caller else None,
        }


def _encoded(reply: Reply) -> Reply:
    if isinstance(reply.body, Mapping):
        return replace(reply, body=json.dumps(reply.body))
    return reply


def _allowed(methods: Mapping[str, Endpoint]) -> list[str]:
    return sorted({*methods, "HEAD"} if "GET" in methods else methods)
