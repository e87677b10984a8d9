"""Takeover of sync renders: a repeated request replaces a killed API function."""

import pytest

from tests.builders.service import Service


class ApiKilled(BaseException):
    """Death of the API function's process."""


def test_repeat_takes_over_from_a_killed_api_function(service: Service) -> None:
    service.invoke_failures = iter([ApiKilled()])
    with pytest.raises(ApiKilled):
        service.render(headers={"Idempotency-Key": "k"})

    at_once = service.render(headers={"Idempotency-Key": "k"})
    service.clock.advance(seconds=31)
    later = service.render(headers={"Idempotency-Key": "k"})

    assert (at_once.status, at_once.code) == (409, "idempotency_in_progress")
    assert later.status == 200, later.body
    assert later.json["id"] == at_once.json["render_id"]
    again = service.render(headers={"Idempotency-Key": "k"})
    assert again.headers["Idempotent-Replayed"] == "true"
    service.relay_events()
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (1, {}, {})
    assert len(service.objects()) == 1


def test_repeats_use_no_attempts_of_a_running_render(service: Service) -> None:
    service.invoke_failures = iter([ApiKilled()])
    with pytest.raises(ApiKilled):
        service.render(headers={"Idempotency-Key": "k"})
    service.clock.advance(seconds=31)
    meanwhile: list[int] = []

    def repeat(_job: object) -> None:
        meanwhile.extend(service.render(headers={"Idempotency-Key": "k"}).status for _ in range(4))

    service.engine.before_run = repeat

    answer = service.render(headers={"Idempotency-Key": "k"})

    assert answer.status == 200, answer.body
    assert meanwhile == [409] * 4
    assert len(service.engine.jobs) == 1
