"""Port: a stack whose functions die at armed crash points."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import httpx

from chalicelib.bootstrap.operator import OperatorServices
from chalicelib.core.crash_points import CrashPoint
from tests.builders.stack.stores import Stores
from tests.builders.stack.tenants import Tenant


class CrashStack(Protocol):
    """Stack, with its time."""

    @property
    def stores(self) -> Stores:
        """Return its tables, bucket and queues."""
        ...

    @property
    def operator(self) -> OperatorServices:
        """Return the operator's use cases."""
        ...

    def now(self) -> dt.datetime:
        """Return the time of the stack."""
        ...

    def create_tenant(self, name: str, plan: str) -> Tenant:
        """Create a workspace on a plan."""
        ...

    def arm(self, point: CrashPoint, hits: str = "1", request_id: str = "") -> Path:
        """Kill the functions that reach a point for these times; return the file that arms it.

        With a request id only functions that work for that request die.
        """
        ...

    def open_files(self) -> httpx.Client:
        """Return a client of the host of files and links."""
        ...

    def download(self, url: str) -> bytes:
        """Return the content of a file by its address."""
        ...

    def age_renders(self, workspace: str) -> None:
        """Let the renders of a workspace be older than any caller waits."""
        ...

    def pause(self) -> None:
        """Let the functions work for a moment."""
        ...

    def until(self, unmet: Callable[[], object], *, ticks: bool = True) -> None:
        """Let functions work, and time pass, until nothing is unmet.

        With `ticks` the tick runs as time passes. Raises AssertionError with the unmet conditions
        if nothing is left to happen.
        """
        ...
