"""Kills functions that handle templates, uploads and workspaces, and reports the remains."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import httpx

from chalicelib.adapters.aws.table import Row
from chalicelib.core.crash_points import CrashPoint
from chalicelib.core.ids import WorkspaceId
from tests.builders.crash.stack import CrashStack
from tests.builders.stack.stores import PAST

# The first crash point of a resource other than a render.
FIRST_POINT: Final = CrashPoint.UPLOAD_STORED
# Larger than a DynamoDB item may be.
LARGE_HTML: Final = f"<p>Hi<!--{'x' * 450_000}-->"


class CrashWorkspace:
    """A workspace of a stack whose functions die at armed crash points."""

    def __init__(self, stack: CrashStack, plan: str = "scale") -> None:
        """Create a workspace for one test."""
        self.stack = stack
        self.stores = stack.stores
        self.tenant = stack.create_tenant("crash", plan)
        self.workspace = WorkspaceId(self.tenant.workspace)
        self.http = self.tenant.client.http

    def arm(self, point: CrashPoint, hits: str = "1") -> Path:
        """Kill the functions that reach a point for these times; return the file that arms it."""
        return self.stack.arm(point, hits)

    def call(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        """Send a request that must succeed, and return the body of its answer."""
        answer = self.http.request(method, path, **more)
        assert answer.is_success, answer.text
        body: dict[str, Any] = answer.json()
        return body

    def call_killed(self, point: CrashPoint, method: str, path: str, **more: Any) -> None:
        """Send a request whose function dies at a point."""
        armed = self.arm(point)
        try:
            answer = self.http.request(method, path, **more)
        except httpx.TransportError:
            pass
        else:
            assert answer.is_server_error, answer.text
        assert not armed.exists(), f"{point.name} has not killed"

    def await_kill(self, armed: Path) -> None:
        """Let functions work, without the tick, until the armed point has killed."""
        self.stack.until(lambda: [armed.name] if armed.exists() else [], ticks=False)

    def settle(self, unmet: Callable[[], Any], point: CrashPoint | None = None) -> None:
        """Let time pass and the tick run until nothing is unmet and `point` has killed."""
        armed = self.arm(point) if point is not None else None
        self.stack.until(lambda: [armed.name] if armed is not None and armed.exists() else unmet())

    def rows(self) -> list[Row]:
        """Return all rows that name the workspace."""
        return list(self.stores.scan(self.stores.main_table, naming=self.workspace))

    def objects(self) -> list[str]:
        """Return the keys of its objects, without those that its lifecycle removes soon."""
        return sorted(self.stores.keys(f"ws/{self.workspace}/"))

    def bring_forward(self, row: Row, names: Sequence[str]) -> None:
        """Set those of the named times of a row that it has to the past."""
        values: Row = {name: PAST for name in names if row.get(name, PAST) != PAST}
        if values:
            self.stores.replace(row, values)

    def template_faults(self) -> Iterator[str]:
        """Yield the broken invariants of the workspace's templates."""
        rows = [row for row in self.rows() if "#TPL#" in row["PK"]]
        metas = [row for row in rows if row["SK"] == "META"]
        named = {row["object_key"] for row in rows if row.get("object_key")}
        if set(self.objects()) != named:
            yield f"objects {self.objects()}, named {named}"
        for meta in metas:
            own = [row for row in rows if row["PK"] == meta["PK"]]
            yield from _template_faults(meta, own)


def _template_faults(meta: Row, own: list[Row]) -> Iterator[str]:
    if meta["status"] != "active" or meta["unsettled"] or "due_at" in meta:
        yield f"it is {meta['status']}, unsettled {meta['unsettled']}, due {meta.get('due_at')}"
    numbers = [row["number"] for row in own if row["SK"].startswith("VER#")]
    if sorted(numbers) != list(range(1, int(meta["live_version"] or 0) + 1)):
        yield f"versions {numbers}, live {meta['live_version']}"
    events = [row for row in own if row["SK"].startswith("EVENT#")]
    if sorted(int(event["detail"]["number"]) for event in events) != sorted(numbers):
        yield f"events of {[event['detail'] for event in events]}"
    if not all("published_at" in event and "due_at" not in event for event in events):
        yield "an event is not published"
