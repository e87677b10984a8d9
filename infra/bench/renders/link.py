"""Benchmark: the made file of a signed link over HTTP, compared with the `GET` of a render.

A picture of 600 x 300 at a URL that has made it before, in turn with the render behind it, read
with the live key. Also checked: callers at once of a new URL get the same bytes, and make one
render.
"""

import http.client
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple, Self
from urllib.parse import urlsplit

from infra.bench.client import BenchClient
from infra.bench.parts import Parts
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, run_in_turns, stopwatch
from infra.local.running_stack import RunningStack

LIMIT: Final = Limit(2.0)
ONE: Final = Limit(1)


class Size(NamedTuple):
    """Rounds, and the callers at once of a new URL."""

    rounds: Rounds
    callers: int


FULL: Final = Size(Rounds(200, warm_up=20), callers=20)
SMOKE: Final = Size(Rounds(1, warm_up=0), callers=2)
_READ: Final = "GET of a render"
_SERVED: Final = "file of a link"
_HTML: Final = (
    "<body style='margin: 0; font: 40px sans-serif; background: linear-gradient(#eef, #fed)'>"
    "<h1>{{ who }}</h1><p>{{ text }}"
)


class LinkClient:
    """Client of signed URLs: one keep-alive connection without a key."""

    def __init__(self, stack: RunningStack) -> None:
        """Connect to the host of the files."""
        self._connection = http.client.HTTPConnection(urlsplit(stack.files_host).netloc, timeout=60)

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self._connection.close()

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
        body = {
            "name": "Badge",
            "template_id": api.post("/v1/templates", template)["id"],
            "output": {"image": {"width": 600, "height": 300}},
        }
        self._path = f"/v1/signed-links/{api.post('/v1/signed-links', body)['id']}"

    def sign(self, who: str) -> str:
        """Return a signed URL."""
        wanted = {"name": "badge", "format": "png", "params": {"who": who, "text": "Hello"}}
        return str(self._api.post(f"{self._path}/sign", wanted)["url"])

    def count_renders(self) -> int:
        """Return how many renders the link has made."""
        return int(self._api.get(self._path)["quota_used"])


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print the table and the ratio."""
    stack, api = parts.stack, parts.client()
    link = BenchLink(api)
    url = link.sign("Ada")
    with LinkClient(stack) as client:
        content = client.fetch(url)
        (render,) = api.get("/v1/renders?limit=1")["data"]
        ways = {
            _SERVED: stopwatch(lambda: client.fetch(url)),
            _READ: stopwatch(lambda: api.get(f"/v1/renders/{render['id']}")),
        }
        times = run_in_turns(ways, size.rounds)
    before = link.count_renders()
    bodies = _fetch_at_once(stack, link.sign("all"), size.callers)
    made = link.count_renders() - before
    times.show(report, f"link, ms ({len(content)} bytes)")
    report.check(f"{size.callers} callers of a new URL, renders", ONE, made)
    report.check(f"{size.callers} callers of a new URL, answers", ONE, len(bodies))
    report.result(LIMIT, times.ratio(_SERVED, _READ))


def _fetch_at_once(stack: RunningStack, url: str, callers: int) -> set[bytes]:
    barrier = threading.Barrier(callers)

    def fetch(_number: int) -> bytes:
        with LinkClient(stack) as client:
            barrier.wait()
            return client.fetch(url)

    with ThreadPoolExecutor(callers) as threads:
        return set(threads.map(fetch, range(callers)))
