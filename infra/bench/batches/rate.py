"""Benchmark: items of a batch through the whole service, compared with bare browsers.

`make bench NAME=batch`, or `NAME="batch 200"` for fewer items: a batch of the one-page example, the
payslip, with a live key of a workspace on the plan `scale`. Measured are its items per second, from
the request that creates it to its final status, divided by the pages per second of bare loops. A
loop prints the document of the same template and data into one page that it reuses; there are as
many loops as cores, before and after in the same run.
"""

import json
import multiprocessing
import os
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import psutil
from jinja2 import Environment

from infra.bench.bare_browser import BareBrowser
from infra.bench.documents import print_options
from infra.bench.latency import BenchClient
from infra.local.examples import (
    create_render,
    example_data,
    fetch_file,
    post,
    render_body,
    template_body,
)
from infra.local.running_stack import RunningStack, running_stack

LIMIT: Final = 0.4
ITEMS: Final = 2_000
EXAMPLE: Final = "payslip"
# From its options.
_MARGINS_MM: Final = {"Top": 18, "Right": 20, "Bottom": 24, "Left": 20}
_WARM_UP_ITEMS: Final = 50
_BARE_SECONDS: Final = 10.0
_POLL_S: Final = 0.25
_TIMEOUT_S: Final = 1_800.0


def main() -> int:
    """Print the table and the ratio; 1 when it is under the limit."""
    count = int(sys.argv[2]) if sys.argv[2:] else ITEMS
    loops = os.cpu_count() or 1
    with running_stack() as stack:
        template_id = post(_run_info(stack), "/templates", template_body(EXAMPLE))["id"]
        html, options = _document(stack, template_id)
        before = _bare_loops(loops, html, options)
        _run_batch(stack, template_id, _WARM_UP_ITEMS)
        cpu_before = _cpu_seconds(stack)
        seconds = _run_batch(stack, template_id, count)
        cpu = _cpu_seconds(stack)
        after = _bare_loops(loops, html, options)
    bare, rate = (before.rate + after.rate) / 2, count / seconds
    ms = {name: 1000 * (spent - cpu_before.get(name, 0)) / count for name, spent in cpu.items()}
    bare_ms = 500 * (before.cpu_s + after.cpu_s)
    rows = (
        ("items", str(count)),
        ("seconds", f"{seconds:.1f}"),
        ("items/s", f"{rate:.2f}"),
        ("bare pages/s", f"{bare:.2f} ({before.rate:.2f} before, {after.rate:.2f} after)"),
        ("CPU per item, ms", f"{sum(ms.values()):.0f} (bare page {bare_ms:.0f})"),
        *((f"  {name}", f"{ms[name]:.1f}") for name in sorted(ms, key=ms.__getitem__)[::-1]),
    )
    for name, value in rows:
        sys.stdout.write(name.ljust(34) + value + "\n")
    sys.stdout.write(f"batch: {rate / bare:.2f} (limit {LIMIT}, at least)\n")
    return int(rate / bare < LIMIT)


def _run_info(stack: RunningStack) -> Mapping[str, Any]:
    return {"base_url": stack.base_url, "live_key": stack.live_key}


def _document(stack: RunningStack, template_id: str) -> tuple[str, dict[str, Any]]:
    """Return the example's document as the service makes it, and how a page prints it."""
    body = render_body(EXAMPLE, template_id) | {"output": {"formats": ["html"]}}
    file = create_render(_run_info(stack), body)["files"][0]
    footer = Environment(autoescape=True).from_string(template_body(EXAMPLE)["footer"])
    parts = {"header": {"html": "<span></span>"}, "footer": {"html": footer.render(body["data"])}}
    margins = {f"margin{side}": mm / 25.4 for side, mm in _MARGINS_MM.items()}
    return fetch_file(file["url"]).decode(), print_options({"output": {"pdf": parts}}) | margins


def _run_batch(stack: RunningStack, template_id: str, count: int) -> float:
    """Return the seconds from the creation of a batch to its end; all its items must succeed."""
    body = {"template_id": template_id, "items": [{"data": example_data(EXAMPLE)}] * count}
    payload = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    client = BenchClient(stack)
    started = time.perf_counter()
    batch = client.send("POST", "/v1/batches", payload)
    while batch["status"] in {"queued", "processing"}:
        assert time.perf_counter() - started < _TIMEOUT_S, batch
        time.sleep(_POLL_S)
        batch = client.send("GET", f"/v1/batches/{batch['id']}")
    assert batch["succeeded"] == count, batch
    return time.perf_counter() - started


def _cpu_seconds(stack: RunningStack) -> Mapping[str, float]:
    """Return the processor time of the stack's processes so far, by what they run."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for process in _process_tree(stack.pid):
        try:
            seconds[_name(process)] += _cpu_s(process)
        except psutil.NoSuchProcess:
            continue
    return seconds


def _process_tree(pid: int) -> Sequence[psutil.Process]:
    root = psutil.Process(pid)
    return [root, *root.children(recursive=True)]


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def _name(process: psutil.Process) -> str:
    """Return the handler or the script of a Python process, or the name of the program."""
    words = process.cmdline()[1:]
    handlers = (word for word in words if word.startswith(("functions.", "app.")))
    scripts = (Path(word).name for word in words if word.endswith(".py"))
    modules = (word for word in words if word.startswith("infra."))
    name = next(chain(handlers, scripts, modules), process.name())
    return name.removesuffix(".handler.handler")


class _BareLoops(NamedTuple):
    """Pages per second of all loops, and the processor time of a page in seconds."""

    rate: float
    cpu_s: float


def _bare_loops(loops: int, html: str, options: Mapping[str, Any]) -> _BareLoops:
    """Run bare loops, each in its own process."""
    with multiprocessing.get_context("spawn").Pool(loops) as pool:
        done = pool.starmap(_bare_loop, [(html, options)] * loops, chunksize=1)
    pages = sum(count for count, _ in done)
    return _BareLoops(pages / _BARE_SECONDS, sum(cpu_s for _, cpu_s in done) / pages)


def _bare_loop(html: str, options: Mapping[str, Any]) -> tuple[int, float]:
    """Return the pages of a loop, and its processor time with that of its browser."""
    with BareBrowser() as browser:
        page, count = browser.page(), 0
        browser.print_document(page, html, options)
        processes = [psutil.Process(), *_process_tree(browser.pid)]
        cpu_s = {process: _cpu_s(process) for process in processes}
        until = time.perf_counter() + _BARE_SECONDS
        while time.perf_counter() < until:
            browser.print_document(page, html, options)
            count += 1
        # A helper process of the browser may have ended meanwhile.
        lasting = [process for process in processes if process.is_running()]
        return count, sum(_cpu_s(process) - cpu_s[process] for process in lasting)
