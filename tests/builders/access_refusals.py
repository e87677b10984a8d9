"""Requests that keys, workspaces and their limits do not allow."""

import datetime as dt
from collections.abc import Callable
from typing import Final

from chalicelib.adapters.aws.table import Write
from chalicelib.features.workspaces.change import WorkspaceChanges
from tests.builders.email_connections import create_connection, use_plan
from tests.builders.http import ApiAnswer
from tests.builders.service import Service


def _call_without_key(service: Service) -> ApiAnswer:
    return service.call("GET", "/v1/renders", key=None)


def _call_with_cut_key(service: Service) -> ApiAnswer:
    return service.call("GET", "/v1/renders", key=service.live[:-1])


def _call_with_expired_key(service: Service) -> ApiAnswer:
    key = service.key("live", expires_at=service.clock.now() + dt.timedelta(seconds=1))
    service.clock.advance(seconds=1)
    return service.call("GET", "/v1/renders", key=key)


def _call_with_revoked_key(service: Service) -> ApiAnswer:
    service.operator.manage_keys.revoke(service.live.split("_")[2])
    return service.call("GET", "/v1/renders")


def _render_without_scope(service: Service) -> ApiAnswer:
    return service.render(key=service.key("live", scopes=["renders:read"]))


def _render_from_elsewhere(service: Service) -> ApiAnswer:
    return service.render(key=service.key("live", allow_ips=["198.51.100.0/24", "2001:db8::/32"]))


def _call_too_often(service: Service) -> ApiAnswer:
    key = service.key("live", service.create_workspace("free"))
    answers = [service.call("GET", "/v1/renders", key=key) for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    return answers[2]


def _render_suspended(service: Service) -> ApiAnswer:
    service.operator.change_status.suspend(service.workspace)
    return service.render()


def _render_deleted(service: Service) -> ApiAnswer:
    service.operator.change_status.delete(service.workspace)
    return service.render()


def _render_beyond_quota(service: Service) -> ApiAnswer:
    workspace = service.create_workspace("free")
    key = service.key("live", workspace)
    no_renders_left = Write(
        service.main_table,
        key={"PK": f"WS#{workspace}#LIM", "SK": "META"},
        update="SET quota_left = :none",
        values={":none": 0},
    )
    service.main_table.write(no_renders_left)
    return service.render(key=key)


def _render_inside_a_render(service: Service) -> ApiAnswer:
    key = service.key("live", service.create_workspace("free"))
    inside: list[ApiAnswer] = []
    service.engine.before_run = lambda _job: inside.append(service.render(key=key))
    service.render(key=key)
    return inside[0]


def _render_unverified(service: Service) -> ApiAnswer:
    owned = service.operator.create_workspace("Owned", owner="o@example.com", regions=["eu"])
    return service.render(key=service.key("live", owned.id))


def _connect_email_without_its_plan(service: Service) -> ApiAnswer:
    use_plan(service, "starter")
    return create_connection(service)


def _render_elsewhere(service: Service) -> ApiAnswer:
    service.operator.change_workspace(service.workspace, WorkspaceChanges(regions=["us"]))
    return service.render()


def _render_test_with_live_key(service: Service) -> ApiAnswer:
    return service.render(test=True)


# By code of the catalogue: a request that is answered with it.
PROVOKED_ACCESS_ERRORS: Final[dict[str, Callable[[Service], ApiAnswer]]] = {
    "authentication_required": _call_without_key,
    "invalid_api_key": _call_with_cut_key,
    "api_key_expired": _call_with_expired_key,
    "api_key_revoked": _call_with_revoked_key,
    "insufficient_scope": _render_without_scope,
    "ip_not_allowed": _render_from_elsewhere,
    "rate_limited": _call_too_often,
    "workspace_suspended": _render_suspended,
    "workspace_deletion_scheduled": _render_deleted,
    "render_limit_reached": _render_beyond_quota,
    "concurrency_limited": _render_inside_a_render,
    "email_not_verified": _render_unverified,
    "region_not_enabled": _render_elsewhere,
    "feature_not_enabled": _connect_email_without_its_plan,
    "test_key_required": _render_test_with_live_key,
}
