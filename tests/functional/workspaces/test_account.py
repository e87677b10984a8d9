"""`/v1/account` and `/v1/usage`."""

from typing import Any

import pytest

from chalicelib.bootstrap.event_types import EVENT_TYPES
from chalicelib.core.clock import format_rfc3339
from chalicelib.features.events.model import DomainEvent, EventDelivery
from chalicelib.features.usage.subscribe import CountUsage
from chalicelib.features.workspaces.change import WorkspaceChanges
from chalicelib.features.workspaces.keys.model import SCOPES
from chalicelib.features.workspaces.plans import PLANS
from tests.builders.batches import make_batch, published_template
from tests.builders.service import Service


def test_account_shows_plan_cycle_allowance_and_limits(service: Service) -> None:
    service.render()
    service.render(mode="async")
    service.render(key=service.test)

    account = service.call("GET", "/v1/account").json

    assert account == {
        "workspace": {"id": service.workspace, "name": "A workspace"},
        "plan": {"code": "scale", "interval": "month"},
        "cycle": {"start": "2026-11-21T12:00:00.000Z", "end": "2026-12-21T12:00:00.000Z"},
        "renders": {
            "included": 250_000,
            "used": 1,
            "remaining_included": 249_998,
            "prepaid_remaining": 0,
            "spend_cap_cents": 0,
        },
        "limits": {
            "bulk_concurrency": 100,
            "max_pages": 2_000,
            "max_payload_mb": 4,
            "rate_limit_rps": 100,
            "sync_concurrency": 50,
            "sync_timeout_s": 28,
        },
        "in_use": {"sync": 0, "bulk": 0, "rate": 3},
        "regions": ["eu"],
        "key": {
            "id": f"key_{service.live.split('_')[2]}",
            "name": account["key"]["name"],
            "mode": "live",
            "scopes": sorted(SCOPES),
            "template_ids": [],
            "expires_at": None,
        },
    }


def test_account_shows_what_the_key_may_do(service: Service) -> None:
    template = "tpl_01M7YZYAD4H2DEAAEWBVQCQV9G"
    key = service.operator.manage_keys.create(
        service.workspace, mode="test", scopes=["account:read"], templates=[template]
    )

    shown = service.call("GET", "/v1/account", key=key.text).json["key"]

    assert shown["id"] == f"key_{key.key.id}"
    assert (shown["mode"], shown["scopes"]) == ("test", ["account:read"])
    assert shown["template_ids"] == [template]
    assert key.text not in str(shown)


def in_use(service: Service, key: str = "") -> dict[str, int]:
    answer = service.call("GET", "/v1/account", key=key or service.live)
    shown: dict[str, int] = answer.json["in_use"]
    return shown


def test_account_shows_the_places_that_are_held(service: Service) -> None:
    workspace = service.services.workspaces.get(service.workspace)
    assert workspace is not None
    leases = service.services.state.leases
    now = service.clock.now().timestamp()

    with leases(workspace, until=now + 30), leases(workspace, until=now + 10):
        assert in_use(service)["sync"] == 2
        service.clock.advance(seconds=15)
        assert in_use(service)["sync"] == 1

    assert in_use(service)["sync"] == 0


def test_account_shows_the_items_in_flight(service: Service) -> None:
    """Items that wait for their release, or have ended, are not in flight; tests count too."""
    service.operator.change_workspace(service.workspace, WorkspaceChanges(plan="starter"))
    template = published_template(service)
    make_batch(service, 7, template_id=template)
    make_batch(service, 1, template_id=template, key=service.test)
    assert in_use(service)["bulk"] == 0

    service.release_batches()
    assert in_use(service)["bulk"] == PLANS["starter"].bulk_concurrency
    service.run_queued("BatchItems")
    service.relay_events()
    assert in_use(service)["bulk"] == 0
    service.release_batches()
    assert in_use(service)["bulk"] == 3
    service.run_batches()
    service.clock.advance(seconds=1)

    assert in_use(service)["bulk"] == 0


def test_reading_the_account_uses_none_of_the_limits_that_it_shows(service: Service) -> None:
    for _ in range(3):
        service.render()
    before = service.services.limits.get(service.workspace)

    shown = [in_use(service) for _ in range(3)]

    assert shown == [{"sync": 0, "bulk": 0, "rate": 3}] * 3
    assert service.services.limits.get(service.workspace) == before
    service.clock.advance(seconds=1)
    assert in_use(service)["rate"] == 0


def test_limits_in_use_are_those_of_the_workspace_alone(service: Service) -> None:
    make_batch(service, 2)
    service.release_batches()
    service.render()

    other = in_use(service, service.key("live", service.create_workspace("scale")))

    assert other == {"sync": 0, "bulk": 0, "rate": 0}


def test_account_of_a_new_cycle_is_unused(
    service: Service,
) -> None:
    service.render()
    service.clock.advance(days=31)

    account = service.call("GET", "/v1/account").json

    assert account["cycle"]["start"] == "2026-12-21T12:00:00.000Z"
    assert (account["renders"]["used"], account["renders"]["remaining_included"]) == (0, 250_000)


def test_remaining_renders_are_never_negative(service: Service) -> None:
    service.operator.change_workspace(service.workspace, WorkspaceChanges(plan="free"))
    for _ in range(3):
        service.render()
        service.clock.advance(seconds=2)
    table, limits = service.main_table, service.services.limits
    workspace = service.services.workspaces.get(service.workspace)
    assert workspace is not None
    table.write(limits.change(workspace, more_renders=-99))

    account = service.call("GET", "/v1/account").json

    assert account["renders"]["remaining_included"] == 0


def test_account_needs_its_scope(service: Service) -> None:
    key = service.key("live", scopes=["renders:read"])

    for target in ("/v1/account", "/v1/usage"):
        assert service.call("GET", target, key=key).code == "insufficient_scope"


def test_usage_counts_by_day_mode_and_format(service: Service) -> None:
    service.render()
    service.render(output={"format": "png"})
    service.render(key=service.test)
    service.relay_events()
    service.clock.advance(days=2)
    service.engine.page_count = 5_000
    service.render()
    service.relay_events()

    usage = service.call("GET", "/v1/usage").json

    assert usage["object"] == "usage"
    assert usage["cycle"]["start"] == "2026-11-21T12:00:00.000Z"
    assert usage["days"] == [
        {"date": "2026-11-21", "live": 2, "test": 1, "failed": 0},
        {"date": "2026-11-22", "live": 0, "test": 0, "failed": 0},
        {"date": "2026-11-23", "live": 0, "test": 0, "failed": 1},
    ]
    assert usage["by_format"] == [
        {"format": "pdf", "live": 1, "test": 1, "failed": 1},
        {"format": "png", "live": 1, "test": 0, "failed": 0},
    ]
    assert usage["by_template"] == []


FIRST, SECOND = (f"tpl_{number:026}" for number in (1, 2))


def delivery_of(event: DomainEvent, row: dict[str, Any]) -> EventDelivery:
    (event_type,) = [each for each in EVENT_TYPES if each.name == event.type]
    return EventDelivery(event=event, type=event_type, subject_row=row, settled=True)


def test_usage_by_template_lists_the_most_rendered_first(service: Service) -> None:
    rendered = [(FIRST, "live"), (SECOND, "test"), (SECOND, "failed"), (SECOND, "live")]
    count = CountUsage(table=service.main_table, formats=lambda _row: ("pdf", "zip"))
    for n, (template, kind) in enumerate(rendered):
        status = "failed" if kind == "failed" else "succeeded"
        at = format_rfc3339(service.clock.now())
        event = DomainEvent(f"evt_{n}", f"render.{status}", service.workspace, "s", "r", at)
        row = {"test": kind == "test", "billed": kind == "live", "template_id": template}
        for write in count.writes([delivery_of(event, row)], {}):
            service.main_table.write(write)

    usage = service.call("GET", "/v1/usage").json

    assert usage["by_template"] == [
        {"template_id": SECOND, "live": 1, "test": 1, "failed": 1},
        {"template_id": FIRST, "live": 1, "test": 0, "failed": 0},
    ]
    assert usage["by_format"] == [
        {"format": name, "live": 2, "test": 1, "failed": 1} for name in ("pdf", "zip")
    ]


def test_no_usage_item_grows_with_the_number_of_templates(service: Service) -> None:
    """DynamoDB refuses an item beyond 400 KB, and with it the delivery of the event."""
    count = CountUsage(table=service.main_table, formats=lambda _row: ("pdf",))
    at = format_rfc3339(service.clock.now())
    counters: dict[str, set[str]] = {}
    for template in range(100):
        event = DomainEvent(f"evt_{template}", "render.succeeded", service.workspace, "s", "r", at)
        row = {"test": False, "billed": True, "template_id": f"tpl_{template}"}
        for write in count.writes([delivery_of(event, row)], {}):
            assert write.key is not None
            counters.setdefault(write.key["SK"], set()).update(write.names.values())

    assert len(set().union(*counters.values())) == 103
    assert max(map(len, counters.values())) == 3


def test_usage_is_limited_to_its_range(service: Service) -> None:
    for _ in range(3):
        service.render()
        service.relay_events()
        service.clock.advance(days=5)

    usage = service.call("GET", "/v1/usage?from=2026-11-26&to=2026-12-01").json

    assert [day["date"] for day in usage["days"]][::5] == ["2026-11-26", "2026-12-01"]
    assert [day["live"] for day in usage["days"]] == [1, 0, 0, 0, 0, 1]
    assert usage["by_format"] == [{"format": "pdf", "live": 2, "test": 0, "failed": 0}]


def test_repeated_event_counts_usage_once(service: Service) -> None:
    service.render()
    service.relay_events()
    service.clock.advance(minutes=2)
    service.tick()
    service.relay_events()

    assert service.call("GET", "/v1/usage").json["days"][0]["live"] == 1


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("from=2026-11-22", "/query/from"),
        ("from=2026-11-02&to=2026-11-01", "/query/from"),
        ("from=2025-11-20&to=2026-11-21", "/query/from"),
        ("from=yesterday", "/query/from"),
        ("to=2026-13-01", "/query/to"),
        ("from=1700000000", "/query/from"),
        ("from=1795305600", "/query/from"),
        ("from=20261101", "/query/from"),
        ("from=2026-11-01T00:00:00Z", "/query/from"),
        ("since=2026-11-01", "/query/since"),
    ],
)
def test_invalid_range_is_refused_by_name(service: Service, query: str, pointer: str) -> None:
    answer = service.call("GET", f"/v1/usage?{query}")

    assert (answer.status, answer.code) == (400, "validation_error")
    assert [error["path"] for error in answer.json["errors"]] == [pointer]


def test_longest_range_is_a_leap_year_and_a_day(service: Service) -> None:
    answer = service.call("GET", "/v1/usage?from=2027-03-01&to=2028-02-29")

    assert answer.status == 200
    assert len(answer.json["days"]) == 366


@pytest.mark.parametrize("plan", PLANS)
def test_limits_are_those_of_the_plan(service: Service, plan: str) -> None:
    key = service.key("test", service.create_workspace(plan))

    account = service.call("GET", "/v1/account", key=key).json

    assert account["limits"]["rate_limit_rps"] == PLANS[plan].rate_limit_rps
    assert account["renders"]["included"] == PLANS[plan].included_renders
