"""Limits of a plan: rate, concurrency and quota of a workspace."""

import datetime as dt

import pytest

from chalicelib.adapters.aws.table import Write
from chalicelib.features.workspaces.change import WorkspaceChanges
from tests.builders.service import Service


def test_rate_limited_request_gets_retry_after(service: Service) -> None:
    key = service.key("live", service.create_workspace("free"))
    answers = [service.render(key=key) for _ in range(3)]

    assert [answer.status for answer in answers] == [200, 200, 429]
    assert answers[2].code == "rate_limited"
    assert answers[2].headers["Retry-After"] == "1"
    service.clock.advance(seconds=1)
    assert service.render(key=key).status == 200


def test_a_clock_that_was_set_back_refuses_nothing_and_the_rate_holds(service: Service) -> None:
    key = service.key("live", service.create_workspace("free"))
    test_key = service.key("test", service.create_workspace("free"))
    service.clock.advance(seconds=5 * 3_600)
    for each in (key, key, test_key):
        assert service.render(key=each).status == 200
    service.clock.advance(seconds=-5 * 3_600)

    statuses = [service.render(key=key).status for _ in range(3)]
    reads = [service.call("GET", "/v1/renders", key=key).status for _ in range(3)]

    assert statuses == reads == [200, 200, 429]
    assert service.render(key=test_key).status == 200


def test_reading_counts_towards_the_rate(service: Service) -> None:
    key = service.key("live", service.create_workspace("free"))

    statuses = [service.call("GET", "/v1/renders", key=key).status for _ in range(3)]

    assert statuses == [200, 200, 429]


def test_reads_and_creations_have_a_rate_each(service: Service) -> None:
    key = service.key("live", service.create_workspace("free"))
    for _ in range(2):
        assert service.call("GET", "/v1/renders", key=key).status == 200

    assert service.call("GET", "/v1/renders", key=key).code == "rate_limited"
    answers = [service.render(key=key) for _ in range(3)]

    assert [answer.status for answer in answers] == [200, 200, 429]


def test_every_answer_carries_the_remaining_rate(service: Service) -> None:
    key = service.key("live", service.create_workspace("starter"))

    left = [service.render(key=key).headers["RateLimit"] for _ in range(2)]

    assert [entry.split(";")[1] for entry in left] == ["r=4", "r=3"]


def test_test_renders_have_a_rate_per_minute(service: Service) -> None:
    workspace = service.create_workspace("free")
    key = service.key("test", workspace)
    for _ in range(10):
        assert service.render(key=key).status == 200
        service.clock.advance(milliseconds=500)

    refused = service.render(key=key)

    assert refused.code == "rate_limited"
    assert refused.headers["Retry-After"] == "1"
    service.clock.advance(seconds=6)
    assert service.render(key=key).status == 200


def test_refused_test_render_gets_retry_after(service: Service) -> None:
    key = service.key("test", service.create_workspace("free"))
    for _ in range(10):
        assert service.render(key=key).status == 200
        service.clock.advance(milliseconds=600)
    assert service.render(key=key).status == 200

    # The request rate has room: only the render is refused, and it counts as a request.
    refused = service.render(key=key)

    assert (refused.code, refused.headers["Retry-After"]) == ("rate_limited", "6")
    assert "10 test renders a minute" in refused.json["detail"]
    assert refused.headers["RateLimit"] == '"requests";r=0;t=1'
    service.clock.advance(seconds=5)
    assert service.render(key=key).headers["Retry-After"] == "1"
    service.clock.advance(seconds=1)
    assert service.render(key=key).status == 200


def test_rate_headers_report_the_stricter_of_both_rates(service: Service) -> None:
    key = service.key("test", service.create_workspace("free"))
    for _ in range(10):
        assert service.render(key=key).status == 200
        service.clock.advance(milliseconds=500)
    for _ in range(2):
        assert service.call("POST", "/v1/renders", body=b"{", key=key).status == 400

    refused = service.render(key=key)

    assert refused.headers["Retry-After"] == "1"
    assert refused.headers["RateLimit"] == '"requests";r=0;t=1'
    assert refused.headers["RateLimit-Policy"] == '"requests";q=2;w=1'


@pytest.mark.parametrize("status", [200, 400, 402, 403, 404, 413, 415, 429])
def test_every_answer_to_a_key_carries_rate_headers(service: Service, status: int) -> None:
    workspace = service.create_workspace("free")
    key = service.key("live", workspace)
    limits, table = service.operator.limits, service.main_table
    if status == 402:
        item = limits.get(workspace) | {"quota_left": 0}
        table.write(Write(service.main_table, item=item))
    asked = {
        200: lambda: service.render(key=key),
        400: lambda: service.call("POST", "/v1/renders", body=b"{", key=key),
        402: lambda: service.render(key=key),
        403: lambda: service.render(key=service.key("live", workspace, scopes=["renders:read"])),
        404: lambda: service.call("GET", "/v1/renders/rnd_1", key=key),
        413: lambda: service.call("POST", "/v1/renders", body=b" " * 1_000_001, key=key),
        415: lambda: service.call(
            "POST", "/v1/renders", body=b"x", headers={"Content-Type": "text/csv"}, key=key
        ),
        429: lambda: [service.call("GET", "/v1/renders", key=key) for _ in range(3)][-1],
    }

    answer = asked[status]()

    assert answer.status == status
    assert answer.headers["RateLimit-Policy"] == '"requests";q=2;w=1'
    left = 0 if status == 429 else 1
    assert answer.headers["RateLimit"] == f'"requests";r={left};t=1'


def test_concurrent_sync_renders_are_counted_by_leases(service: Service) -> None:
    workspace = service.create_workspace("free")
    key = service.key("live", workspace)
    inside = []
    service.engine.before_run = lambda _job: inside.append(service.render(key=key))

    assert service.render(key=key).status == 200

    assert [answer.code for answer in inside] == ["concurrency_limited"]
    assert inside[0].headers["Retry-After"] == "1"
    assert service.operator.limits.get(workspace)["leases"] == {}


def test_unreleased_lease_expires(service: Service) -> None:
    workspace = service.create_workspace("free")
    key = service.key("live", workspace)
    table = service.main_table
    item = service.operator.limits.get(workspace)
    gone = int((service.clock.now() - dt.timedelta(seconds=1)).timestamp())
    table.write(Write(service.main_table, item=item | {"leases": {"rnd_dead": gone}}))

    assert service.render(key=key).status == 200
    assert service.operator.limits.get(workspace)["leases"] == {}


def test_used_up_allowance_refuses_until_the_next_cycle(service: Service) -> None:
    workspace = service.create_workspace("free")
    key = service.key("live", workspace)
    for _ in range(3):
        assert service.render(key=key).status == 200
        service.clock.advance(seconds=1)
    item = service.operator.limits.get(workspace)
    assert item["quota_left"] == 97
    service.main_table.write(Write(service.main_table, item=item | {"quota_left": 0}))

    refused = service.render(key=key)

    assert refused.status == 402
    assert refused.code == "render_limit_reached"
    assert service.render(key=service.key("test", workspace)).status == 200
    service.clock.advance(days=31)
    assert service.render(key=key).status == 200
    limits = service.operator.limits.get(workspace)
    assert (limits["used"], limits["quota_left"]) == (1, 99)
    assert limits["cycle_start"] == "2026-12-21T12:00:00.000Z"


def test_queued_renders_reserve_allowance(service: Service) -> None:
    workspace = service.create_workspace("starter")
    key = service.key("live", workspace)
    service.render(key=key, mode="async")

    limits = service.operator.limits.get(workspace)

    assert len(limits["holds"]) == 1
    assert limits["leases"] == {}
    assert limits["quota_left"] == 2_000 - 1
    assert limits["due_at"] > "2026-11-21T12:00:00.000Z"


def test_new_plan_adds_its_allowance_at_once(service: Service) -> None:
    workspace = service.create_workspace("free")
    key = service.key("live", workspace)
    service.render(key=key)

    service.operator.change_workspace(workspace, WorkspaceChanges(plan="starter"))

    limits = service.operator.limits.get(workspace)
    assert (limits["used"], limits["quota_left"]) == (1, 1_999)


def test_workspace_of_another_region_may_not_render(service: Service) -> None:
    workspace = service.create_workspace()
    service.operator.change_workspace(workspace, WorkspaceChanges(regions=["us"]))

    answer = service.render(key=service.key("live", workspace))

    assert answer.status == 403
    assert answer.code == "region_not_enabled"


def test_unverified_owner_may_make_test_renders_only(service: Service) -> None:
    workspace = service.operator.create_workspace(
        "Mine", owner="a@example.com", plan="free", regions=["eu"]
    ).id

    assert service.render(key=service.key("live", workspace)).code == "email_not_verified"
    assert service.render(key=service.key("test", workspace)).status == 200
