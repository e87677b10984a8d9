"""What `/healthz` says about walls and tenancy."""

from typing import Any

import pytest

from tests.builders.lambda_client import LambdaClient
from tests.builders.service import Service


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

    assert checks(service) == {"database": "ok", "walls": walls, "tenancy": tenancy}

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
