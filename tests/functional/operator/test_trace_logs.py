"""`platen render trace`: log lines of functions, platform and gateway about a render."""

import json
from typing import Any

import boto3
import pytest

from chalicelib.core.clock import epoch_ms, format_rfc3339
from tests.builders.in_process_aws import REGION
from tests.builders.operator import OperatorTool
from tests.builders.service import Service
from tests.fakes.api_services import NOW


def trace(tool: OperatorTool, render_id: str) -> Any:
    return tool.json("render", "trace", render_id)


def test_on_aws_log_lines_come_from_cloudwatch(
    tool: OperatorTool, service: Service, monkeypatch: pytest.MonkeyPatch
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
        record = line | {"service": service_name, "request_id": request_id, "message": "said"}
        entries = [json.dumps(record), "START RequestId: mine", json.dumps(line | {"_aws": {}})]
        write_log_lines(group, entries)

    log_rows = [row for row in trace(tool, render["id"])["events"] if row["event"] == "said"]

    assert {row["source"] for row in log_rows} == {"relay", "render"}
    assert len(log_rows) == 2


def test_on_aws_a_killed_function_is_reported_from_platform_logs(
    tool: OperatorTool, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLATEN_FUNCTIONS_LOG", "")
    monkeypatch.setenv("PLATEN_STACK", "platen-dying")
    monkeypatch.setenv("AWS_REGION", REGION)
    render = service.render(mode="async", headers={"X-Request-Id": "mine"}).json
    line = {"timestamp": format_rfc3339(NOW), "request_id": "mine", "service": "render"}
    at_its_end = "Duration: 9000.00 ms\tMemory Size: 3008 MB\tMax Memory Used: 3008 MB\t"
    entries = [
        json.dumps(line | {"message": "attempt begun", "invocation": "i-1"}),
        "START RequestId: i-1 Version: $LATEST\n",
        f"REPORT RequestId: i-1\t{at_its_end}Status: error\tError Type: Runtime.ExitError\n",
        f"REPORT RequestId: i-2\t{at_its_end}\n",
    ]
    write_log_lines("/aws/lambda/platen-dying-RenderFunction-1X2Y", entries)

    found = trace(tool, render["id"])

    (death,) = [row for row in found["events"] if row["source"] == "runner"]
    assert death == {
        "at": format_rfc3339(NOW),
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


def write_log_lines(group: str, entries: list[str]) -> None:
    """Write lines of a function and its platform into a separate log group."""
    logs = boto3.client("logs", region_name=REGION)
    logs.create_log_group(logGroupName=group)
    logs.create_log_stream(logGroupName=group, logStreamName="s")
    logs.put_log_events(
        logGroupName=group,
        logStreamName="s",
        logEvents=[{"timestamp": epoch_ms(NOW), "message": entry} for entry in entries],
    )


def test_cause_of_a_killed_function_is_read_from_platform_logs(
    tool: OperatorTool, service: Service
) -> None:
    render = service.render(mode="async", headers={"X-Request-Id": "mine"}).json
    at = {"timestamp": format_rfc3339(NOW)}
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


def test_status_of_a_killed_request_is_read_from_the_gateway_log(
    tool: OperatorTool, service: Service
) -> None:
    render = service.render(mode="async", headers={"X-Request-Id": "mine"}).json
    at = {"timestamp": format_rfc3339(NOW)}
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
