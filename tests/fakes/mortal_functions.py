"""Functions of this process that die at a crash point, as a killed process does."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest

from chalicelib.core import crash_points
from chalicelib.core.crash_points import CrashPoint
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service

# Fires before each call to AWS.
_BOTOCORE_EVENT: Final = "before-parameter-build"


class MortalFunctions:
    """Functions of a service; a dead one calls nothing any more, whatever its `finally` says."""

    def __init__(self, points: Path) -> None:
        self._points = points
        self._is_dead = False

    def run(self, function: Callable[[], object], dies_at: CrashPoint) -> None:
        """Run a function that is killed at a crash point."""
        armed = self._points / f"{dies_at:d}"
        armed.write_text("1", encoding="utf-8")
        with suppress(FunctionKilled):
            function()
        self._is_dead = False
        assert not armed.exists(), f"{dies_at.name} has not killed"

    def kill(self, pid: int, number: signal.Signals) -> None:
        """Kill this function instead of its process."""
        assert (pid, number) == (os.getpid(), signal.SIGKILL)
        self._is_dead = True
        raise FunctionKilled

    def refuse_if_dead(self, **_: Any) -> None:
        """Refuse the calls of a dead function."""
        if self._is_dead:
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
