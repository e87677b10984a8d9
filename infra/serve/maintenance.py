"""Maintenance of a server: steps that AWS takes by itself, and work that a start finds again."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from infra.local.event_sources import ScheduleTimer
from infra.local.resources import ResourceAttributes
from infra.local.runner.environment import REGION
from infra.local.stack import Stack
from infra.serve.lifecycle import LifecycleRule, lifecycle_rules, sweep
from infra.template import ROOT, load_template

_HOUR_S: Final = 3_600.0
# A sweep of rows reads all of them.
_HOURS_BETWEEN_ROWS: Final = 24


class MaintenanceError(Exception):
    """A process of maintenance failed; the message is its output."""


def run_rows(
    task: str, endpoints: Mapping[str, str], resources: Mapping[str, ResourceAttributes]
) -> int:
    """Run a task of `infra.serve.rows` in a process of its own; return its number."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    tables = {
        "PLATEN_MAIN_TABLE": resources["MainTable"]["Ref"],
        "PLATEN_TRANSIENT_TABLE": resources["TransientTable"]["Ref"],
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
    }
    ran = subprocess.run(
        [sys.executable, "-m", "infra.serve.rows", task],
        cwd=ROOT,
        env={**inherited, **endpoints, **tables},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
        raise MaintenanceError(ran.stderr)
    return int(ran.stdout)


class Maintenance:
    """Thread beside a stack: first it recovers, then it sweeps at intervals."""

    def __init__(self, stack: Stack) -> None:
        """Serve this stack once it serves requests."""
        self._stack = stack
        self._stopping = threading.Event()
        bucket = load_template()["Resources"]["FilesBucket"]["Properties"]
        self._rules: Sequence[LifecycleRule] = lifecycle_rules(bucket)

    def start(self) -> None:
        """Start; the thread ends with the process or after `stop`."""
        threading.Thread(target=self._run, daemon=True, name="maintenance").start()

    def stop(self) -> None:
        """Begin nothing new."""
        self._stopping.set()

    def _run(self) -> None:
        self._try(self._recover)
        for source in self._stack.event_sources:
            if isinstance(source, ScheduleTimer) and not self._stopping.is_set():
                source.fire()
        hours = 0
        while not self._stopping.is_set():
            begun = time.monotonic()
            self._try(self._sweep_objects)
            if hours % _HOURS_BETWEEN_ROWS == 1:
                self._try(self._expire_rows)
            hours += 1
            self._stopping.wait(max(0.0, _HOUR_S - (time.monotonic() - begun)))

    def _recover(self) -> None:
        # In shared tables the claims of another server are alive; those of a dead one run out.
        if not self._stack.owns_tables:
            return
        if count := self._run_rows("recover"):
            self._stack.console.note(f"{count} renders go on where the server before ended")

    def _sweep_objects(self) -> None:
        running = self._stack.object_store
        if running is not None:
            for bucket in list(running.store.buckets.values()):
                sweep(bucket, self._rules, self._stopping)
                bucket.moment.remove_leftovers()

    def _expire_rows(self) -> None:
        if self._stack.owns_tables:
            self._run_rows("expire")

    def _run_rows(self, task: str) -> int:
        return run_rows(task, self._stack.endpoints, self._stack.resources)

    def _try(self, step: Callable[[], None]) -> None:
        if self._stopping.is_set():
            return
        try:
            step()
        except Exception as fault:  # noqa: BLE001 -- the next sweep may find the disk calm
            if not self._stopping.is_set():
                self._stack.console.note(f"maintenance: {fault}")
