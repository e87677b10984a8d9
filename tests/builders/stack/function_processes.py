"""Worker processes of a stack's functions, and an invocation that costs nothing."""

import contextlib
import json
import time
from typing import Any

import psutil

from infra.local.running_stack import RunningStack
from tests.builders.waiting import eventually


def environments(stack: RunningStack, function: str) -> dict[int, dict[str, str]]:
    """Return the variables of a function's worker processes by their ids."""
    name = stack.resources[function]["Ref"]
    found = {}
    for process in psutil.Process(stack.pid).children():
        with contextlib.suppress(psutil.Error):
            variables = process.environ()
            if variables.get("AWS_LAMBDA_FUNCTION_NAME") == name:
                found[process.pid] = variables
    return found


def validate_pids(stack: RunningStack) -> set[int]:
    """Return the worker processes of the validate function."""
    return set(environments(stack, "ValidateFunction"))


def validate_nothing(stack: RunningStack, **options: Any) -> tuple[Any, str | None]:
    """Invoke the validate function without checks; return its answer and its error."""
    event = {"checks": [], "content": "", "until": time.time() + 30}
    answer = stack.client("lambda").invoke(
        FunctionName=stack.resources["ValidateFunction"]["Ref"],
        Payload=json.dumps(event),
        **options,
    )
    return json.loads(answer["Payload"].read()), answer.get("FunctionError")


def end_processes(pids: set[int]) -> None:
    """Kill processes, and return when they have ended."""
    for pid in pids:
        with contextlib.suppress(psutil.NoSuchProcess):
            psutil.Process(pid).kill()
    eventually(lambda: not any(map(_is_running, pids)))


def _is_running(pid: int) -> bool:
    try:
        # The stack does not wait at once for what has ended.
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
