"""Logs, metrics and traces of a render through every function; dead letters."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local.log_file import log_files
from infra.local.paths import StackFolder
from infra.local.running_stack import RunningStack
from tests.builders.emf import is_emf, metrics_of
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.operator_environment import operator_environment
from tests.builders.waiting import eventually

pytestmark = pytest.mark.integration


def log_lines(stack: RunningStack) -> Iterator[str]:
    """Yield the log of the functions and the gateway, as far as it is kept."""
    for file in log_files(StackFolder(stack.folder).functions_log):
        yield from file.read_text(encoding="utf-8").splitlines()


def lines_of(stack: RunningStack, request_id: str) -> list[dict[str, Any]]:
    """Return the log lines of gateway and functions for a request, in order of writing."""
    lines = (json.loads(line) for line in log_lines(stack) if request_id in line)
    return [line for line in lines if line.get("request_id") == request_id]


def lines_after_publishing(stack: RunningStack, request_id: str) -> list[dict[str, Any]]:
    """Return these lines once the request's last event is published and measured."""

    def look() -> list[dict[str, Any]] | None:
        lines = lines_of(stack, request_id)
        done = any(line.get("function") == "RelayFunction" for line in lines)
        return lines if done and any(is_emf(line) for line in lines) else None

    return eventually(look, pause_s=0.1)


def platen(stack: RunningStack, *arguments: str) -> Any:
    """Run the operator tool against the stack; return its answer."""
    ran = subprocess.run(
        [str(Path(sys.executable).with_name("platen")), *arguments, "--json"],
        env=os.environ | operator_environment(stack),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_async_render_is_logged_from_the_gateway_to_its_last_event(
    stack: RunningStack, live: ApiClient
) -> None:
    render = live.render(mode="async", headers={"X-Request-Id": "followed"}).json()
    live.render(headers={"X-Request-Id": "beside"})
    ended = live.wait_until_final(render["id"])

    lines = lines_after_publishing(stack, "followed")

    messages = [(line["service"], line["message"]) for line in lines if "message" in line]
    api = [pair for pair in messages if pair[0] == "api"]
    assert api == [("api", "render accepted"), ("api", "render queued"), ("api", "request")]
    others = [pair for pair in messages if pair[0] != "api"]
    assert others == [
        ("render", "attempt begun"),
        ("render", "render ended"),
        ("relay", "event published"),
    ]
    # The function may be faster than the line about the queue.
    assert messages.index(api[0]) < messages.index(others[0])
    (gateway,) = [line for line in lines if line.get("kind") == "request"]
    assert (gateway["path"], gateway["status"]) == ("/v1/renders", 202)
    of_functions = [line for line in lines if "message" in line]
    assert {line["render"] for line in of_functions} == {render["id"]}
    invocations = {line["service"]: line["invocation"] for line in of_functions}
    assert len(set(invocations.values())) == 3
    measured = {m.name: m for line in lines if is_emf(line) for m in metrics_of(line)}
    timings = ended["timings"]
    assert measured["QueueWait"].values == [timings["queue_ms"]]
    assert measured["PrintStage"].values == [timings["print_ms"]]
    assert measured["Total"].values == [timings["total_ms"]]
    assert measured["Renders"].dimensions["status"] == "succeeded"
    assert measured["EventLag"].values[0] > 0


def test_metrics_of_a_render_are_written_by_the_relay_only(
    stack: RunningStack, live: ApiClient
) -> None:
    live.render(headers={"X-Request-Id": "measured"})

    lines = lines_after_publishing(stack, "measured")

    assert [line["service"] for line in lines if is_emf(line)] == ["relay"]


def test_cold_starts_of_every_function_are_counted(stack: RunningStack) -> None:
    # Perhaps nothing has been due yet, so that it has not started.
    name = stack.resources["MaintenanceFunction"]["Ref"]
    stack.client("lambda").invoke(FunctionName=name, Payload=b'{"Records": []}')
    metrics = [json.loads(line) for line in log_lines(stack) if '"ColdStarts"' in line]

    assert {line["service"] for line in metrics} >= {
        "api",
        "render",
        "relay",
        "tick",
        "maintenance",
    }


def test_trace_shows_rows_events_logs_and_objects(stack: RunningStack, live: ApiClient) -> None:
    render = live.render(headers={"X-Request-Id": "traced"}).json()
    lines_after_publishing(stack, "traced")

    found = platen(stack, "render", "trace", render["id"])

    assert (found["status"], found["request_id"]) == ("succeeded", "traced")
    assert found["timings"] == render["timings"]
    assert [row["bytes"] for row in found["objects"]] == [render["files"][0]["bytes"]]
    sources = [(row["source"], row["event"]) for row in found["events"]]
    for event in (
        ("row", "accepted"),
        ("gateway", "POST /v1/renders"),
        ("api", "render accepted"),
        ("render", "attempt begun"),
        ("row", "succeeded"),
        ("facts", "render.succeeded told"),
        ("relay", "event published"),
    ):
        assert sources.count(event) == 1, event
    moments = [row["at"] for row in found["events"]]
    assert moments == sorted(moments)


def test_dead_letter_is_listed_and_can_be_redriven(stack: RunningStack) -> None:
    queue = stack.resources["RendersQueue"]["Ref"]
    stack.client("sqs").send_message(QueueUrl=queue, MessageBody="no JSON, seen from outside")

    def given_up(*, but: str = "") -> dict[str, Any] | None:
        rows = platen(stack, "dlq", "list", "renders")["data"]
        found = [row for row in rows if "seen from outside" in row["body"] and row["id"] != but]
        return found[0] if found else None

    first = eventually(given_up)
    assert first["reason"].startswith("not JSON")
    assert platen(stack, "dlq", "redrive", "renders")["redriven"] >= 1
    again = eventually(lambda: given_up(but=first["id"]))
    assert again["reason"] == first["reason"]
