"""Runner of the crash matrix on one stack: concurrent cases in workspaces of their own."""

import json
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, override

import httpx

from chalicelib.core.crash_points import CrashPoint
from infra.local.running_stack import RunningStack
from tests.builders.crash.cases import CrashCase
from tests.builders.crash.invariants import broken_invariants
from tests.builders.crash.retrying_caller import RetryingCaller
from tests.builders.crash.workspace import noise_page
from tests.builders.pdfs.plain import pdf
from tests.builders.pdfs.requests import tool_request
from tests.builders.stack.api_client import output_ready_at
from tests.builders.stack.tenants import Tenants

# Points without a request id: they kill the first function that reaches them.
_REQUESTLESS_POINTS: Final = frozenset(
    {
        *(point for point in CrashPoint if point.name.startswith("TICK")),
        CrashPoint.MAINTENANCE_RECONCILED,
    }
)
_SETTLE_TIMEOUT_S: Final = 30.0
_TICK_INTERVAL_S: Final = 1.0
# The sync timeout of the smallest plan.
_SYNC_TIMEOUT_S: Final = 15
_HTML: Final = "<!doctype html><title>A page</title><p>Text"
# The invocation payload writes these numbers out: 3.5 MB become more than Lambda's limit.
_LARGE_DATA: Final = ', "data": {"n": [' + ",".join(["1e15"] * 700_000) + "]}}"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """Result of a case: one line of the table."""

    case: CrashCase
    workspace: str
    attempts: int
    answers: str
    seconds: float

    @override
    def __str__(self) -> str:
        """Return the line."""
        case = self.case
        point = f"{case.point.name} ({case.point:d})"
        ends = "" if case.expected_end == "succeeded" else case.expected_end
        due = "tick" if case.needs_tick else ""
        return (
            f"{point:<28} {case.mode:<5} {case.attempt:>3} {case.kill_count:>5} "
            f"{self.attempts:>8}  {case.caller_action:<13} {due:<4} {ends:<11} "
            f"{self.seconds:>5.1f}  {self.answers}"
        )


TABLE_HEADING: Final = (
    f"{'point':<28} {'mode':<5} try kills attempts  {'its caller':<13} {'due':<4} {'error':<11} "
    f"{'s':>5}  answers"
)


class CrashMatrix:
    """Stack, stores and crash points that the cases share."""

    def __init__(self, stack: RunningStack, points: Path) -> None:
        """Use this stack; a file in the folder `points` arms a crash point."""
        self.tenants = Tenants(stack)
        self.stores = self.tenants.stores
        self._points_folder = points

    def run(self, cases: Iterable[CrashCase]) -> Mapping[str, Future[CaseResult]]:
        """Run the late cases all at once, then the other lanes concurrently."""
        chosen = list(cases)
        late = [case for case in chosen if case.lane == "late"]
        lanes = sorted({case.lane for case in chosen} - {"late"})
        done: dict[str, Future[CaseResult]] = {}
        with ThreadPoolExecutor(max(1, len(late))) as pool:
            ends = time.time() + _SYNC_TIMEOUT_S + 6
            for case in late:
                # The renders that occupy the functions start first.
                delay = 0.0 if case.caller_action == "is late" else 3.0
                done[case.name] = pool.submit(_CaseRun(self, case, delay=delay, until=ends))
        with ThreadPoolExecutor(max(1, len(lanes))) as pool:
            for lane in lanes:
                pool.submit(self._run_lane, [case for case in chosen if case.lane == lane], done)
        return done

    def broken_invariants(self, row: CaseResult) -> list[str]:
        """Return the invariants that a case has broken since."""
        return broken_invariants(row.case, self.stores, row.workspace, row.case.name)

    def _run_lane(self, cases: list[CrashCase], done: dict[str, Future[CaseResult]]) -> None:
        for case in cases:
            outcome: Future[CaseResult] = Future()
            done[case.name] = outcome
            try:
                outcome.set_result(_CaseRun(self, case)())
            except Exception as error:  # noqa: BLE001 -- each case's failure is its own test's
                outcome.set_exception(error)

    def arming_file(self, point: CrashPoint, request_id: str) -> Path:
        """Return the file that arms a point."""
        name = f"{point:d}" if point in _REQUESTLESS_POINTS else f"{point:d}.{request_id}"
        return self._points_folder / name


class _CaseRun:
    """One case."""

    def __init__(
        self, matrix: CrashMatrix, case: CrashCase, *, delay: float = 0, until: float = 0
    ) -> None:
        self._matrix = matrix
        self._stores = matrix.stores
        self._case = case
        self._delay = delay
        self._ready_at = until
        self._last_tick = 0.0
        self._files = {point: matrix.arming_file(point, case.name) for point in case.hits}

    def __call__(self) -> CaseResult:
        time.sleep(self._delay)
        case = self._case
        with self._matrix.tenants.create(case.name, case.plan) as tenant:
            self._workspace = tenant.workspace
            for point, numbers in case.hits.items():
                if not point.name.startswith("TICK"):
                    self._files[point].write_text(numbers, encoding="utf-8")
            begun = time.monotonic()
            caller = RetryingCaller(tenant.client.http, case.name, case.name)
            render = self._call(caller)
            assert (render["error"] or {"code": render["status"]})["code"] == case.expected_end, (
                render
            )
            seconds = time.monotonic() - begun
            self._purge(caller, render["id"])
            self._settle()
        (*_, last) = self._stores.renders(self._workspace)
        attempts = self._stores.partition(f"WS#{self._workspace}#RND#{last}")[-1]["attempt"]
        return CaseResult(case, self._workspace, attempts, caller.trail, seconds)

    def _call(self, caller: RetryingCaller) -> dict[str, Any]:
        body = self._body()
        if self._case.caller_action == "leaves":
            assert caller.send("POST", self._case.path, body) is not None
            self._wait_until_none(self._unfinished)
        if self._case.caller_action == "comes back":
            assert caller.send("POST", self._case.path, body) is not None
            self._stores.backdate_renders(self._workspace)
        if self._case.caller_action == "cancels":
            assert caller.send("POST", self._case.path, body) is not None
            (render_id,) = self._stores.renders(self._workspace)
            answer = caller.send_until_answered("POST", f"/renders/{render_id}/cancel")
            # The first try was cut after the render was canceled.
            assert answer.status_code == httpx.codes.CONFLICT, answer.text
            return caller.read(render_id)
        return caller.send_until_final(
            self._case.path, body, self._run_maintenance if self._case.needs_tick else lambda: None
        )

    def _unfinished(self) -> list[str]:
        self._run_maintenance()
        (render,) = self._stores.renders(self._workspace)
        rows = self._stores.partition(f"WS#{self._workspace}#RND#{render}")
        return [row["status"] for row in rows if row.get("status") in {"queued", "processing"}]

    def _body(self) -> bytes:
        case = self._case
        if case.tool is not None:
            content = pdf(3, noise_bytes=2_000_000) if case.large_result else pdf(3)
            return json.dumps(tool_request(case.tool, content, mode=case.mode)).encode()
        body: dict[str, Any] = {"input": {"type": "html", "html": _HTML}, "mode": case.mode}
        if case.large_result:
            body["input"]["html"] = noise_page(1_400)
        if len(case.formats) > 1:
            body["output"] = {"formats": case.formats}
        if case.caller_action == "is late":
            body["output"] = output_ready_at(self._ready_at)
        if case.caller_action == "is refused":
            body["timeout_behavior"] = "cancel"
        text = json.dumps(body)
        return (text.removesuffix("}") + _LARGE_DATA if case.large else text).encode()

    def _purge(self, caller: RetryingCaller, render: str) -> None:
        if self._case.caller_action == "expires":
            self._stores.expire_files(self._workspace, render)
        if self._case.caller_action == "purges":
            answer = caller.send_until_answered("DELETE", f"/renders/{render}/files")
            assert answer.status_code == httpx.codes.OK, answer.text

    def _settle(self) -> None:
        """Wait until every invariant holds, then until the limits item is no longer due."""
        self._wait_until_none(self._open_faults)
        self._wait_until_none(self._open_limits)

    def _open_faults(self) -> list[str]:
        armed = [point.name for point, file in self._files.items() if file.exists()]
        if self._case.needs_tick:
            self._run_maintenance()
        key = self._case.name
        found = broken_invariants(self._case, self._stores, self._workspace, key)
        return [*found, *(f"{name} has not killed" for name in armed)]

    def _open_limits(self) -> list[str]:
        self._run_maintenance()
        due = self._stores.limits(self._workspace).get("due_at")
        return [*self._open_faults(), *([f"the limits are due at {due}"] if due else [])]

    def _run_maintenance(self) -> None:
        """Make everything due, arm the crash points of the tick, and run it."""
        if time.monotonic() < self._last_tick + _TICK_INTERVAL_S:
            return
        with self._stores.tick_lock:
            self._stores.backdate_admissions(self._workspace)
            self._stores.make_due(self._workspace)
            for point, numbers in self._case.hits.items():
                if point.name.startswith("TICK") and not self._last_tick:
                    self._files[point].write_text(numbers, encoding="utf-8")
            self._stores.tick()
            while any(file.exists() for file in self._tick_files()):
                self._stores.make_due(self._workspace)
                self._stores.tick()
        self._last_tick = time.monotonic()

    def _tick_files(self) -> list[Path]:
        return [file for point, file in self._files.items() if point.name.startswith("TICK")]

    def _wait_until_none(self, unmet: Any) -> None:
        end = time.monotonic() + _SETTLE_TIMEOUT_S
        while found := unmet():
            assert time.monotonic() < end, found
            time.sleep(0.3)
