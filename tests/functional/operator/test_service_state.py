"""`platen service state`: a paused service refuses new renders and nothing else."""

import pytest

from tests.builders.operator import OperatorTool
from tests.builders.service import Service


@pytest.mark.parametrize(
    ("state", "code"), [("degraded", "region_degraded"), ("maintenance", "maintenance")]
)
def test_paused_service_refuses_new_renders_only(
    tool: OperatorTool, service: Service, state: str, code: str
) -> None:
    first = service.render(headers={"Idempotency-Key": "first"})
    service.render(mode="async")

    output = tool.json("service", "state", state, "--retry-after", "120")
    service.clock.advance(seconds=5)

    for key in (service.live, service.test):
        for mode in ("sync", "async"):
            refused = service.render(key=key, mode=mode)
            assert (refused.status, refused.code) == (503, code)
            assert refused.headers["Retry-After"] == "120"
            assert refused.headers["RateLimit"].startswith('"requests";r=')
    assert (output["state"], output["retry_after_s"]) == (state, 120)
    assert service.render(headers={"Idempotency-Key": "first"}).json["id"] == first.json["id"]
    assert service.run_queued() == []
    assert service.relay_events() == []
    listed = service.call("GET", "/v1/renders").json["data"]
    assert [render["status"] for render in listed] == ["succeeded", "succeeded"]
    assert service.call("GET", "/v1/account").json["renders"]["used"] == 2


def test_normal_state_accepts_new_renders_again(tool: OperatorTool, service: Service) -> None:
    tool.json("service", "state", "maintenance")
    assert service.render().headers["Retry-After"] == "30"

    tool.json("service", "state", "normal")
    assert service.render().code == "maintenance"
    service.clock.advance(seconds=5)

    assert service.render().status == 200
    assert tool.json("service", "state")["state"] == "normal"


def test_service_state_needs_no_extra_read(service: Service) -> None:
    service.render()
    asked: list[str] = []
    events = service.clients.dynamodb.meta.events
    events.register("before-call", lambda model, **_: asked.append(model.name))

    for _ in range(2):
        service.clock.advance(seconds=5)
        asked.clear()
        assert service.render().status == 200
        # Workspace and key; admission; creation and finish; settlement.
        assert sorted(asked) == [
            "BatchGetItem",
            "TransactWriteItems",
            "TransactWriteItems",
            "UpdateItem",
            "UpdateItem",
        ]


@pytest.mark.parametrize(
    "arguments", [("broken",), ("normal", "--retry-after", "soon"), ("--retry-after", "3")]
)
def test_wrong_usage_is_reported(tool: OperatorTool, arguments: tuple[str, ...]) -> None:
    assert tool.run("service", "state", *arguments).exit_code == 2


@pytest.mark.parametrize("seconds", ["0", "86401"])
def test_pause_has_bounds(tool: OperatorTool, seconds: str) -> None:
    code, _ = tool.refusal("service", "state", "degraded", "--retry-after", seconds)

    assert code == "validation_error"
