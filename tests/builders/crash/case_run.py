"""Run of one crash case: its caller, the deaths of its functions, and the state that is left."""

import json
from typing import Any, Final

import httpx

from tests.builders.crash.cases import CrashCase
from tests.builders.crash.invariants import broken_invariants
from tests.builders.crash.retrying_caller import RetryingCaller
from tests.builders.crash.stack import CrashStack
from tests.builders.pdfs.plain import pdf
from tests.builders.pdfs.requests import tool_request

_HTML: Final = "<!doctype html><title>A page</title><p>Text"
# The invocation payload writes these numbers out: 3.5 MB become more than Lambda's limit.
_LARGE_DATA: Final = ', "data": {"n": [' + ",".join(["1e15"] * 700_000) + "]}}"


class CaseRun:
    """One case in a workspace of its own; `document` are other fields of its request."""

    def __init__(self, stack: CrashStack, case: CrashCase, **document: Any) -> None:
        self._stack = stack
        self._stores = stack.stores
        self._case = case
        self._document = document
        self.workspace = ""

    def __call__(self) -> None:
        """Run the case until every invariant holds."""
        case = self._case
        with self._stack.create_tenant(case.name, case.plan) as tenant:
            self.workspace = tenant.workspace
            armed = [
                self._stack.arm(point, numbers, case.name) for point, numbers in case.hits.items()
            ]
            caller = RetryingCaller(tenant.client.http, case.name, case.name, self._stack.pause)
            render = self._call(caller)
            assert (render["error"] or {"code": render["status"]})["code"] == case.expected_end, (
                render
            )
            self._purge(caller, render["id"])
            self._stack.until(
                lambda: [file.name for file in armed if file.exists()] or self.broken_invariants(),
                ticks=case.needs_tick,
            )
            self._stack.until(self._open_limits)

    def broken_invariants(self) -> list[str]:
        """Return the invariants that the case has broken since."""
        return broken_invariants(self._case, self._stores, self.workspace, self._case.name)

    def _call(self, caller: RetryingCaller) -> dict[str, Any]:
        case, body = self._case, self._body()
        if case.caller_action == "leaves":
            caller.send("POST", case.path, body)
            self._stack.until(self._unfinished)
        if case.caller_action == "comes back":
            caller.send("POST", case.path, body)
            self._stack.age_renders(self.workspace)
        if case.caller_action == "waits":
            for _ in range(case.attempt):
                caller.send("POST", case.path, body)
                self._stack.until(lambda: self._stores.limits(self.workspace)["holds"])
        if case.caller_action == "cancels":
            caller.send("POST", case.path, body)
            (render_id,) = self._stores.renders(self.workspace)
            answer = caller.send_until_answered("POST", f"/renders/{render_id}/cancel")
            # The first try was cut after the render was canceled.
            assert answer.status_code == httpx.codes.CONFLICT, answer.text
            return caller.read(render_id)
        self._stack.until(lambda: caller.is_refused("POST", case.path, body), ticks=case.needs_tick)
        self._stack.until(caller.is_unfinished, ticks=False)
        return caller.render

    def _unfinished(self) -> list[str]:
        (render,) = self._stores.renders(self.workspace)
        rows = self._stores.partition(f"WS#{self.workspace}#RND#{render}")
        return [row["status"] for row in rows if row.get("status") in {"queued", "processing"}]

    def _body(self) -> bytes:
        case = self._case
        if case.tool is not None:
            content = pdf(3, noise_bytes=2_000_000) if case.large_result else pdf(3)
            return json.dumps(tool_request(case.tool, content, mode=case.mode)).encode()
        body: dict[str, Any] = {"input": {"type": "html", "html": _HTML}, "mode": case.mode}
        if len(case.formats) > 1:
            body["output"] = {"formats": case.formats}
        if case.caller_action == "is refused":
            body["timeout_behavior"] = "cancel"
        text = json.dumps(body | self._document)
        return (text.removesuffix("}") + _LARGE_DATA if case.large else text).encode()

    def _purge(self, caller: RetryingCaller, render: str) -> None:
        if self._case.caller_action == "expires":
            self._stores.expire_files(self.workspace, render)
        if self._case.caller_action == "purges":
            answer = caller.send_until_answered("DELETE", f"/renders/{render}/files")
            assert answer.status_code == httpx.codes.OK, answer.text

    def _open_limits(self) -> list[str]:
        due = self._stores.limits(self.workspace).get("due_at")
        return [*self.broken_invariants(), *([f"the limits are due at {due}"] if due else [])]
