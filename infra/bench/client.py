"""Client of the API of a stack, and many of them at once."""

import contextlib
import http.client
import json
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any, Final, NamedTuple, Self
from urllib.parse import urlsplit

from infra.local.running_stack import RunningStack

_POLL_INTERVAL_S: Final = 0.05


class BenchClient:
    """Client of the API: one keep-alive connection with the live key."""

    def __init__(self, stack: RunningStack) -> None:
        """Connect to the stack."""
        url = urlsplit(stack.base_url)
        self._connection = http.client.HTTPConnection(url.netloc, timeout=60)
        self._headers = {
            "Authorization": f"Bearer {stack.live_key}",
            "Content-Type": "application/json",
            "Accept": "application/pdf",
        }

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self._connection.close()

    def render(self, payload: bytes) -> bytes:
        """Post a render with delivery `binary` and return its file.

        Raises AssertionError for any other response.
        """
        response, content = self._send("POST", "/v1/renders", payload)
        if response.status == http.client.SEE_OTHER:
            return fetch_file(response.headers["Location"])
        assert response.status == http.client.OK, (response.status, content[:500])
        return content

    def render_to_end(self, payload: bytes) -> dict[str, Any]:
        """Post a render with delivery `url` and return it at its end, for which it is polled.

        Raises AssertionError if it fails.
        """
        render = json.loads(self._send("POST", "/v1/renders", payload)[1])
        while render.get("status") in {"queued", "processing"}:
            time.sleep(_POLL_INTERVAL_S)
            render = self.get(f"/v1/renders/{render['id']}")
        assert render.get("status") == "succeeded", render
        ended: dict[str, Any] = render
        return ended

    def get(self, path: str) -> dict[str, Any]:
        """Return the JSON of a resource."""
        answer: dict[str, Any] = json.loads(self._send("GET", path)[1])
        return answer

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Post a body and return the JSON of the response; raises AssertionError for an error."""
        payload = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        response, content = self._send("POST", path, payload)
        assert response.status < http.client.BAD_REQUEST, content[:500]
        answer: dict[str, Any] = json.loads(content)
        return answer

    def _send(
        self, method: str, path: str, payload: bytes | None = None
    ) -> tuple[http.client.HTTPResponse, bytes]:
        self._connection.request(method, path, payload, self._headers)
        response = self._connection.getresponse()
        return response, response.read()


def fetch_file(url: str) -> bytes:
    """Return the file at a URL, after redirects; raises AssertionError if there is none."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    with contextlib.closing(connection):
        connection.request("GET", f"{parts.path}?{parts.query}")
        response = connection.getresponse()
        content = response.read()
    if response.status == http.client.FOUND:
        return fetch_file(response.headers["Location"])
    assert response.status == http.client.OK, (response.status, content[:500])
    return content


class Crowd(NamedTuple):
    """Clients that render at once, and for how long."""

    clients: int = 20
    seconds: float = 15.0

    def run(self, stack: RunningStack, payload: bytes) -> list[float]:
        """Render as fast as the stack answers, each client once at least.

        Returns the seconds of each render, or raises the first error.
        """
        until = time.perf_counter() + self.seconds

        def work(_number: int) -> list[float]:
            times: list[float] = []
            with BenchClient(stack) as client:
                while (started := time.perf_counter()) < until or not times:
                    client.render(payload)
                    times.append(time.perf_counter() - started)
            return times

        with ThreadPoolExecutor(self.clients) as threads:
            return list(chain.from_iterable(threads.map(work, range(self.clients))))
