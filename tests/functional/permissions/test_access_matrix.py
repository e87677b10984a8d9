"""Access of each kind of key to each route, and to the objects that its fields name."""

from collections.abc import Callable, Mapping
from typing import Final

import pytest

from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Endpoint
from chalicelib.api.routes import ENDPOINTS
from chalicelib.features.workspaces.keys.model import SCOPES
from tests.builders.access.id_fields import id_fields, route_of
from tests.builders.access.objects import Objects
from tests.builders.access.requests import MEMBER, access_request
from tests.builders.access.rows import OUTCOMES
from tests.builders.http import ApiAnswer
from tests.builders.service import Service

# Routes that take no key; tests/architecture/test_contract.py lists them.
ROUTES: Final = tuple(each for each in ENDPOINTS if isinstance(each.auth, KeyAuth))
FIELDS: Final = {route_of(each): id_fields(each) for each in ROUTES}
ELSEWHERE: Final = "198.51.100.7"
# Nothing at them changes: what they make is new, and the objects that they name stay.
_MAKERS: Final = ("renders", "pdf", "images", "batches", "einvoices", "pdf-tools", "uploads")
RESOURCES: Final = tuple(dict.fromkeys(each.path.split("/")[2] for each in ROUTES))


def outcome(answer: ApiAnswer) -> str:
    """Return the code of a refusal or of the first finding of a preflight, `ok` or `empty`."""
    if answer.status >= 400:
        return answer.code
    shown = answer.json if answer.body.startswith(b"{") else {}
    if shown.get("ok") is False and shown.get("errors"):
        return str(shown["errors"][0]["code"])
    return "empty" if shown.get("object") == "list" and not shown["data"] else "ok"


def routes_of(resource: str) -> list[Endpoint]:
    """Return the routes of a resource; those that read come before others add to what is there."""
    routes = [each for each in ROUTES if each.path.split("/")[2] == resource]
    return sorted(routes, key=lambda each: each.method != "GET")


def test_every_route_and_field_has_its_row(capsys: pytest.CaptureFixture[str]) -> None:
    with_fields = {route: sorted(fields) for route, fields in FIELDS.items() if fields}

    assert {route: sorted(rows) for route, rows in OUTCOMES.items()} == with_fields

    fields = sum(map(len, FIELDS.values()))
    rows = len(ROUTES) * len(refused_keys()) + fields * 4
    with capsys.disabled():
        print(  # noqa: T201 -- the measure of this test
            f"\n{rows} rows: {len(ROUTES)} routes x {len(refused_keys())} refused keys, "
            f"{fields} id fields x 4 keys"
        )


def refused_keys() -> Mapping[str, Callable[[Service, str], tuple[str, str, str]]]:
    """Return the kinds of keys that may nothing: makers of key, code and source address."""

    def without_scope(service: Service, scope: str) -> tuple[str, str, str]:
        area = scope.partition(":")[0]
        writes = {f"{area}:write"} if scope.endswith(":read") else set()
        scopes = [each for each in SCOPES if each not in {scope, *writes}]
        return service.key("live", scopes=scopes), "insufficient_scope", "203.0.113.7"

    def from_elsewhere(service: Service, _scope: str) -> tuple[str, str, str]:
        return service.key("live", allow_ips=["203.0.113.0/24"]), "ip_not_allowed", ELSEWHERE

    def revoked(service: Service, _scope: str) -> tuple[str, str, str]:
        key = service.key("live")
        service.operator.manage_keys.revoke(key.split("_")[2])
        return key, "api_key_revoked", "203.0.113.7"

    return {"without scope": without_scope, "elsewhere": from_elsewhere, "revoked": revoked}


@pytest.mark.parametrize("kind", refused_keys())
def test_key_that_may_not_call_a_route_gets_nothing_of_it(service: Service, kind: str) -> None:
    own = Objects(service, service.live)
    keys: dict[str, tuple[str, str, str]] = {}
    wrong = []
    for endpoint in ROUTES:
        scope = str(endpoint.auth.scope)
        if scope not in keys:
            keys[scope] = refused_keys()[kind](service, scope)
        key, code, source_ip = keys[scope]
        path = endpoint.path.replace("{ds}", own.id_of("dataset")).replace("{number}", "1")
        path = path.replace("{id}", own.id_of("template"))
        service.clock.advance(seconds=1)
        answer = service.call(endpoint.method, path, json_body={}, key=key, source_ip=source_ip)
        if outcome(answer) != code:
            wrong.append((route_of(endpoint), outcome(answer), code))
    assert wrong == []


@pytest.mark.parametrize("resource", RESOURCES)
def test_objects_are_for_those_who_may_use_them(service: Service, resource: str) -> None:
    service.operator.manage_members.add(service.workspace, MEMBER, "developer")
    service.operator.manage_members.verify(service.workspace, MEMBER)
    stranger = service.create_workspace()
    theirs = Objects(service, service.key("live", stranger), stranger)
    own, of_test, others = (
        Objects(service, key) for key in (service.live, service.test, service.live)
    )
    wrong = []
    for endpoint in routes_of(resource):
        route = route_of(endpoint)
        for field, expected in OUTCOMES.get(route, {}).items():
            for kind, mine, named in (
                ("stranger", own, theirs),
                ("restricted", own, others),
                ("test", of_test, others),
                ("owner", own, others),
            ):
                request = access_request(route, field, mine, named)
                key = service.test if kind == "test" else service.live
                if kind == "restricted":
                    key = service.key("live", templates=[own.id_of("template")])
                service.clock.advance(seconds=1)
                answer = service.call(
                    request.method, request.target, json_body=request.body, key=key
                )
                found = outcome(answer)
                if found != getattr(expected, kind):
                    wrong.append(f"{route} {field} {kind}: {found}, {answer.body[:300]!r}")
                changes = request.method != "GET" and not (
                    resource in _MAKERS and "{id}" not in endpoint.path
                )
                if changes and answer.status < 300:
                    for objects in (own, of_test, others):
                        objects.forget()
    assert wrong == []
