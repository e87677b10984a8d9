"""`/healthz`, `/docs`, `/v1/openapi.json` and `/errors`: endpoints about the service itself."""

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Final

from chalice.app import Blueprint

from chalicelib.api.edge.auth import PUBLIC
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.api.edge.html_page import HTML_TYPE, html_page, inline_markup
from chalicelib.bootstrap.event_types import CONTRACT_EVENT_TYPES
from chalicelib.core.errors import NotFound
from chalicelib.core.problems import PROBLEMS, Problem
from chalicelib.core.version import VERSION

if TYPE_CHECKING:
    from chalicelib.api.edge.openapi.objects import Document

blueprint: Final = Blueprint(__name__)

# These documents change with a deployment only.
_CACHED: Final = "public, max-age=300"
_VARY: Final = {"Vary": "Accept"}

log = logging.getLogger(__name__)


@blueprint.route("/healthz", methods=["GET"])
@endpoint(
    auth=PUBLIC,
    tag="Service",
    is_published=False,
    answers={
        200: "chalicelib.contract.meta:Health",
        503: "chalicelib.contract.meta:Health",
    },
)
def check_health(call: Call) -> Reply:
    """Tell whether the service works.

    503 when a part that it depends on fails; not where one is missing.
    """
    checks = {name: _check_outcome(name, check) for name, check in call.services.checks.items()}
    is_healthy = "failing" not in checks.values()
    body = {"status": "ok" if is_healthy else "failing", "version": VERSION, "checks": checks}
    return Reply(200, body) if is_healthy else Reply(503, body, headers={"Retry-After": "10"})


@blueprint.route("/v1/openapi.json", methods=["GET"])
@endpoint(auth=PUBLIC, tag="Service", cache_control=_CACHED, allows_any_origin=True)
def retrieve_openapi(call: Call) -> Reply:
    """Describe this API as OpenAPI 3.1.

    It changes with a release only. Scripts of all web pages may read it.
    """
    return Reply(body=_openapi_document(call.services.api_host))


@blueprint.route("/docs", methods=["GET"])
@endpoint(auth=PUBLIC, tag="Service", answer_types=(HTML_TYPE,), cache_control=_CACHED)
def show_docs(call: Call) -> Reply:
    """Show the reference of this API to people.

    A page that needs nothing from elsewhere.
    """
    return _reference_page(call.services.api_host)


@blueprint.route("/errors/{code}", methods=["GET"])
@endpoint(
    auth=PUBLIC,
    tag="Service",
    answers={200: "chalicelib.contract.meta:ErrorCode"},
    answer_types=(HTML_TYPE, "application/json"),
    problems=("not_found",),
    cache_control=_CACHED,
)
def retrieve_error_code(call: Call) -> Reply:
    """Explain an error code.

    What it means and what to do about it: a page for people, or JSON where `Accept` asks for it.
    """
    problem = PROBLEMS.get(call.params["code"])
    if problem is None:
        raise NotFound("not_found", "There is no error code of this name.")
    if _asks_for_json(call.headers.get("accept", "")):
        return Reply(body=problem._asdict(), headers=_VARY)
    page = _error_page(problem, call.services.api_host)
    return replace(page, headers={**page.headers, **_VARY})


def _check_outcome(name: str, check: Callable[[], bool]) -> str:
    try:
        return "ok" if check() else "missing"
    except Exception:
        log.exception("health check failed", extra={"check": name})
        return "failing"


# Built once per process: they take half a second, and anyone may request them without a key.
_BUILDING: Final = threading.RLock()


def _reference_page(api_host: str) -> Reply:
    with _BUILDING:
        return _cached_reference_page(api_host)


def _openapi_document(api_host: str) -> "Document":
    with _BUILDING:
        return _cached_openapi_document(api_host)


@cache
def _cached_reference_page(api_host: str) -> Reply:
    from chalicelib.api.edge.reference_page import reference_page  # noqa: PLC0415 -- only this page needs it

    return reference_page(_cached_openapi_document(api_host))


@cache
def _cached_openapi_document(api_host: str) -> "Document":
    from chalicelib.api.edge.openapi.document import openapi_document  # noqa: PLC0415 -- builds every model
    from chalicelib.api.routes import ENDPOINTS  # noqa: PLC0415 -- lists this module too

    return openapi_document(ENDPOINTS, CONTRACT_EVENT_TYPES, api_host)


def _asks_for_json(accept: str) -> bool:
    return "json" in accept and "text/html" not in accept


def _error_page(problem: Problem, api_host: str) -> Reply:
    status = f"HTTP {problem.status}" if problem.status else "inside an object, never as a status"
    again = "Yes, after a pause." if problem.retryable else "No, not without a change."
    body = (
        '<main class="one"><p class="dim">Error code</p>'
        f"<h1><code>{escape(problem.code)}</code></h1><p>{escape(problem.title)}</p>"
        f"<dl><dt>Meaning</dt><dd>{inline_markup(problem.meaning)}</dd>"
        f"<dt>What to do</dt><dd>{inline_markup(problem.fix)}</dd>"
        f"<dt>Try again?</dt><dd>{again}</dd><dt>Answered as</dt><dd>{status}</dd></dl>"
        '<p><a href="/docs#errors">All error codes</a></p></main>'
    )
    title = f"{problem.code} · Platen"
    return html_page(title, body, api_host=api_host, style="h1 code{font-size:1em}")
