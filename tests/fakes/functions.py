"""Handlers that the runner's tests run in real worker processes."""

import json
import os
import subprocess
import sys
import time
import uuid
from contextvars import ContextVar
from pathlib import Path
from typing import Any

CALLS = {"count": 0}
BOUND: ContextVar[str | None] = ContextVar("bound", default=None)


def echo(event: dict[str, Any], context: Any) -> dict[str, Any]:
    CALLS["count"] += 1
    return {
        "event": event,
        "pid": os.getpid(),
        "calls": CALLS["count"],
        "name": os.environ["AWS_LAMBDA_FUNCTION_NAME"],
        "table": os.environ.get("PLATEN_TABLE"),
        "request_id": context.aws_request_id,
        "remaining_ms": context.get_remaining_time_in_millis(),
        "tenant": context.tenant_id,
    }


def act(event: dict[str, Any], _context: Any) -> Any:
    """Obey the event; return when it began, and in which process."""
    began = time.monotonic()
    match event["do"]:
        case "sleep":
            time.sleep(event["s"])
        case "hold":
            hold(Path(event["gate"]))
        case "exit":
            os._exit(event["code"])
        case "raise":
            raise ValueError(event["message"])
        case "child":
            child = subprocess.Popen(
                [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True
            )
            return {"child": child.pid}
        case "answer":
            return "x" * event["bytes"]
        case "print":
            sys.stdout.write(event["line"] + "\n")
    return {"pid": os.getpid(), "began": began}


def hold(gate: Path) -> None:
    """Come to a gate (`tests.builders.gate`) and wait until it is open."""
    (gate / f"came-{uuid.uuid4()}").touch()
    while not (gate / "open").exists():
        time.sleep(0.01)


def leave(_event: dict[str, Any], _context: Any) -> None:
    time.sleep(0.5)
    sys.exit(0)


def bind(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Set a context variable, and return its former value."""
    before = BOUND.get()
    BOUND.set(event["value"])
    return {"before": before}


def proxy(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Answer as an API function."""
    path = event.get("path") or event["rawPath"].removeprefix("/l")
    if path == "/slow":
        time.sleep(600)
    if path == "/crash":
        os._exit(3)
    if path == "/nonsense":
        return {"hello": 1}
    return {
        "statusCode": 201,
        "headers": {"Content-Type": "application/json", "X-Request-Id": "req_1"},
        "multiValueHeaders": {"Set-Cookie": ["a=1", "b=2"]},
        "body": json.dumps(event),
    }
