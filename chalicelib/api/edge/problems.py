"""Problem details (RFC 9457) of errors."""

from typing import Final

from chalicelib.adapters.aws.transient_errors import is_transient
from chalicelib.api.edge.endpoint import Reply
from chalicelib.core.errors import ServiceError

PROBLEM_JSON: Final = "application/problem+json"
_RETRY_AFTER_S: Final = {429: "1", 503: "30"}


def problem_reply(error: ServiceError, *, request_id: str, api_host: str) -> Reply:
    """Return the problem response of an error; 429 and 503 always have `Retry-After`."""
    problem = error.problem
    page = f"{api_host}/errors/{error.code}"
    body: dict[str, object] = {
        "type": page,
        "title": problem.title,
        "status": problem.http_status,
        "code": error.code,
        "detail": error.detail,
        "request_id": request_id,
        "doc_url": page,
    }
    if error.errors:
        body["errors"] = [entry._asdict() for entry in error.errors]
    body |= {name: value for name, value in error.members.items() if value is not None}
    headers = dict(error.headers)
    if problem.http_status in _RETRY_AFTER_S:
        headers.setdefault("Retry-After", _RETRY_AFTER_S[problem.http_status])
    return Reply(problem.http_status, body, PROBLEM_JSON, headers)


def error_for_exception(error: Exception) -> ServiceError:
    """Return the public error for an unexpected exception; it reveals no internal cause.

    A transient error of AWS is `region_degraded` (503), anything else `internal_error` (500).
    """
    if is_transient(error):
        return ServiceError(
            "region_degraded",
            "This region did not keep up. Whether the request took effect is open: send it again "
            "after the pause, with the same Idempotency-Key.",
            headers={"Retry-After": "5"},
        )
    return ServiceError("internal_error", "The service failed to answer this request.")
