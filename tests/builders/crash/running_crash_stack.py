"""Running stack whose processes are killed, and whose time the tests bring forward."""

import datetime as dt
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx

from chalicelib.bootstrap.operator import OperatorServices
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.crash_points import CrashPoint
from infra.local.running_stack import RunningStack
from tests.builders.stack.stores import PAST, StackStores
from tests.builders.stack.tenants import Tenant, Tenants
from tests.builders.waiting import PATIENCE_S

if TYPE_CHECKING:
    from chalicelib.adapters.aws.table import Row

_PAUSE_S: Final = 0.3
_TICK_INTERVAL_S: Final = 1.0
# What is due later, such as the end of a retention, stays.
_HORIZON: Final = dt.timedelta(hours=2)
# Points of functions that work for no request: they kill the first one that reaches them.
_REQUESTLESS: Final = "TICK"


class RunningCrashStack:
    """One workspace of a running stack, of which a folder arms the crash points."""

    def __init__(self, stack: RunningStack, points: Path) -> None:
        """Use a stack whose functions read the folder `points`."""
        self._tenants = Tenants(stack)
        self.stores: StackStores = self._tenants.stores
        self._files_host = stack.files_host
        self.points = points
        self._workspace = ""
        self._last_tick = 0.0
        self._armed: list[Path] = []

    @property
    def operator(self) -> OperatorServices:
        return self._tenants.operator

    def now(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC)

    def create_tenant(self, name: str, plan: str) -> Tenant:
        tenant = self._tenants.create(name, plan)
        self._workspace = tenant.workspace
        return tenant

    def arm(self, point: CrashPoint, hits: str = "1", request_id: str = "") -> Path:
        has_request = request_id and not point.name.startswith(_REQUESTLESS)
        file = self.points / (f"{point:d}.{request_id}" if has_request else f"{point:d}")
        file.write_text(hits, encoding="utf-8")
        self._armed.append(file)
        return file

    def open_files(self) -> httpx.Client:
        return httpx.Client(base_url=self._files_host, timeout=40)

    def download(self, url: str) -> bytes:
        return httpx.get(url, follow_redirects=True).raise_for_status().content

    def age_renders(self, workspace: str) -> None:
        self.stores.backdate_renders(workspace)

    def pause(self) -> None:
        time.sleep(_PAUSE_S)

    def until(self, unmet: Callable[[], object], *, ticks: bool = True) -> None:
        end = time.monotonic() + PATIENCE_S
        self._pass_time(ticks=ticks)
        while found := unmet():
            assert time.monotonic() < end, found
            self.pause()
            self._pass_time(ticks=ticks)

    def _pass_time(self, *, ticks: bool) -> None:
        """Make due the rows that are due within the horizon, and tick."""
        moment = time.monotonic()
        if not ticks or moment < self._last_tick + _TICK_INTERVAL_S:
            return
        self._last_tick = moment
        killed = [file for file in self._armed if not file.exists()]
        self._armed = [file for file in self._armed if file not in killed]
        until = format_rfc3339(self.now() + _HORIZON)
        for row in self.stores.scan(self.stores.main_table, naming=self._workspace):
            # What has a claim then is the dead function's, except for the renders that others run.
            is_left = killed and row.get("status") != "processing"
            names = ("due_at", *(("next_attempt_at", "claimed_until") if is_left else ()))
            values: Row = {name: PAST for name in names if PAST < row.get(name, PAST) < until}
            if values:
                self.stores.replace(row, values)
        self.stores.tick()
