"""Packs and automatic top-ups: allowance, and events when nothing is left."""

from typing import Any

import pytest

from chalicelib.adapters.aws.table import Write
from chalicelib.features.workspaces.change import WorkspaceChanges
from tests.builders.http import ApiAnswer
from tests.builders.operator import OperatorTool
from tests.builders.service import Service


class Tenant:
    """Workspace that has used all included renders."""

    def __init__(self, service: Service, tool: OperatorTool, plan: str = "starter") -> None:
        self.service = service
        self.tool = tool
        self.workspace = service.create_workspace(plan)
        self.key = service.key("live", self.workspace)
        self.keep(quota_left=0, used=2_000)

    def keep(self, **fields: Any) -> None:
        """Write fields of the limits item."""
        item = self.service.operator.limits.get(self.workspace) | fields
        self.service.main_table.write(Write(self.service.main_table, item=item))
        self.service.services.limits._limits._cached_items.clear()

    def set(self, *options: str) -> None:
        self.tool.json("workspace", "set", self.workspace, *options)

    def render(self, **fields: Any) -> ApiAnswer:
        self.service.clock.advance(seconds=2)
        return self.service.render(key=self.key, **fields)

    @property
    def renders(self) -> dict[str, int]:
        self.service.clock.advance(seconds=2)
        answer: dict[str, int] = self.service.call("GET", "/v1/account", key=self.key).json[
            "renders"
        ]
        return answer


@pytest.fixture
def tenant(service: Service, tool: OperatorTool) -> Tenant:
    return Tenant(service, tool)


def test_pack_is_used_after_the_included_renders(tenant: Tenant) -> None:
    tenant.set("--packs", "2")
    assert tenant.renders["prepaid_remaining"] == 2_000

    assert tenant.render().status == 200

    renders_left = tenant.renders
    assert (
        renders_left["used"],
        renders_left["remaining_included"],
        renders_left["prepaid_remaining"],
    ) == (
        2_000,
        0,
        1_999,
    )


def test_included_renders_are_used_before_packs(tenant: Tenant) -> None:
    tenant.set("--packs", "1")
    tenant.keep(quota_left=1, used=1_999)

    tenant.render()
    assert tenant.renders["prepaid_remaining"] == 1_000
    tenant.render()

    assert tenant.renders["prepaid_remaining"] == 999


def test_failed_render_returns_its_pack_reservation(tenant: Tenant) -> None:
    tenant.set("--packs", "1")
    tenant.service.engine.page_count = 5_000

    assert tenant.render().code == "page_limit_exceeded"

    assert tenant.renders["prepaid_remaining"] == 1_000
    tenant.render(mode="async")
    assert tenant.renders["prepaid_remaining"] == 999


def test_remaining_pack_renders_outlive_the_cycle(tenant: Tenant) -> None:
    tenant.set("--packs", "1")
    tenant.service.clock.advance(days=31)

    tenant.render()

    renders_left = tenant.renders
    assert (
        renders_left["used"],
        renders_left["remaining_included"],
        renders_left["prepaid_remaining"],
    ) == (
        1,
        1_999,
        1_000,
    )


@pytest.mark.parametrize(("cap", "packs"), [(2_899, 0), (2_900, 1), (3_899, 1), (3_900, 2)])
def test_top_ups_stay_within_the_limit(tenant: Tenant, cap: int, packs: int) -> None:
    tenant.set("--spend-cap-cents", str(cap))
    assert tenant.renders["spend_cap_cents"] == cap

    bought = 0
    while (answer := tenant.render()).status == 200:
        bought += 1
        assert tenant.renders["prepaid_remaining"] == 999
        tenant.keep(prepaid_left=0)

    assert bought == packs
    assert answer.code == "render_limit_reached"
    assert f"limit of {cap} cents" in answer.json["detail"]


def test_each_cycle_has_separate_top_ups(tenant: Tenant) -> None:
    tenant.set("--spend-cap-cents", "2900")
    assert tenant.render().status == 200
    tenant.keep(prepaid_left=0)
    assert tenant.render().status == 402
    tenant.service.clock.advance(days=31)
    assert tenant.render().status == 200

    tenant.keep(quota_left=0, used=2_000)

    assert tenant.render().status == 200
    assert tenant.renders["prepaid_remaining"] == 999


def test_without_a_top_up_limit_nothing_is_bought(tenant: Tenant) -> None:
    answer = tenant.render()

    assert (answer.status, answer.code) == (402, "render_limit_reached")
    assert "top-ups are off" in answer.json["detail"]
    assert "2026-12-21T12:00:00.000Z" in answer.json["detail"]


def test_free_plan_has_neither_packs_nor_top_ups(service: Service, tool: OperatorTool) -> None:
    tenant = Tenant(service, tool, "free")
    tenant.set("--spend-cap-cents", "100000")
    refused = tool.refusal("workspace", "set", tenant.workspace, "--packs", "1")

    answer = tenant.render()

    assert refused[0] == "validation_error"
    assert answer.code == "render_limit_reached"
    assert "no packs" in answer.json["detail"]
    test_key = service.key("test", tenant.workspace)
    assert service.render(key=test_key).status == 200
    tenant.set("--plan", "starter", "--packs", "1")
    assert tenant.renders["prepaid_remaining"] == 1_000


def test_reservations_survive_a_change_of_plan(tenant: Tenant) -> None:
    service = tenant.service
    tenant.keep(quota_left=1, used=1_999)
    service.operator.change_workspace(tenant.workspace, WorkspaceChanges(packs=1))
    tenant.render(mode="async")
    tenant.render(mode="async")
    tenant.set("--plan", "growth")

    assert service.run_queued() == []
    assert service.relay_events() == []

    renders_left = tenant.renders
    assert (
        renders_left["used"],
        renders_left["remaining_included"],
        renders_left["prepaid_remaining"],
    ) == (
        2_000,
        8_000,
        999,
    )


@pytest.mark.parametrize(
    "options",
    [("--packs", "-1"), ("--spend-cap-cents", "-1"), ("--spend-cap-cents", "100000001")],
)
def test_pack_and_top_up_numbers_have_bounds(tenant: Tenant, options: tuple[str, str]) -> None:
    code, _ = tenant.tool.refusal("workspace", "set", tenant.workspace, *options)

    assert code == "validation_error"
