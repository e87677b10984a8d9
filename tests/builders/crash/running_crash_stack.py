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

if TYPE_CHECKING:
    from chalicelib.adapters.aws.table import Item

# A busy machine needs a second for each process that starts.
_TIMEOUT_S: Final = 60.0
_PAUSE_S: Final = 0.3
_TICK_INTERVAL_S: Final = 1.0
# A step takes milliseconds here: a row that nobody changes for so long has lost its function.
_DEAD_AFTER_S: Final = 4.0
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
        self._seen: dict[tuple[str, str], tuple[Item, float]] = {}

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
        end = time.monotonic() + _TIMEOUT_S
        self._pass_time(ticks=ticks)
        while found := unmet():
            assert time.monotonic() < end, found
            self.pause()
            self._pass_time(ticks=ticks)

    def _pass_time(self, *, ticks: bool) -> None:
        """Make due what is due within the horizon, end the claims of dead functions, and tick."""
        moment = time.monotonic()
        if not ticks or moment < self._last_tick + _TICK_INTERVAL_S:
            return
        self._last_tick = moment
        until = format_rfc3339(self.now() + _HORIZON)
        for row in self.stores.scan(self.stores.main_table, naming=self._workspace):
            before, since = self._seen.setdefault((row["PK"], row["SK"]), (row, moment))
            if before != row:
                self._seen[row["PK"], row["SK"]] = row, moment
            names = ["due_at"]
            if before == row and moment > since + _DEAD_AFTER_S:
                names += ["next_attempt_at"]
                # A render's own function may need longer.
                names += ["claimed_until"] if row.get("status") != "processing" else []
            values: Item = {name: PAST for name in names if PAST < row.get(name, PAST) < until}
            if values:
                self.stores.replace(row, values)
        self.stores.tick()
