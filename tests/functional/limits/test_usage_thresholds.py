"""Events and mail at 50, 80 and 100 % of a cycle's renders, and when top-ups end."""

from typing import Any

import pytest

from chalicelib.adapters.aws.table import Write
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.change import WorkspaceChanges
from tests.builders.service import Service

MARKS = ["50", "80", "100"]


class Tenant:
    """Workspace on the starter plan, with 2,000 renders, some of them used."""

    def __init__(self, service: Service, *, used: int) -> None:
        self.service = service
        self.workspace = service.create_workspace("starter")
        self.key = service.key("live", self.workspace)
        self.set(used=used, quota_left=2_000 - used)

    def set(self, **fields: Any) -> None:
        table = self.service.main_table
        item = self.service.operator.limits.get(self.workspace)
        table.write(Write(self.service.main_table, item=item | fields))

    def render(self) -> str | None:
        """Render; return the code of a refusal."""
        self.service.clock.advance(seconds=2)
        answer = self.service.render(key=self.key)
        return None if answer.status == 200 else answer.code

    def process_queues(self) -> None:
        self.service.clock.advance(seconds=1)
        self.service.tick()
        assert self.service.run_maintenance() == []
        assert self.service.relay_events() == []

    @property
    def events(self) -> list[dict[str, Any]]:
        rows = self.service.operator.workspaces
        assert rows.get(WorkspaceId(self.workspace))
        page = self.service.main_table.query(
            "PK = :pk AND begins_with(SK, :facts)",
            {":pk": f"WS#{self.workspace}", ":facts": "EVENT#"},
        )
        return page.items

    @property
    def marks(self) -> list[str]:
        details = [event["detail"] for event in self.events]
        marks = [str(detail["threshold_percent"] or detail["kind"]) for detail in details]
        return sorted(marks, key=lambda mark: (len(mark), mark))


@pytest.mark.parametrize(("used", "percent"), [(1_000, 50), (1_600, 80), (2_000, 100)])
def test_threshold_event_is_published_with_the_render_that_reaches_it(
    service: Service, used: int, percent: int
) -> None:
    tenant = Tenant(service, used=used - 2)
    below = MARKS[: MARKS.index(str(percent))]
    tenant.render()
    tenant.service.clock.advance(minutes=6)
    tenant.process_queues()
    assert tenant.marks == below

    tenant.render()
    tenant.process_queues()

    assert tenant.marks == [*below, str(percent)]
    (event,) = [row for row in tenant.events if row["detail"]["threshold_percent"] == percent]
    assert event["type"] == "usage.threshold_reached"
    assert "published_at" in event
    assert (event["detail"]["used"], event["detail"]["included"]) == (used, 2_000)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_threshold_event_leaves_without_waiting_for_the_tick(service: Service, mode: str) -> None:
    tenant = Tenant(service, used=999)

    service.render(key=tenant.key, mode=mode)
    service.run_queued()
    assert service.relay_events() == []
    assert service.run_maintenance() == []
    assert service.relay_events() == []

    (event,) = tenant.events
    assert event["detail"]["threshold_percent"] == 50
    assert "published_at" in event


def passed(tenant: Tenant) -> list[tuple[int, int, str]]:
    rows = sorted(tenant.events, key=lambda row: int(row["detail"]["threshold_percent"]))
    return [
        (row["detail"]["threshold_percent"], row["detail"]["used"], row["created_at"][11:19])
        for row in rows
    ]


def test_each_event_has_the_count_and_time_at_which_its_threshold_was_passed(
    service: Service,
) -> None:
    tenant = Tenant(service, used=0)
    tenant.set(included=10, quota_left=10)
    times = []
    for _ in range(10):
        tenant.render()
        times.append(service.clock.now().strftime("%H:%M:%S"))
    # What tells of it comes late, after all of them.
    service.clock.advance(minutes=6)
    tenant.process_queues()

    assert passed(tenant) == [(50, 5, times[4]), (80, 8, times[7]), (100, 10, times[9])]


def test_renders_that_end_at_once_pass_each_threshold_at_its_count(service: Service) -> None:
    tenant = Tenant(service, used=0)
    tenant.set(included=10, quota_left=10)
    for _ in range(10):
        service.clock.advance(seconds=2)
        assert service.render(key=tenant.key, mode="async").status == 202
    service.run_queued()
    # One call of the relay counts all of them.
    assert service.relay_events() == []
    ended = service.clock.now().strftime("%H:%M:%S")
    assert service.run_maintenance() == []

    assert passed(tenant) == [(50, 5, ended), (80, 8, ended), (100, 10, ended)]


def test_event_comes_at_once_though_the_limits_are_due_already(service: Service) -> None:
    tenant = Tenant(service, used=999)
    tenant.set(due_at="2026-01-01T00:00:00.000Z")

    tenant.render()
    assert service.relay_events() == []
    assert service.run_maintenance() == []

    assert tenant.marks == ["50"]


def test_threshold_event_is_published_once_per_cycle(service: Service) -> None:
    tenant = Tenant(service, used=999)
    for _ in range(3):
        tenant.render()
        tenant.process_queues()
    tenant.set(told={})
    tenant.render()
    tenant.service.clock.advance(minutes=6)
    tenant.process_queues()
    assert tenant.marks == ["50"]

    service.clock.advance(days=31)
    tenant.render()
    tenant.set(used=999, quota_left=1_001)
    tenant.render()
    tenant.process_queues()

    assert tenant.marks == ["50", "50"]
    assert len({event["id"] for event in tenant.events}) == 2


def test_test_renders_reach_no_threshold(service: Service) -> None:
    tenant = Tenant(service, used=999)
    tenant.key = service.key("test", tenant.workspace)

    tenant.render()
    tenant.service.clock.advance(minutes=6)
    tenant.process_queues()

    assert tenant.marks == []


def test_exhausted_top_ups_are_published(service: Service) -> None:
    tenant = Tenant(service, used=2_000)
    service.operator.change_workspace(tenant.workspace, WorkspaceChanges(spend_cap_cents=2_900))
    assert tenant.render() is None
    tenant.process_queues()
    assert tenant.marks == MARKS

    tenant.set(prepaid_left=1)
    assert tenant.render() is None
    tenant.process_queues()

    assert tenant.marks == [*MARKS, "top_ups"]
    assert tenant.render() == "render_limit_reached"


def test_without_top_ups_no_exhaustion_event_is_published(service: Service) -> None:
    tenant = Tenant(service, used=1_999)

    tenant.render()
    tenant.process_queues()

    assert tenant.marks == MARKS


def test_without_mail_server_the_mail_is_logged_without_the_email_address(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    tenant = Tenant(service, used=999)

    tenant.render()
    tenant.process_queues()

    assert "mail_not_configured" in capsys.readouterr().out
