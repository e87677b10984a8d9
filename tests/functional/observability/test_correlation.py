"""Correlation: every log line about a request carries its id, up to the last event."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chalicelib.adapters.net.presigned import PresignedHttpObjects
from chalicelib.bootstrap.validation import ValidationServices
from chalicelib.core.tenancy import TenantGuard
from chalicelib.engine.conformance.local_validator import LocalValidator
from functions.validate import handler as validate
from tests.builders.hostile_texts import HOSTILE_TEXTS
from tests.builders.http import GATEWAY_ID
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service
from tests.builders.templates import make_template
from tests.builders.validation_results import fake_validation

type Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Lines:
    return lambda: [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def messages_of(lines: list[dict[str, Any]], request_id: str) -> list[str]:
    named = [line for line in lines if line.get("request_id") == request_id]
    return [line["message"] for line in named if "message" in line]


def test_request_id_follows_an_async_render_through_every_function(
    service: Service, lines: Lines
) -> None:
    render = service.render(mode="async", headers={"X-Request-Id": "mine"}).json
    service.render(mode="async", headers={"X-Request-Id": "another"})
    service.run_queued()
    service.relay_events()

    log_lines = lines()
    assert messages_of(log_lines, "mine") == [
        "render accepted",
        "render queued",
        "request",
        "attempt begun",
        "render ended",
        "event published",
    ]
    assert messages_of(log_lines, "another") == messages_of(log_lines, "mine")
    assert not [line for line in log_lines if "request_id" not in line]
    mine = [line for line in log_lines if line["request_id"] == "mine"]
    assert {line.get("render") for line in mine} == {render["id"]}
    assert {line.get("workspace") for line in mine} == {service.workspace}


def test_tick_and_maintenance_log_the_request_id_of_a_render(
    service: Service, lines: Lines
) -> None:
    render = service.render(mode="async", headers={"X-Request-Id": "mine"}).json
    service.clock.advance(minutes=5)
    lines()

    service.tick()
    service.run_maintenance()

    log_lines = lines()
    assert messages_of(log_lines, "mine") == ["handed out", "render queued again"]
    assert {line.get("render") for line in log_lines if line.get("request_id")} == {render["id"]}


def test_validators_log_the_request_id_of_a_render(
    service: Service, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    validations = fake_validation(service)
    body = {"profile": "EN16931", "invoice": invoice_json()}
    headers = {"X-Request-Id": "mine"}
    render = service.call("POST", "/v1/einvoices", json_body=body, headers=headers).json
    bench = ValidationServices(
        LocalValidator(Path("absent")), PresignedHttpObjects(), TenantGuard("isolated")
    )
    monkeypatch.setattr(validate, "_services", lambda: bench)
    context: Any = SimpleNamespace(
        aws_request_id="judging",
        tenant_id=service.workspace,
        get_remaining_time_in_millis=lambda: 60_000,
    )
    lines()

    event: Any = validations[0]
    validate.handler(event, context)

    (line,) = lines()
    assert line["message"].startswith("no verdict on cii-EN16931")
    ids = {"request_id": "mine", "render": render["id"], "workspace": service.workspace}
    assert line.items() >= (ids | {"invocation": "judging"}).items()


def test_dry_runs_log_the_request_id(
    service: Service,
) -> None:
    path = make_template(service, html="<p>{{ n }}</p>")
    service.call("POST", f"{path}/datasets", json_body={"name": "One", "data": {"n": 1}})

    published = service.call("POST", f"{path}/publish", headers={"X-Request-Id": "mine"})

    assert published.status == 201
    # The draft is run with its dataset, and compiled.
    calls = [(call.event["call"], call.event["request_id"]) for call in service.engine_calls]
    assert calls == [("dry_run", "mine"), ("lint", "mine")]


def test_gateway_request_id_is_logged_with_the_request_id(service: Service, lines: Lines) -> None:
    # If the function is killed, the caller has only this id; these lines are written before.
    service.render(mode="async", headers={"X-Request-Id": "mine"})

    log_lines = {(line["request_id"], line.get("gateway_id")) for line in lines()}

    assert log_lines == {("mine", GATEWAY_ID)}


def test_a_dead_letter_carries_the_id_of_its_message(service: Service, lines: Lines) -> None:
    render = service.render(mode="async", headers={"X-Request-Id": "mine"}).json
    message = {"workspace_id": service.workspace, "render_id": render["id"], "request_id": "mine"}
    dead = service.resources["RendersDeadLetters"]["Ref"]
    service.clients.sqs.send_message(QueueUrl=dead, MessageBody=json.dumps({"v": 1} | message))
    lines()

    service.record_dead_letters("Renders")

    assert messages_of(lines(), "mine") == ["render ended from outside", "dead letter recorded"]


def test_log_never_contains_the_body(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    service.send("Events", json.dumps({"v": "private" * 10_000}))
    service.relay_events()

    assert len(capsys.readouterr().out) < 5_000


@pytest.mark.parametrize("value", HOSTILE_TEXTS)
def test_hostile_message_cannot_inject_a_log_line(
    service: Service, lines: Lines, value: str
) -> None:
    for queue in ("Events", "Maintenance"):
        body = {
            "v": 1,
            "subject": value,
            "sort_key": value,
            "kind": "render",
            "pk": value,
            "sk": value,
        }
        service.send(queue, json.dumps(body | {"request_id": value}))
    service.relay_events()
    service.run_maintenance()

    log_lines = lines()
    assert {line["message"] for line in log_lines} == {"dead letter"}
    assert {line["request_id"] for line in log_lines} == {value}
