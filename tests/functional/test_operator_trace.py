"""`platen render trace`: everything that is known of one render, in the order of time."""

import json
from collections.abc import Callable
from typing import Any

import boto3
import pytest

from chalicelib.core.clock import epoch_ms, rfc3339
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import Job
from tests.builders.operator import Tool
from tests.builders.service import REGION, FunctionKilled, Service
from tests.fakes.edge import NOW

type Keep = Callable[[], None]


@pytest.fixture
def keep(tool: Tool, capsys: pytest.CaptureFixture[str]) -> Keep:
    """Give what puts all lines so far where the stack of one machine keeps them."""

    def put() -> None:
        with (tool.folder / "functions.log").open("a") as log:
            log.write(capsys.readouterr().out)

    return put


def trace(tool: Tool, render_id: str, *more: str) -> Any:
    return tool.json("render", "trace", render_id, *more)


def events(found: Any, source: str | None = None) -> list[str]:
    return [row["event"] for row in found["events"] if source in (None, row["source"])]


def test_a_sync_render_is_told_from_its_request_to_its_fact(
    tool: Tool, service: Service, keep: Keep
) -> None:
    service.engine.before = lambda _job: service.clock.forward(seconds=1)
    render = service.render(headers={"X-Request-Id": "mine"}).json
    service.clock.forward(seconds=1)
    service.relay_facts()
    keep()

    found = trace(tool, render["id"])

    state = {
        "render": render["id"],
        "workspace": service.workspace,
        "request_id": "mine",
        "status": "succeeded",
        "error": None,
        "attempt": 1,
        "billed": True,
        "holds_quota": False,
        "holds_lease": False,
        "timings": render["timings"],
    }
    assert found.items() >= state.items()
    (file,) = render["files"]
    assert [(row["role"], row["bytes"]) for row in found["objects"]] == [
        (file["id"], file["bytes"])
    ]
    assert events(found, "row") == [
        "accepted",
        "attempt started",
        "succeeded",
        "files expire",
        "due",
    ]
    assert events(found, "facts") == ["render.succeeded created", "render.succeeded told"]
    assert [row["at"] for row in found["events"]] == sorted(row["at"] for row in found["events"])


def test_the_log_of_its_request_is_part_of_it(tool: Tool, service: Service, keep: Keep) -> None:
    render = service.render(mode="async", headers={"X-Request-Id": "mine"}).json
    other = service.render(mode="async", headers={"X-Request-Id": "mine"}).json
    service.work_off_queue()
    service.relay_facts()
    keep()

    found = trace(tool, render["id"])

    told = [row["event"] for row in found["events"] if row["source"] not in {"row", "facts"}]
    assert told == [
        "render accepted",
        "render queued",
        "request",
        "attempt begun",
        "render ended",
        "fact told",
    ]
    assert other["id"] not in json.dumps(found)


def test_a_render_that_lost_its_functions_shows_its_attempts(tool: Tool, service: Service) -> None:
    def die(_job: Job) -> None:
        raise FunctionKilled

    service.engine.before = die
    render = service.render(mode="async").json
    for _ in range(4):
        service.deliver_again()
        service.clock.forward(minutes=10)

    found = trace(tool, render["id"])

    assert (found["status"], found["error"]["code"]) == ("failed", "render_lost")
    assert found["attempt"] == 3
    told = events(found, "row")
    claims = [event for event in told if event.startswith("attempt ") and "claimed" in event]
    assert [claim.split()[1] for claim in claims] == ["1", "2", "3"]
    assert claims[0].endswith("claimed by delivery-0/m")
    assert "ended from outside: render_lost" in told


def test_an_unfinished_render_shows_what_it_holds_and_when_it_is_due(
    tool: Tool, service: Service
) -> None:
    render = service.render(mode="async").json

    found = trace(tool, render["id"])

    assert (found["status"], found["holds_quota"], found["holds_lease"]) == ("queued", True, False)
    assert found["due_at"] == "2026-11-21T12:01:00.000Z"
    assert [(row["role"], row["bytes"] > 0) for row in found["objects"]] == [("body", True)]
    assert events(found, "row") == ["accepted", "free for another attempt", "due"]


def test_a_failure_shows_its_code(tool: Tool, service: Service) -> None:
    def fail(_job: Job) -> None:
        raise RenderFailure("template_runtime_error", "n is undefined")

    service.engine.before = fail
    service.render()
    render = service.call("GET", "/v1/renders").json["data"][0]

    found = trace(tool, render["id"])

    assert found["error"]["code"] == "template_runtime_error"
    (ended,) = [row for row in found["events"] if row["event"] == "failed"]
    assert ended["detail"] == {"code": "template_runtime_error"}


def test_purged_files_are_shown_as_gone(tool: Tool, service: Service) -> None:
    render = service.render().json
    service.clock.forward(days=400)
    service.tick()
    service.look_after()

    found = trace(tool, render["id"])

    assert [row["bytes"] for row in found["objects"]] == [None]
    assert "files purged" in events(found, "row")
    assert "render.expired created" in events(found, "facts")


def test_dead_letters_that_name_it_are_part_of_it(tool: Tool, service: Service) -> None:
    render = service.render(mode="async").json
    body = {"v": 1, "pk": f"WS#{service.workspace}#RND#{render['id']}", "sk": "OTHER"}
    service.send("Upkeep", json.dumps(body))
    service.send("Upkeep", json.dumps(body | {"pk": "WS#another"}))
    service.look_after()
    service.bury("Upkeep")

    (row,) = [row for row in trace(tool, render["id"])["events"] if row["source"] == "dead letters"]

    assert row["event"] == "given up by upkeep"
    assert row["detail"]["reason"].startswith("nobody looks after")


def test_its_workspace_may_be_named(tool: Tool, service: Service) -> None:
    render = service.render().json
    another = service.create_workspace()

    assert trace(tool, render["id"], "--workspace", service.workspace)["render"] == render["id"]
    refusal = tool.refusal("render", "trace", render["id"], "--workspace", another)
    assert refusal[0] == "render_not_found"


def test_an_unknown_render_is_refused(tool: Tool, service: Service) -> None:
    service.render()
    unknown = "rnd_01HZZZZZZZZZZZZZZZZZZZZZZZ"

    told = tool.refusal("render", "trace", unknown)

    assert told == ("render_not_found", f"There is no render {unknown} in any workspace.")


@pytest.mark.parametrize("text", ["rnd_1", "WS#", "\x1b[2J", "x" * 100_000, "file_" + "0" * 26])
def test_what_is_no_id_is_refused(tool: Tool, text: str) -> None:
    told = tool.refusal("render", "trace", text)

    assert told == ("render_not_found", "The id of a render is rnd_ and 26 digits and letters.")


def test_people_get_a_line_for_each_event(tool: Tool, service: Service, keep: Keep) -> None:
    render = service.render(headers={"X-Request-Id": "mine"}).json
    keep()

    lines = tool.table("render", "trace", render["id"])

    assert f"render        {render['id']}" in [line.rstrip() for line in lines]
    assert "events:" in lines
    below = lines[lines.index("events:") + 1 :]
    assert below[0].split() == ["at", "source", "event", "detail"]
    assert len(below) == 1 + len(trace(tool, render["id"])["events"])


def test_on_aws_the_lines_come_from_cloudwatch(
    tool: Tool, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLATEN_FUNCTIONS_LOG", "")
    monkeypatch.setenv("PLATEN_STACK", "platen-watched")
    monkeypatch.setenv("AWS_REGION", REGION)
    render = service.render(headers={"X-Request-Id": "mine"}).json
    line = {"timestamp": "2026-11-21T12:00:00.000+00:00", "request_id": "mine"}
    for group, service_name, request_id in (
        ("/aws/lambda/platen-watched-RelayFunction-1X2Y", "relay", "mine"),
        ("/aws/lambda/platen-watched-RenderFunction-3Z4A", "render", "mine"),
        ("/aws/lambda/platen-watched-TickFunction-5B6C", "tick", "another"),
        ("/aws/lambda/platen-production-RelayFunction-7D", "elsewhere", "mine"),
    ):
        told = line | {"service": service_name, "request_id": request_id, "message": "said"}
        entries = [json.dumps(told), "START RequestId: mine", json.dumps(line | {"_aws": {}})]
        write_log(group, entries)

    said = [row for row in trace(tool, render["id"])["events"] if row["event"] == "said"]

    assert {row["source"] for row in said} == {"relay", "render"}
    assert len(said) == 2


def test_on_aws_a_function_that_died_is_told_by_the_platform(
    tool: Tool, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLATEN_FUNCTIONS_LOG", "")
    monkeypatch.setenv("PLATEN_STACK", "platen-dying")
    monkeypatch.setenv("AWS_REGION", REGION)
    render = service.render(mode="async", headers={"X-Request-Id": "mine"}).json
    line = {"timestamp": rfc3339(NOW), "request_id": "mine", "service": "render"}
    at_its_end = "Duration: 9000.00 ms\tMemory Size: 3008 MB\tMax Memory Used: 3008 MB\t"
    entries = [
        json.dumps(line | {"message": "attempt begun", "invocation": "i-1"}),
        "START RequestId: i-1 Version: $LATEST\n",
        f"REPORT RequestId: i-1\t{at_its_end}Status: error\tError Type: Runtime.ExitError\n",
        f"REPORT RequestId: i-2\t{at_its_end}\n",
    ]
    write_log("/aws/lambda/platen-dying-RenderFunction-1X2Y", entries)

    found = trace(tool, render["id"])

    (death,) = [row for row in found["events"] if row["source"] == "runner"]
    assert death == {
        "at": rfc3339(NOW),
        "source": "runner",
        "event": "invoked platen-dying-RenderFunction-1X2Y",
        "detail": {
            "status": "error",
            "duration": "9000.00 ms",
            "memory": "3008 MB",
            "memory_size": "3008 MB",
            "error": "Runtime.ExitError",
        },
    }


def write_log(group: str, entries: list[str]) -> None:
    """Write into a log group of its own what a function and its platform wrote."""
    logs = boto3.client("logs", region_name=REGION)
    logs.create_log_group(logGroupName=group)
    logs.create_log_stream(logGroupName=group, logStreamName="s")
    logs.put_log_events(
        logGroupName=group,
        logStreamName="s",
        logEvents=[{"timestamp": epoch_ms(NOW), "message": entry} for entry in entries],
    )


def test_a_log_that_is_not_there_yet_is_no_reason_to_fail(tool: Tool, service: Service) -> None:
    render = service.render().json

    found = trace(tool, render["id"])

    assert {row["source"] for row in found["events"]} == {"row", "facts"}


def test_how_a_function_died_is_told_by_its_platform(tool: Tool, service: Service) -> None:
    render = service.render(mode="async", headers={"X-Request-Id": "mine"}).json
    at = {"timestamp": rfc3339(NOW)}
    ended = {"kind": "invocation", "function": "RenderFunction", "status": "Unhandled"}
    lines = [
        {"message": "attempt begun", "request_id": "mine", "invocation": "i-1", **at},
        {**ended, "request_id": "i-1", **at},
        {**ended, "request_id": "i-2", **at},
    ]
    kept = "".join(json.dumps(line) + "\n" for line in lines)
    (tool.folder / "functions.log").write_text(kept)

    found = trace(tool, render["id"])

    (death,) = [row for row in found["events"] if row["source"] == "runner"]
    assert death["event"] == "invoked RenderFunction"
    assert death["detail"]["status"] == "Unhandled"


def test_how_a_request_ended_whose_function_died_is_told_by_the_gateway(
    tool: Tool, service: Service
) -> None:
    render = service.render(mode="async", headers={"X-Request-Id": "mine"}).json
    at = {"timestamp": rfc3339(NOW)}
    answered = {"kind": "request", "method": "POST", "path": "/v1/renders", "status": 500}
    lines = [
        {"message": "render accepted", "request_id": "mine", "gateway_id": "g-1", **at},
        {**answered, "request_id": "g-1", **at},
        {**answered, "request_id": "g-2", **at},
    ]
    kept = "".join(json.dumps(line) + "\n" for line in lines)
    (tool.folder / "functions.log").write_text(kept)

    found = trace(tool, render["id"])

    (answer,) = [row for row in found["events"] if row["source"] == "gateway"]
    assert answer["event"] == "POST /v1/renders"
    assert answer["detail"] == {"status": 500}
