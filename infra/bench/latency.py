"""Benchmark: a warm sync render through the whole service, compared with the bare browser.

`make bench NAME=latency`: the 40-line invoice over HTTP with a live key, binary and tagged, in turn
with `setDocumentContent` + `printToPDF` of the same document in one reused page of a second
browser. After each pair a pause lets the service prepare the next page.
"""

import contextlib
import http.client
import json
import statistics
import sys
import time
from typing import Any, Final
from urllib.parse import urlsplit

from infra.bench.bare_browser import BareBrowser
from infra.bench.documents import print_options, render_request
from infra.local.running_stack import RunningStack, running_stack

LIMIT: Final = 2.5
ROUNDS: Final = 50
_WARM_UP: Final = 5
_PAUSE_S: Final = 0.25
_POLL_INTERVAL_S: Final = 0.05


def main() -> int:
    """Print the table and the ratio; 1 when it is over the limit."""
    body = render_request()
    options = print_options(body)
    payload = json.dumps(body).encode()
    served: list[float] = []
    bare: list[float] = []
    with running_stack() as stack, BareBrowser() as browser:
        client = BenchClient(stack)
        page = browser.page()
        for round_number in range(-_WARM_UP, ROUNDS):
            started = time.perf_counter()
            browser.print_document(page, body["input"]["html"], options)
            printed = time.perf_counter()
            time.sleep(_PAUSE_S)
            sent = time.perf_counter()
            pdf = client.render(payload)
            answered = time.perf_counter()
            assert pdf.startswith(b"%PDF-"), pdf[:200]
            time.sleep(_PAUSE_S)
            if round_number >= 0:
                bare.append(1000 * (printed - started))
                served.append(1000 * (answered - sent))
    ratio = statistics.median(served) / statistics.median(bare)
    _print_row("latency, ms", "p50", "p90", "fastest")
    for name, times in (("bare browser", bare), ("Platen over HTTP", served)):
        p90 = statistics.quantiles(times, n=10)[-1]
        _print_row(name, *(f"{value:.1f}" for value in (statistics.median(times), p90, min(times))))
    _print_row(f"latency: {ratio:.2f} (limit {LIMIT})")
    return int(ratio > LIMIT)


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

    def render(self, payload: bytes) -> bytes:
        """Post a render with delivery `binary` and return its file.

        Raises AssertionError for any other response.
        """
        response, content = self._send("POST", "/v1/renders", payload)
        if response.status == http.client.SEE_OTHER:
            return fetch_file(response.headers["Location"])
        assert response.status == http.client.OK, (response.status, content[:500])
        return content

    def render_to_url(self, payload: bytes) -> str:
        """Post a render with delivery `url` and return the URL of its file.

        An unfinished render is polled. Raises AssertionError if it fails.
        """
        render = self.send("POST", "/v1/renders", payload)
        while render.get("status") in {"queued", "processing"}:
            time.sleep(_POLL_INTERVAL_S)
            render = self.send("GET", f"/v1/renders/{render['id']}")
        assert render.get("status") == "succeeded", render
        return str(render["files"][0]["url"])

    def send(self, method: str, path: str, payload: bytes | None = None) -> dict[str, Any]:
        """Send a request and return the JSON of its response."""
        answer: dict[str, Any] = json.loads(self._send(method, path, payload)[1])
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


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(22) + "".join(cell.rjust(12) for cell in rest) + "\n")
