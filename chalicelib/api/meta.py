"""`/healthz` and `/v1/openapi.json`: endpoints about the service for programs."""

import logging
import threading
from collections.abc import Callable
from functools import cache
from typing import Final

from chalice.app import Blueprint

from chalicelib.api.edge.auth import PUBLIC
from chalicelib.api.edge.endpoint import JSON, Call, Reply, endpoint
from chalicelib.api.pages.content import Content, content_of, content_reply
from chalicelib.bootstrap.event_types import CONTRACT_EVENT_TYPES
from chalicelib.core import json
from chalicelib.core.version import VERSION

blueprint: Final = Blueprint(__name__)

# It changes with a deployment only.
_CACHED: Final = "public, max-age=300"
# Built once per process: it takes half a second, and anyone may request it without a key.
_BUILDING: Final = threading.Lock()

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
    checks = check_outcomes(call)
    is_healthy = "failing" not in checks.values()
    body = {"status": "ok" if is_healthy else "failing", "version": VERSION, "checks": checks}
    return Reply(200, body) if is_healthy else Reply(503, body, headers={"Retry-After": "10"})


@blueprint.route("/v1/openapi.json", methods=["GET"])
@endpoint(auth=PUBLIC, tag="Service", cache_control=_CACHED, allows_any_origin=True, has_etag=True)
def retrieve_openapi(call: Call) -> Reply:
    """Describe this API as OpenAPI 3.1.

    It changes with a release only. Scripts of all web pages may read it.
    """
    with _BUILDING:
        document = _openapi_document(call.services.api_host)
    return content_reply(document, call.headers)


def check_outcomes(call: Call) -> dict[str, str]:
    """Return the outcome of each check of the service: `ok`, `missing` or `failing`."""
    return {name: _check_outcome(name, check) for name, check in call.services.checks.items()}


def _check_outcome(name: str, check: Callable[[], bool]) -> str:
    try:
        return "ok" if check() else "missing"
    except Exception:
        log.exception("health check failed", extra={"check": name})
        return "failing"


@cache
def _openapi_document(api_host: str) -> Content:
    from chalicelib.api.edge.openapi.document import openapi_document  # noqa: PLC0415 -- builds every model
    from chalicelib.api.routes import ENDPOINTS  # noqa: PLC0415 -- lists this module too

    document = openapi_document(ENDPOINTS, CONTRACT_EVENT_TYPES, api_host)
    return content_of(json.dumps(document).encode(), JSON)
