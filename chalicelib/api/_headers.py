"""The headers that every answer has."""

from dataclasses import replace
from typing import Final

from chalicelib.api._endpoint import Call, Reply

_FIXED: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_POLICY: Final = '"requests"'
_RATE_WINDOW_S: Final = 1


def with_headers(reply: Reply, request_id: str, call: Call | None, code: str | None) -> Reply:
    """Return the reply with its fixed headers; what the view has set of them stays."""
    headers = {"Content-Type": reply.content_type, "X-Request-Id": request_id}
    return replace(reply, headers=_FIXED | headers | _rate(reply, call, code) | dict(reply.headers))


def _rate(reply: Reply, call: Call | None, code: str | None) -> dict[str, str]:
    # draft-ietf-httpapi-ratelimit-headers-10. Nobody's requests are counted without a key.
    if call is None or call.known_caller is None:
        return {}
    quota = call.known_caller.workspace.plan.rate_limit_rps
    remaining, reset_s = quota, _RATE_WINDOW_S
    if call.rate is not None:
        remaining, reset_s = call.rate.remaining, call.rate.reset_s
    elif code == "rate_limited":
        remaining, reset_s = 0, int(reply.headers.get("Retry-After", _RATE_WINDOW_S))
    return {
        "RateLimit-Policy": f"{_POLICY};q={quota};w={_RATE_WINDOW_S}",
        "RateLimit": f"{_POLICY};r={remaining};t={reset_s}",
    }
