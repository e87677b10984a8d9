"""Benchmark: the made file of a signed link over HTTP, compared with the `GET` of a render.

`make bench NAME=link`: a picture of 600 x 300 at a URL that has made it before, in turn with the
render behind it, read with the live key. Also checked: callers at once of a new URL get
the same bytes, and make one render.
"""

import http.client
import json
import statistics
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Final
from urllib.parse import urlsplit

from infra.bench.latency import BenchClient
from infra.local.running_stack import RunningStack, running_stack

LIMIT: Final = 2.0
ROUNDS: Final = 200
CALLERS: Final = 20
_WARM_UP: Final = 20
_HTML: Final = (
    "<body style='margin: 0; font: 40px sans-serif; background: linear-gradient(#eef, #fed)'>"
    "<h1>{{ who }}</h1><p>{{ text }}"
)


class LinkClient:
    """Client of signed URLs: one keep-alive connection without a key."""

    def __init__(self, stack: RunningStack) -> None:
        """Connect to the host of the files."""
        self._connection = http.client.HTTPConnection(urlsplit(stack.files_host).netloc, timeout=60)

    def fetch(self, url: str) -> bytes:
        """Return the file at a URL; raises AssertionError for any other response."""
        parts = urlsplit(url)
        self._connection.request("GET", f"{parts.path}?{parts.query}")
        response = self._connection.getresponse()
        content = response.read()
        assert response.status == http.client.OK, (response.status, content[:500])
        return content


class BenchLink:
    """Signed link of a new template."""

    def __init__(self, api: BenchClient) -> None:
        """Make the template and the link."""
        self._api = api
        template = {"name": "Badge", "html": _HTML, "publish": True}
        template_id = api.send("POST", "/v1/templates", json.dumps(template).encode())["id"]
        size = {"image": {"width": 600, "height": 300}}
        body = {"name": "Badge", "template_id": template_id, "output": size}
        self._path = (
            "/v1/signed-links/"
            + api.send("POST", "/v1/signed-links", json.dumps(body).encode())["id"]
        )

    def sign(self, who: str) -> str:
        """Return a signed URL."""
        wanted = {"name": "badge", "format": "png", "data": {"who": who, "text": "Hello"}}
        return str(self._api.send("POST", f"{self._path}/sign", json.dumps(wanted).encode())["url"])

    def count_renders(self) -> int:
        """Return how many renders the link has made."""
        return int(self._api.send("GET", self._path)["quota_used"])


def main() -> int:
    """Print the table and the ratio; 1 when it is over the limit, or a URL made several renders."""
    served: list[float] = []
    read: list[float] = []
    with running_stack() as stack:
        api, client = BenchClient(stack), LinkClient(stack)
        link = BenchLink(api)
        url = link.sign("Ada")
        size = len(client.fetch(url))
        (render,) = api.send("GET", "/v1/renders?limit=1")["data"]
        for round_number in range(-_WARM_UP, ROUNDS):
            started = time.perf_counter()
            client.fetch(url)
            answered = time.perf_counter()
            api.send("GET", f"/v1/renders/{render['id']}")
            ended = time.perf_counter()
            if round_number >= 0:
                served.append(1000 * (answered - started))
                read.append(1000 * (ended - answered))
        before = link.count_renders()
        bodies = _fetch_at_once(stack, link.sign("all"))
        made = link.count_renders() - before
    ratio = statistics.median(served) / statistics.median(read)
    rows = (
        ("GET of a render, p50, p90, ms", _percentiles(read)),
        ("file of a link, p50, p90, ms", f"{_percentiles(served)} ({size} bytes)"),
        (f"{CALLERS} callers of a new URL", f"{made} renders, {len(bodies)} different answers"),
    )
    for name, value in rows:
        sys.stdout.write(name.ljust(32) + value + "\n")
    sys.stdout.write(f"link: {ratio:.2f} (limit {LIMIT})\n")
    return int(ratio > LIMIT or (made, len(bodies)) != (1, 1))


def _fetch_at_once(stack: RunningStack, url: str) -> set[bytes]:
    barrier = threading.Barrier(CALLERS)

    def fetch(_number: int) -> bytes:
        client = LinkClient(stack)
        barrier.wait()
        return client.fetch(url)

    with ThreadPoolExecutor(CALLERS) as threads:
        return set(threads.map(fetch, range(CALLERS)))


def _percentiles(times: list[float]) -> str:
    return f"{statistics.median(times):.1f}, {statistics.quantiles(times, n=10)[-1]:.1f}"
