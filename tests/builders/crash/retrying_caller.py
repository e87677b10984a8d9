"""Caller that follows the documentation: it repeats with its key until it has an answer."""

from collections.abc import Callable
from typing import Any, Final

import httpx

_JSON: Final = {"Content-Type": "application/json"}
_UNFINISHED: Final = frozenset({"queued", "processing"})
# Problem codes after which the request may be repeated.
_RETRY_CODES: Final = frozenset({"idempotency_in_progress", "concurrency_limited", "rate_limited"})
# A caller that gets no answer so often gives up.
_MAX_CUTS: Final = 10


class RetryingCaller:
    """Sends one request as often as needed, with the same idempotency key and request id."""

    def __init__(
        self, http: httpx.Client, key: str, request_id: str, pause: Callable[[], None]
    ) -> None:
        """Send with this idempotency key and request id; `pause` separates the attempts."""
        self._http = http
        self._headers = {"Idempotency-Key": key, "X-Request-Id": request_id, **_JSON}
        self._pause = pause
        self._render_id = ""
        self.render: dict[str, Any] = {}

    def send(self, method: str, path: str, body: bytes = b"") -> httpx.Response | None:
        """Send the request once; return None if the connection was cut."""
        try:
            return self._http.request(method, path, content=body, headers=self._headers)
        except httpx.TransportError:
            return None

    def send_until_answered(self, method: str, path: str, body: bytes = b"") -> httpx.Response:
        """Send until the answer is not a server error."""
        for _ in range(_MAX_CUTS):
            answer = self.send(method, path, body)
            if answer is not None and not _is_cut(answer):
                return answer
            self._pause()
        raise AssertionError("there is no answer")

    def is_refused(self, method: str, path: str, body: bytes) -> bool:
        """Send until there is an answer; tell whether the request has to be repeated later."""
        answer = self.send_until_answered(method, path, body)
        found = answer.json()
        if answer.is_success:
            self._render_id = str(found["id"])
            return False
        assert found["code"] in _RETRY_CODES | {"region_degraded", "render_lost"}, found
        # render_lost is the final state of the render, reported as a problem. A refusal for lack
        # of capacity is not final.
        self._render_id = found.get("render_id", "") if found["code"] == "render_lost" else ""
        return not self._render_id

    def is_unfinished(self) -> bool:
        """Read the render, and tell whether it is not final."""
        answer = self._http.get(f"/renders/{self._render_id}")
        assert answer.status_code in {200, 429, 500}, answer.text
        self.render = answer.json() if answer.status_code == httpx.codes.OK else {}
        return self.render.get("status", "queued") in _UNFINISHED

    def read(self, render_id: str) -> dict[str, Any]:
        """Return a render."""
        render: dict[str, Any] = self._http.get(f"/renders/{render_id}").json()
        return render


def _is_cut(answer: httpx.Response) -> bool:
    """Tell whether the function has died; a refusal is a problem with another code."""
    return answer.is_server_error and answer.json()["code"] == "internal_error"
