"""Caller that follows the documentation: it repeats with its key until it has an answer."""

import time
from collections.abc import Callable
from itertools import groupby
from typing import Any, Final

import httpx

_JSON: Final = {"Content-Type": "application/json"}
_TIMEOUT_S: Final = 60.0
_UNFINISHED: Final = frozenset({"queued", "processing"})
# Problem codes after which the request may be repeated.
_RETRY_CODES: Final = frozenset({"idempotency_in_progress", "concurrency_limited", "rate_limited"})


class RetryingCaller:
    """Sends one request as often as needed; `trail` lists the answers."""

    def __init__(self, http: httpx.Client, key: str, request_id: str) -> None:
        """Send with this idempotency key, and always with the same request id."""
        self._http = http
        self._headers = {"Idempotency-Key": key, "X-Request-Id": request_id, **_JSON}
        self._answers: list[str] = []

    @property
    def trail(self) -> str:
        """Return a summary of the answers."""
        runs = ((answer, len(list(run))) for answer, run in groupby(self._answers))
        return ", ".join(f"{answer} x{n}" if n > 1 else answer for answer, n in runs)

    def send(self, method: str, path: str, body: bytes = b"") -> httpx.Response | None:
        """Send the request once; return None if the connection was cut."""
        try:
            answer = self._http.request(method, path, content=body, headers=self._headers)
        except httpx.TransportError as cut:
            self._answers.append(type(cut).__name__)
            return None
        replayed = " replayed" if "Idempotent-Replayed" in answer.headers else ""
        self._answers.append(f"{answer.status_code}{replayed}")
        return answer

    def send_until_final(
        self, path: str, body: bytes, meanwhile: Callable[[], None]
    ) -> dict[str, Any]:
        """Send until the render is final, and return it; call `meanwhile` between the attempts."""
        until = time.monotonic() + _TIMEOUT_S
        while time.monotonic() < until:
            answer = self.send("POST", path, body)
            if answer is not None and (found := self._render_of(answer)) is not None:
                return self._poll_until_final(found, until)
            if answer is not None and answer.status_code < httpx.codes.INTERNAL_SERVER_ERROR:
                meanwhile()
            time.sleep(0.5)
        raise TimeoutError(self.trail)

    def send_until_answered(self, method: str, path: str) -> httpx.Response:
        """Send until the answer is not a server error."""
        while True:
            answer = self.send(method, path)
            if answer is not None and answer.status_code < httpx.codes.INTERNAL_SERVER_ERROR:
                return answer

    def read(self, render_id: str) -> dict[str, Any]:
        """Return a render."""
        render: dict[str, Any] = self._http.get(f"/renders/{render_id}").json()
        return render

    def _render_of(self, answer: httpx.Response) -> str | None:
        """Return the id of the answer's render; None asks for a repeat."""
        body = answer.json()
        if answer.status_code in {200, 202}:
            return str(body["id"])
        assert body["code"] in _RETRY_CODES | {
            "internal_error",
            "region_degraded",
            "render_lost",
        }, body
        # render_lost is the final state of the render, reported as a problem. A refusal for lack
        # of capacity is not final.
        return body.get("render_id") if body["code"] == "render_lost" else None

    def _poll_until_final(self, render_id: str, until: float) -> dict[str, Any]:
        while time.monotonic() < until:
            answer = self._http.get(f"/renders/{render_id}")
            render: dict[str, Any] = answer.json()
            if answer.status_code == httpx.codes.OK and render["status"] not in _UNFINISHED:
                return render
            assert answer.status_code in {200, 429, 500}, render
            # The smallest plan allows two requests a second.
            time.sleep(0.6 if answer.status_code == httpx.codes.TOO_MANY_REQUESTS else 0.25)
        message = f"{self.trail}: {render_id} does not end"
        raise TimeoutError(message)
