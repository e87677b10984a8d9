"""Kinds of callers: an endpoint declares how they prove who they are."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from chalice.app import Blueprint

from chalicelib.api.edge.app import App
from chalicelib.api.edge.auth import Principal
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.api.edge.request import Request
from chalicelib.api.edge.services import RequestServices
from chalicelib.core.errors import Forbidden, ServiceError
from chalicelib.core.ids import WorkspaceId
from tests.builders.http import request
from tests.builders.service import Service


@dataclass(frozen=True)
class LinkAuth:
    """Workspace in a header, as a signed link would name it."""

    counts_rate: bool
    scope: None = None

    def authenticate(self, request: Request, services: RequestServices) -> Principal:
        named = WorkspaceId(request.headers.get("x-link", ""))
        workspace = services.workspaces.get(named)
        if workspace is None:
            raise ServiceError("invalid_signature", "This link is not signed.")
        return Principal(workspace, "live", frozenset(), counts_rate=self.counts_rate)

    def authorize(self, principal: Principal) -> None:
        if principal.workspace.plan_code == "free":
            raise Forbidden("feature_not_enabled", "Links are not enabled.")


def linked_app(service: Service, *, counts_rate: bool) -> App:
    blueprint = Blueprint("linked")

    @blueprint.route("/link", methods=["GET"])
    @endpoint(auth=LinkAuth(counts_rate))
    def show(call: Call) -> Reply:
        """Show who calls."""
        return Reply(body={"workspace": call.caller.workspace_id, "mode": call.caller.mode})

    return App([blueprint], lambda: service.services)


@pytest.fixture
def get(service: Service) -> Callable[..., tuple[int, dict[str, str], str | None]]:
    def get(workspace: str, *, counts_rate: bool) -> tuple[int, dict[str, str], str | None]:
        app = linked_app(service, counts_rate=counts_rate)
        answer = request(app, "GET", "/link", headers={"X-Link": workspace})
        return answer.status, dict(answer.headers), answer.code if answer.status >= 400 else None

    return get


@pytest.mark.parametrize("counts_rate", [True, False])
def test_principal_without_a_key_calls_and_counts_as_declared(
    service: Service,
    get: Callable[..., tuple[int, dict[str, str], str | None]],
    *,
    counts_rate: bool,
) -> None:
    status, headers, _ = get(service.workspace, counts_rate=counts_rate)

    assert status == 200
    assert ("RateLimit" in headers) is counts_rate


def test_refusals_of_an_auth_are_problems(
    service: Service, get: Callable[..., tuple[int, dict[str, str], str | None]]
) -> None:
    assert get("ws_none", counts_rate=False)[::2] == (403, "invalid_signature")

    free = service.create_workspace("free")

    assert get(free, counts_rate=False)[::2] == (403, "feature_not_enabled")
