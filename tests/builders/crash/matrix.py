"""Runs cases of the crash matrix on one stack, several side by side in workspaces of their own."""

import json
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, override

import httpx

from chalicelib.core.crash_points import CrashPoint
from infra.local.testing import RunningStack
from tests.builders.client import until
from tests.builders.crash.caller import Caller
from tests.builders.crash.cases import Case
from tests.builders.crash.invariants import broken
from tests.builders.tenants import Tenants

# Whose request is not known where they stand: they end whoever comes first.
_OF_NOBODY: Final = frozenset(
    {
        CrashPoint.TICK_BEGUN,
        CrashPoint.TICK_CLAIMED,
        CrashPoint.TICK_SENT,
        CrashPoint.UPKEEP_RECONCILED,
    }
)
_SETTLES_WITHIN_S: Final = 30.0
_TICK_EVERY_S: Final = 1.0
# As long as the smallest plan's callers wait.
_SYNC_TIMEOUT_S: Final = 15
_HTML: Final = "<!doctype html><title>A page</title><p>Text"
# In an invocation numbers are written out, which makes of 3.5 MB more than one takes.
_LARGE: Final = ', "data": {"n": [' + ",".join(["1e15"] * 700_000) + "]}}"


@dataclass(frozen=True, slots=True)
class Row:
    """What became of a case: one line of the table."""

    case: Case
    workspace: str
    attempts: int
    answers: str
    seconds: float

    @override
    def __str__(self) -> str:
        """Return the line."""
        case = self.case
        point = f"{case.point.name} ({case.point:d})"
        ends = "" if case.ends == "succeeded" else case.ends
        due = "tick" if case.due else ""
        return (
            f"{point:<28} {case.mode:<5} {case.attempt:>3} {case.kills:>5} {self.attempts:>8}  "
            f"{case.way:<13} {due:<4} {ends:<11} {self.seconds:>5.1f}  {self.answers}"
        )


HEAD: Final = (
    f"{'point':<28} {'mode':<5} try kills attempts  {'its caller':<13} {'due':<4} {'error':<11} "
    f"{'s':>5}  answers"
)


class Matrix:
    """The cases' common ground."""

    def __init__(self, stack: RunningStack, points: Path) -> None:
        """Kill on this stack, with files in the folder that its functions look into."""
        self.tenants = Tenants(stack)
        self.stores = self.tenants.stores
        self._points = points

    def run(self, cases: Iterable[Case]) -> Mapping[str, Future[Row]]:
        """Run the late ones all at once, then the others, one lane beside the other."""
        chosen = list(cases)
        late = [case for case in chosen if case.lane == "late"]
        lanes = sorted({case.lane for case in chosen} - {"late"})
        done: dict[str, Future[Row]] = {}
        with ThreadPoolExecutor(max(1, len(late))) as pool:
            ends = time.time() + _SYNC_TIMEOUT_S + 6
            for case in late:
                # Those that hold the functions come first.
                delay = 0.0 if case.way == "is late" else 3.0
                done[case.name] = pool.submit(_Run(self, case, delay=delay, until=ends))
        with ThreadPoolExecutor(max(1, len(lanes))) as pool:
            for lane in lanes:
                pool.submit(self._run_lane, [case for case in chosen if case.lane == lane], done)
        return done

    def broken(self, row: Row) -> list[str]:
        """Return what does not hold of a case any more."""
        return broken(row.case, self.stores, row.workspace, row.case.name)

    def _run_lane(self, cases: list[Case], done: dict[str, Future[Row]]) -> None:
        for case in cases:
            outcome: Future[Row] = Future()
            done[case.name] = outcome
            try:
                outcome.set_result(_Run(self, case)())
            except Exception as error:  # noqa: BLE001 -- each case's failure is its own test's
                outcome.set_exception(error)

    def file(self, point: CrashPoint, request_id: str) -> Path:
        """Return the file that arms a point."""
        name = f"{point:d}" if point in _OF_NOBODY else f"{point:d}.{request_id}"
        return self._points / name


class _Run:
    """One case."""

    def __init__(self, matrix: Matrix, case: Case, *, delay: float = 0, until: float = 0) -> None:
        self._matrix = matrix
        self._stores = matrix.stores
        self._case = case
        self._delay = delay
        self._until = until
        self._last_tick = 0.0
        self._files = {point: matrix.file(point, case.name) for point in case.hits}

    def __call__(self) -> Row:
        time.sleep(self._delay)
        case = self._case
        with self._matrix.tenants.create(case.name, case.plan) as tenant:
            self._workspace = tenant.workspace
            for point, numbers in case.hits.items():
                if not point.name.startswith("TICK"):
                    self._files[point].write_text(numbers, encoding="utf-8")
            begun = time.monotonic()
            caller = Caller(tenant.client.http, case.name, case.name)
            render = self._call(caller)
            assert (render["error"] or {"code": render["status"]})["code"] == case.ends, render
            seconds = time.monotonic() - begun
            self._after(caller, render["id"])
            self._settle()
        (*_, last) = self._stores.renders(self._workspace)
        attempts = self._stores.partition(f"WS#{self._workspace}#RND#{last}")[-1]["attempt"]
        return Row(case, self._workspace, attempts, caller.trail, seconds)

    def _call(self, caller: Caller) -> dict[str, Any]:
        body = self._body()
        if self._case.way == "leaves":
            assert caller.send("POST", "/renders", body) is not None
            self._wait(self._ended)
        if self._case.way == "comes back":
            assert caller.send("POST", "/renders", body) is not None
            self._stores.begin_earlier(self._workspace)
        if self._case.way == "cancels":
            assert caller.send("POST", "/renders", body) is not None
            (render_id,) = self._stores.renders(self._workspace)
            answer = caller.until_answered("POST", f"/renders/{render_id}/cancel")
            # The first try was cut after the render was canceled.
            assert answer.status_code == httpx.codes.CONFLICT, answer.text
            return caller.read(render_id)
        return caller.until_final(body, self._look_after if self._case.due else lambda: None)

    def _ended(self) -> list[str]:
        self._look_after()
        (render,) = self._stores.renders(self._workspace)
        rows = self._stores.partition(f"WS#{self._workspace}#RND#{render}")
        return [row["status"] for row in rows if row.get("status") in {"queued", "processing"}]

    def _body(self) -> bytes:
        case = self._case
        body: dict[str, Any] = {"input": {"type": "html", "html": _HTML}, "mode": case.mode}
        if len(case.formats) > 1:
            body["output"] = {"formats": case.formats}
        if case.way == "is late":
            body["output"] = until(self._until)
        if case.way == "is refused":
            body["timeout_behavior"] = "cancel"
        text = json.dumps(body)
        return (text.removesuffix("}") + _LARGE if case.large else text).encode()

    def _after(self, caller: Caller, render: str) -> None:
        if self._case.way == "expires":
            self._stores.expire(self._workspace, render)
        if self._case.way == "purges":
            answer = caller.until_answered("DELETE", f"/renders/{render}/files")
            assert answer.status_code == httpx.codes.OK, answer.text

    def _settle(self) -> None:
        """Wait until everything holds; at last only the limits are due, and then not any more."""
        self._wait(self._broken)
        self._wait(self._limits_due)

    def _broken(self) -> list[str]:
        armed = [point.name for point, file in self._files.items() if file.exists()]
        if self._case.due:
            self._look_after()
        key = self._case.name
        found = broken(self._case, self._stores, self._workspace, key)
        return [*found, *(f"{name} has not killed" for name in armed)]

    def _limits_due(self) -> list[str]:
        self._look_after()
        due = self._stores.limits(self._workspace).get("due_at")
        return [*self._broken(), *([f"the limits are due at {due}"] if due else [])]

    def _look_after(self) -> None:
        """Bring forward what is due, and run the tick; with the points that are to end it."""
        if time.monotonic() < self._last_tick + _TICK_EVERY_S:
            return
        with self._stores.ticking:
            self._stores.age(self._workspace)
            self._stores.bring_forward(self._workspace)
            for point, numbers in self._case.hits.items():
                if point.name.startswith("TICK") and not self._last_tick:
                    self._files[point].write_text(numbers, encoding="utf-8")
            self._stores.tick()
            while any(file.exists() for file in self._ticks()):
                self._stores.bring_forward(self._workspace)
                self._stores.tick()
        self._last_tick = time.monotonic()

    def _ticks(self) -> list[Path]:
        return [file for point, file in self._files.items() if point.name.startswith("TICK")]

    def _wait(self, unmet: Any) -> None:
        end = time.monotonic() + _SETTLES_WITHIN_S
        while found := unmet():
            assert time.monotonic() < end, found
            time.sleep(0.3)
