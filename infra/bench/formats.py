"""Benchmark: PDF, PNG and WebP of one page, compared with the bare browser.

`make bench NAME=formats`: one request for three formats of the 40-line invoice with a live key, in
turn with bare calls that make the same three from one loaded page of a second browser. Also
printed: the three in one ZIP.
"""

import base64
import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from infra.bench.bare_browser import BareBrowser
from infra.bench.documents import print_options, render_request
from infra.bench.latency import BenchClient
from infra.local.running_stack import running_stack

LIMIT: Final = 1.4
ROUNDS: Final = 30
_WARM_UP: Final = 3
_PAUSE_S: Final = 0.3
_FORMATS: Final = ("pdf", "png", "webp")
_QUALITY: Final = 90


def main() -> int:
    """Print the table and the ratio; 1 when it is over the limit."""
    body = render_request()
    options, html = print_options(body), body["input"]["html"]
    files = _payload(body, {"formats": _FORMATS}, {"type": "url"})
    archive = _payload(body, {"formats": _FORMATS, "format": "zip"}, {"type": "binary"})
    times: dict[str, list[float]] = {"bare browser": [], "three files": [], "one ZIP": []}
    with running_stack() as stack, BareBrowser() as browser:
        client, page = BenchClient(stack), browser.page()
        ways: Mapping[str, Callable[[], object]] = {
            "bare browser": lambda: _make_bare(browser, page, html, options),
            "three files": lambda: _check_formats(json.loads(client.render(files))),
            "one ZIP": lambda: client.render(archive),
        }
        for round_number in range(-_WARM_UP, ROUNDS):
            for name, way in ways.items():
                started = time.perf_counter()
                way()
                if round_number >= 0:
                    times[name].append(1000 * (time.perf_counter() - started))
                time.sleep(_PAUSE_S)
    ratio = statistics.median(times["three files"]) / statistics.median(times["bare browser"])
    _print_row("PDF + PNG + WebP, ms", "p50", "fastest")
    for name, milliseconds in times.items():
        _print_row(name, f"{statistics.median(milliseconds):.1f}", f"{min(milliseconds):.1f}")
    _print_row(f"formats: {ratio:.2f} (limit {LIMIT})")
    return int(ratio > LIMIT)


def _payload(
    body: Mapping[str, Any], formats: Mapping[str, Any], delivery: Mapping[str, Any]
) -> bytes:
    output = {"pdf": body["output"]["pdf"], **formats}
    return json.dumps({**body, "output": output, "delivery": delivery}).encode()


def _make_bare(browser: BareBrowser, page: str, html: str, options: Mapping[str, Any]) -> None:
    browser.print_document(page, html, options)
    for parameters in ({"format": "png"}, {"format": "webp", "quality": _QUALITY}):
        screenshot = browser.call("Page.captureScreenshot", page, **parameters)
        base64.b64decode(screenshot["data"])


def _check_formats(render: Mapping[str, Any]) -> None:
    formats = [file["format"] for file in render["files"]]
    assert formats == [*_FORMATS], render


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(22) + "".join(cell.rjust(12) for cell in rest) + "\n")
