"""Sync renders that find no room, or are not ready in time."""

from collections.abc import Callable

import pytest
from botocore.exceptions import ReadTimeoutError

from tests.builders.service import LambdaClient, Service


def _late() -> ReadTimeoutError:
    return ReadTimeoutError(endpoint_url="render")


def _busy() -> Exception:
    return LambdaClient.exceptions.TooManyRequestsException()


@pytest.mark.parametrize("failure", [_late, _busy])
def test_render_that_did_not_start_in_time_goes_on_from_the_queue(
    service: Service, failure: Callable[[], Exception]
) -> None:
    service.invocations = iter([failure()])

    answer = service.render(headers={"Idempotency-Key": "k"})

    assert answer.status == 202
    assert answer.json["status"] == "queued"
    assert service.work_off_queue() == []
    render = service.call("GET", f"/v1/renders/{answer.json['id']}").json
    assert render["status"] == "succeeded"
    assert service.limits()["used"] == 1
    assert service.limits()["leases"] == {}
    again = service.render(headers={"Idempotency-Key": "k"})
    assert (again.status, again.json["id"]) == (202, render["id"])


def test_late_render_is_canceled_when_asked_and_costs_nothing(service: Service) -> None:
    service.invocations = iter([_late()])

    answer = service.render(timeout_behavior="cancel")

    assert answer.status == 408
    assert answer.code == "render_timeout"
    render = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert render["status"] == "canceled"
    assert render["error"]["code"] == "render_timeout"
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (0, {}, {})
    assert service.work_off_queue() == []
    assert service.engine.jobs == []


def test_render_that_is_canceled_while_it_runs_keeps_no_file(service: Service) -> None:
    def cancel(_job: object) -> None:
        (row,) = service.call("GET", "/v1/renders").json["data"]
        render = service.services.renders.get(service.workspace, row["id"])
        assert render is not None
        service.services.end_render.timed_out(render)

    service.engine.before = cancel

    answer = service.render()

    assert answer.code == "render_timeout"
    assert service.objects() == []
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (0, {}, {})
    facts = service.facts(answer.json["render_id"])
    assert [fact["type"] for fact in facts] == ["render.canceled"]


def test_no_room_is_told_where_the_caller_would_not_wait(service: Service) -> None:
    service.invocations = iter([_busy()])

    answer = service.render(timeout_behavior="cancel")

    assert answer.status == 503
    assert answer.code == "region_degraded"
    assert int(answer.headers["Retry-After"]) >= 1
    assert service.limits()["holds"] == {}
