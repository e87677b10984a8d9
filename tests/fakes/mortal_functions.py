"""Functions of this process that die at a crash point, as a killed process does."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from pathlib import Path
from typing import Any, Final

import pytest

from chalicelib.core import crash_points
from chalicelib.core.crash_points import CrashPoint
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service

# Fires before each call to AWS.
_BOTOCORE_EVENT: Final = "before-parameter-build"


class _FunctionProcess:
    """Process of one function; its threads share it."""

    is_dead = False


_RUNNING: Final = ContextVar[_FunctionProcess | None]("process", default=None)


class MortalFunctions:
    """Functions of a service; a dead one calls nothing any more, whatever its `finally` says."""

    def __init__(self, points: Path) -> None:
        """Kill at the points that are armed by files in the folder `points`."""
        self.points = points
        self.deaths = 0

    def run(self, function: Callable[[], object], dies_at: CrashPoint) -> None:
        """Run a function that is killed at a crash point."""
        assert self.has_died(function, dies_at), f"{dies_at.name} has not killed"

    def has_died(self, function: Callable[[], object], dies_at: CrashPoint) -> bool:
        """Run a function, and tell whether it has reached the crash point that kills it."""
        armed = self.points / f"{dies_at:d}"
        armed.write_text("1", encoding="utf-8")
        try:
            self.run_in_process(function)
        except FunctionKilled:
            return True
        finally:
            armed.unlink(missing_ok=True)
        return False

    def run_in_process[Result](self, function: Callable[[], Result]) -> Result:
        """Run a function in a process of its own; raise FunctionKilled if that has died.

        The death of one thread is the death of all, whatever the function returns or raises.
        """
        process, context = _FunctionProcess(), copy_context()
        context.run(_RUNNING.set, process)
        try:
            result = context.run(function)
        except BaseException as end:
            if process.is_dead:
                raise FunctionKilled from end
            raise
        if process.is_dead:
            raise FunctionKilled
        return result

    def kill(self, pid: int, number: signal.Signals) -> None:
        """Kill the function that runs here instead of this process."""
        assert (pid, number) == (os.getpid(), signal.SIGKILL)
        process = _RUNNING.get()
        assert process is not None, "a crash point was reached outside of a function"
        process.is_dead = True
        self.deaths += 1
        raise FunctionKilled

    @staticmethod
    def refuse_if_dead(**_: Any) -> None:
        """Refuse the calls of a dead function."""
        process = _RUNNING.get()
        if process is not None and process.is_dead:
            raise FunctionKilled


@contextmanager
def mortal_functions(service: Service, points: Path) -> Iterator[MortalFunctions]:
    """Let functions die at crash points during the block; `points` is a folder for their files."""
    functions = MortalFunctions(points)
    clients = service.clients
    events = [
        client.meta.events for client in (clients.dynamodb, clients.s3, clients.sqs, clients.kms)
    ]
    for each in events:
        each.register(_BOTOCORE_EVENT, functions.refuse_if_dead)
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(os, "kill", functions.kill)
        crash_points.arm(str(points), lambda: None)
        # Each function arms its process anew, with a folder that only a stack has.
        patches.setattr(crash_points, "arm", lambda *_: None)
        try:
            yield functions
        finally:
            patches.undo()
            crash_points.arm("", lambda: None)
            for each in events:
                each.unregister(_BOTOCORE_EVENT, functions.refuse_if_dead)
