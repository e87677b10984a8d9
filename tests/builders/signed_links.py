"""Signed links of a service, and requests of their URLs as the function's URL hands them over."""

import hashlib
import hmac
from collections.abc import Callable, Mapping
from typing import Any, Final

from infra.local.gateway.events import Request, function_url_event
from tests.builders.aws_actions import acting_as
from tests.builders.http import CONTEXT, ApiAnswer, answer_of
from tests.builders.service import Service
from tests.builders.templates import make_template

LINKS_PATH: Final = "/v1/signed-links"
FILES_HOST: Final = "https://files.test"
HTML: Final = "<p>{{ who }}</p>"


def published(service: Service, html: str = HTML, **fields: Any) -> str:
    """Publish a template and return its id."""
    return make_template(service, html=html, publish=True, **fields).rpartition("/")[2]


def post_link(service: Service, **fields: Any) -> ApiAnswer:
    """Send POST /v1/signed-links, for a template that is published now unless one is named."""
    key = fields.pop("key", service.live)
    template_id = fields.pop("template_id", None) or published(service)
    body = {"name": "Badge", "template_id": template_id} | fields
    return service.call("POST", LINKS_PATH, json_body=body, key=key)


def make_link(service: Service, **fields: Any) -> dict[str, Any]:
    """Make a link and return it with its secret."""
    answer = post_link(service, **fields)
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json
    return made


def sign(link: Mapping[str, Any], file: str = "a.png", query: str = "who=Ada") -> str:
    """Return path and query of a URL, signed as a caller with the secret does."""
    target = f"/l/{link['id']}/{file}" + (f"?{query}" if query else "")
    return f"{target}{'&' if query else '?'}sig={hex_signature(link['secret'], target)}"


def hex_signature(secret: str, target: str) -> str:
    """Return the signature of path and query."""
    return hmac.new(secret.encode(), target.encode(), hashlib.sha256).hexdigest()


def signed_url(service: Service, link: Mapping[str, Any], **fields: Any) -> ApiAnswer:
    """Send POST /v1/signed-links/{id}/sign."""
    return service.call("POST", f"{LINKS_PATH}/{link['id']}/sign", json_body=fields)


def fetch(
    service: Service,
    target: str,
    headers: Mapping[str, str] | None = None,
    *,
    method: str = "GET",
) -> ApiAnswer:
    """Send a request to the function's URL."""
    path, _, query = target.removeprefix(FILES_HOST).partition("?")
    sent = {"Host": "files.test", "Accept": "image/*"} | dict(headers or {})
    request = Request(method, path, query, list(sent.items()), b"", "203.0.113.7")
    event = function_url_event(request, moment=service.clock.now())
    with acting_as("APIHandler"):
        return answer_of(service.app(event, CONTEXT))


def _fetch_from_elsewhere(service: Service) -> ApiAnswer:
    return fetch(service, sign(make_link(service, allowed_referrers=["https://a.example"])))


def _fetch_too_late(service: Service) -> ApiAnswer:
    return fetch(service, sign(make_link(service), query="exp=1"))


def _fetch_too_much(service: Service) -> ApiAnswer:
    link = make_link(service, quota_total=1)
    fetch(service, sign(link, query="n=1"))
    return fetch(service, sign(link, query="n=2"))


PROVOKED_LINK_ERRORS: Final[dict[str, Callable[[Service], ApiAnswer]]] = {
    "referrer_not_allowed": _fetch_from_elsewhere,
    "link_expired": _fetch_too_late,
    "quota_exceeded": _fetch_too_much,
}


def shown(service: Service, link: Mapping[str, Any]) -> dict[str, Any]:
    """Return a link as the API shows it now."""
    found: dict[str, Any] = service.call("GET", f"{LINKS_PATH}/{link['id']}").json
    return found


def renders(service: Service) -> list[dict[str, Any]]:
    """Return the renders of the workspace, newest first."""
    listed: list[dict[str, Any]] = service.call("GET", "/v1/renders?limit=100").json["data"]
    return listed
