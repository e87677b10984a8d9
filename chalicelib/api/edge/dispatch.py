"""Dispatcher of requests: checks in a fixed order, then the view (decision 6).

The order is that of Stripe's API. An unknown path is 404 and a wrong method 405 for anyone, since
the routes are public. Then follow the key (401), its rights (403) and the rate (429), and last the
request itself (415, 413, 400).
"""

import base64
import datetime as dt
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, NoReturn, cast

import msgspec

from chalicelib.adapters.json_logs import bind, current_ids
from chalicelib.adapters.tracing import SERVER, Span, TraceParent
from chalicelib.api.edge.auth import Principal
from chalicelib.api.edge.endpoint import JSON, NO_STORE, Call, Endpoint, Reply
from chalicelib.api.edge.idempotency import answer_once
from chalicelib.api.edge.problems import error_for_exception, problem_reply
from chalicelib.api.edge.request import Request
from chalicelib.api.edge.request_body import read_body_and_query
from chalicelib.api.edge.services import RequestServices
from chalicelib.core import json
from chalicelib.core.clock import SystemClock
from chalicelib.core.errors import NotFound, ServiceError
from chalicelib.core.ids import RandomIdGenerator
from chalicelib.core.text import cut_text, terminal_text
from chalicelib.features.workspaces.limits.rate import RateLimited

if TYPE_CHECKING:
    from chalicelib.bootstrap.api import ApiServices

log = logging.getLogger(__name__)

_MAX_PATH_CHARS: Final = 200
# Codes of requests whose rate was already counted, or could not be.
_COUNTED_CODES: Final = frozenset({"rate_limited", "idempotency_in_progress"})
# With `*` browsers send no cookies; `*` as a header means all headers but Authorization.
_ANY_ORIGIN_HEADERS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "*",
}
_PREFLIGHT_MAX_AGE_S: Final = 86_400
_RATE_POLICY: Final = '"requests"'
_RATE_WINDOW_S: Final = 1

# Reply to the requests of a route that no endpoint takes.
type Fallback = Callable[[Request], Reply]


class Dispatcher(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Dispatcher of requests to the endpoints of their route; the first one builds the services.

    `services` returns the services, built at its first call.
    """

    services: Callable[[], RequestServices]

    def answer(self, request: Request, target: Endpoint | Fallback) -> Reply:
        """Answer one request, its body as text or bytes; never raises."""
        started = time.perf_counter()
        exchange = _Exchange(request, target)
        try:
            reply = _encode_body(self._answer_and_count(exchange))
        except ServiceError as error:
            reply = _encode_body(exchange.problem(error))
        except Exception as error:
            log.exception("unexpected error", extra=exchange.log_fields())
            reply = _encode_body(exchange.problem(error_for_exception(error)))
        exchange.wait_for_key_use()
        reply = replace(reply, headers=_common_headers(reply, exchange) | dict(reply.headers))
        outcome = {
            "status": reply.status,
            "duration_ms": round(1000 * (time.perf_counter() - started)),
        }
        log.info("request", extra=exchange.log_fields() | outcome)
        exchange.end_span(reply.status)
        return _without_body(reply) if request.method == "HEAD" else reply

    def _answer_and_count(self, exchange: "_Exchange") -> Reply:
        try:
            return self._handle(exchange)
        except RateLimited as error:
            if error.rate is None:
                self._count_refusal(exchange.call)
            elif exchange.call is not None:
                exchange.call.rate = error.rate
            raise
        except ServiceError as error:
            if error.code not in _COUNTED_CODES:
                self._count_refusal(exchange.call)
            raise

    def _count_refusal(self, call: Call | None) -> None:
        """Count a refused request that was not counted yet.

        Raises RateLimited instead of the refusal where the rate is used up (decision 6).
        """
        principal = call.known_caller if call else None
        if call is None or principal is None or not principal.counts_rate or call.rate is not None:
            return
        services = self.services()
        count = (
            services.limits.count_creation
            if call.endpoint.counts_rate_itself
            else services.request_rate.count
        )
        call.rate = count(call.caller.workspace, services.clock.now())

    def _handle(self, exchange: "_Exchange") -> Reply:
        request, services = exchange.request, self.services()
        now = services.clock.now()
        exchange.set_request_id(request.client_request_id or services.ids.new("req", now))
        exchange.api_host = services.api_host
        if services.traces:
            exchange.begin_span()
        if not isinstance(exchange.target, Endpoint):
            return exchange.target(request)
        call = Call(
            endpoint=exchange.target,
            services=cast("ApiServices", services),
            request_id=exchange.request_id,
            method=request.method,
            params=request.path_parameters(
                exchange.target.path, takes_last_slash=exchange.target.takes_last_slash
            ),
            headers=request.headers,
            started_at=request.received_at or now.timestamp(),
            raw_target=request.raw_target,
        )
        exchange.call = call
        auth = call.endpoint.auth
        principal = call.known_caller = auth.authenticate(request, services)
        if principal is not None:
            if principal.key is not None:
                exchange.wait_for_key_use = services.record_key_use(principal.key, now)
            bind(workspace=principal.workspace_id)
            auth.authorize(principal)
            if principal.counts_rate:
                self._count_rate(call, principal, now)
        if call.endpoint.check_path is not None:
            call.endpoint.check_path(call)
        read_body_and_query(call, request)
        return answer_once(call)

    def _count_rate(self, call: Call, principal: Principal, now: dt.datetime) -> None:
        services = self.services()
        if call.endpoint.counts_rate_itself:
            # The rate is counted after the body is read. A flood is refused before, by the
            # rate that this process has last seen.
            services.limits.require_known_rate(principal.workspace, now)
        else:
            call.rate = services.request_rate.count(principal.workspace, now)


def refuse_path(routes: Mapping[str, Iterable[str]]) -> Fallback:
    """Return the refusal of paths that no endpoint has; `routes` are the methods of those paths."""

    def refuse(request: Request) -> NoReturn:
        # Imported here: a cold start needs no comparison of names (decision 7).
        from chalicelib.api.edge.nearest_route import nearest_route  # noqa: PLC0415

        path = request.readable_path
        nearest = nearest_route(request.method, path, routes)
        question = "" if nearest is None else f" Did you mean {nearest}?"
        shown = cut_text(terminal_text(path), _MAX_PATH_CHARS)
        raise NotFound("not_found", f"There is nothing at {shown}.{question}")

    return refuse


def refuse_method(methods: Iterable[str]) -> Fallback:
    """Return the refusal of all methods of a path but these."""
    allowed = ", ".join(sorted(methods))

    def refuse(request: Request) -> NoReturn:
        detail = f"{request.route} takes {allowed}, not {request.method}."
        raise ServiceError("method_not_allowed", detail, headers={"Allow": allowed})

    return refuse


def cors_preflight(methods: Iterable[str]) -> Fallback:
    """Return the endpoint of a path's CORS preflight, for the methods that allow any origin."""
    headers = {
        **_ANY_ORIGIN_HEADERS,
        "Access-Control-Allow-Methods": ", ".join(sorted(methods)),
        "Access-Control-Allow-Headers": "*",
        "Access-Control-Max-Age": str(_PREFLIGHT_MAX_AGE_S),
    }
    return lambda _request: Reply(HTTPStatus.NO_CONTENT, headers=headers)


@dataclass(slots=True)
class _Exchange:
    """State of a request while it is being answered."""

    request: Request
    target: Endpoint | Fallback
    request_id: str = ""
    api_host: str = ""
    call: Call | None = None
    code: str | None = None
    span: Span | None = None
    wait_for_key_use: Callable[[], object] = lambda: None
    """Waits until the use of the key is recorded."""

    def __post_init__(self) -> None:
        # An id is needed even when the services, which have the generator, cannot be built.
        self.set_request_id(
            self.request.client_request_id or RandomIdGenerator().new("req", SystemClock().now())
        )

    def set_request_id(self, request_id: str) -> None:
        self.request_id = request_id
        bind(request_id=request_id)

    def begin_span(self) -> None:
        """Continue the caller's trace, or begin one."""
        parent = TraceParent.parse(self.request.headers.get("traceparent"))
        name = f"{self.request.method} {self.request.route}"
        self.span = Span(name, "api", SERVER, parent)
        bind(traceparent=self.span.traceparent)

    def end_span(self, status: int) -> None:
        if self.span is None:
            return
        ids = current_ids()
        self.span.set(
            http__request__method=self.request.method,
            http__route=self.request.route,
            http__response__status_code=status,
            platen__request_id=self.request_id,
            platen__render_id=ids.get("render"),
            platen__batch_id=ids.get("batch"),
            error__type=self.code,
        )
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self.span.fail(self.code or str(status))
        self.span.end()

    def problem(self, error: ServiceError) -> Reply:
        self.code = error.code
        return problem_reply(error, request_id=self.request_id, api_host=self.api_host)

    def log_fields(self) -> dict[str, object]:
        caller = self.call.known_caller if self.call else None
        return {
            "method": self.request.method,
            "route": self.request.route,
            "code": self.code,
            "key": caller.key.id if caller and caller.key else None,
        }


def _encode_body(reply: Reply) -> Reply:
    if isinstance(reply.body, Mapping):
        return replace(reply, body=json.dumps(reply.body))
    return reply


def _without_body(reply: Reply) -> Reply:
    """Return the reply of HEAD: that of GET with its length, where there is a body."""
    if not reply.body:
        return reply
    assert isinstance(reply.body, bytes | str)
    body = reply.body.encode() if isinstance(reply.body, str) else reply.body
    size = len(base64.b64decode(body)) if reply.is_base64 else len(body)
    headers = {**reply.headers, "Content-Length": str(size)}
    return replace(reply, body="", is_base64=False, headers=headers)


def _common_headers(reply: Reply, exchange: "_Exchange") -> dict[str, str]:
    """Return the headers of every response; those of the view take precedence."""
    headers = {
        "Cache-Control": NO_STORE,
        "X-Content-Type-Options": "nosniff",
        "X-Request-Id": exchange.request_id,
    }
    # An empty body is no JSON, though it may be an empty file.
    if reply.body or reply.content_type != JSON:
        headers["Content-Type"] = reply.content_type
    if isinstance(exchange.target, Endpoint):
        if reply.status < HTTPStatus.BAD_REQUEST:
            headers["Cache-Control"] = exchange.target.cache_control
        if exchange.target.allows_any_origin:
            headers |= _ANY_ORIGIN_HEADERS
    return headers | _rate_limit_headers(reply, exchange.call, exchange.code)


def _rate_limit_headers(reply: Reply, call: Call | None, code: str | None) -> dict[str, str]:
    # draft-ietf-httpapi-ratelimit-headers-10. Requests without a key are not counted.
    principal = call.known_caller if call else None
    if call is None or principal is None or not principal.counts_rate:
        return {}
    quota = principal.workspace.plan.rate_limit_rps
    remaining, reset_s = quota, _RATE_WINDOW_S
    if call.rate is not None:
        remaining, reset_s = call.rate.remaining, call.rate.reset_s
    elif code == "rate_limited":
        remaining, reset_s = 0, int(reply.headers.get("Retry-After", _RATE_WINDOW_S))
    return {
        "RateLimit-Policy": f"{_RATE_POLICY};q={quota};w={_RATE_WINDOW_S}",
        "RateLimit": f"{_RATE_POLICY};r={remaining};t={reset_s}",
    }
