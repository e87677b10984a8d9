"""Checks of `/healthz`: storage, queues, walls and tenancy."""

from typing import Any, Final

import pytest

from tests.builders.lambda_client import LambdaClient
from tests.builders.service import Service

PARTS: Final = {"database": "ok", "storage": "ok", "queues": "ok"}


def checks(service: Service) -> Any:
    answer = service.call("GET", "/healthz", key=None)
    assert (answer.status, answer.json["status"]) == (200, "ok")
    return answer.json["checks"]


@pytest.mark.parametrize(
    ("lacks", "walls"), [((), "ok"), (("system_call_filter", "not_dumpable"), "missing")]
)
@pytest.mark.parametrize(("mode", "tenancy"), [("isolated", "ok"), ("shared", "missing")])
def test_health_tells_walls_and_tenancy_without_detail(
    service: Service, lacks: tuple[str, ...], walls: str, mode: str, tenancy: str
) -> None:
    service.engine.lacks = lacks
    service.tenancy = vars(service.settings)["tenancy"] = mode

    assert checks(service) == {**PARTS, "walls": walls, "tenancy": tenancy}

    (call,) = service.engine_calls
    assert call.tenant == ("self-test" if mode == "isolated" else None)
    assert call.event["result_form"] is None


def test_engine_is_asked_every_five_minutes(service: Service) -> None:
    for _ in range(3):
        assert checks(service)["walls"] == "ok"
    assert len(service.engine_calls) == 1

    service.engine.lacks = ("not_dumpable",)
    service.clock.advance(minutes=5)
    assert checks(service)["walls"] == "missing"


def test_walls_are_missing_until_an_engine_proves_them(service: Service) -> None:
    busy = LambdaClient.exceptions.TooManyRequestsException()
    service.clock.advance(seconds=1)

    def always() -> Any:
        while True:
            service.clock.advance(seconds=1)
            yield busy

    service.invoke_failures = always()
    assert checks(service)["walls"] == "missing"
    service.invoke_failures = iter(())
    assert checks(service)["walls"] == "missing"
    service.clock.advance(seconds=15)
    assert checks(service)["walls"] == "ok"
    service.clock.advance(minutes=5)
    service.invoke_failures = always()
    assert checks(service)["walls"] == "ok"


def test_absent_bucket_fails(service: Service) -> None:
    service.clients.s3.delete_bucket(Bucket=service.settings.bucket)

    assert failing_parts(service) == ["storage"]


def test_absent_queue_fails(service: Service) -> None:
    service.clients.sqs.delete_queue(QueueUrl=service.settings.webhooks_queue_url)

    assert failing_parts(service) == ["queues"]


def failing_parts(service: Service) -> list[str]:
    answer = service.call("GET", "/healthz", key=None)
    assert (answer.status, answer.json["status"]) == (503, "failing")
    return [name for name, state in answer.json["checks"].items() if state == "failing"]
