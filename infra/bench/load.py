"""Benchmark: twenty clients on the whole service, compared with bare browsers.

`make bench NAME=load`: requests per second with a live key over 20 s, divided by the rate of bare
loops over the same document. There are as many loops as render slots, each print has a fresh
context, and they run before and after in the same run. Also checked: no error, no zombie process,
memory returns to its level, p99 near p50.
"""

import json
import multiprocessing
import os
import statistics
import sys
import threading
import time
from typing import Any, Final

import psutil

from infra.bench.bare_browser import BareBrowser
from infra.bench.documents import print_options, render_request
from infra.bench.latency import BenchClient
from infra.local.running_stack import RunningStack, running_stack

LIMIT: Final = 0.7
TAIL_LIMIT: Final = 1.5
MEMORY_LIMIT: Final = 1.2
CLIENTS: Final = 20
SECONDS: Final = 20.0
_BARE_SECONDS: Final = 10.0
_WARM_UP_SECONDS: Final = 6.0
_SETTLE_SECONDS: Final = 20.0


def main() -> int:
    """Print the table and the ratio; 1 when anything is over its limit."""
    body = render_request()
    payload = json.dumps(body).encode()
    slots = os.cpu_count() or 1
    before = _bare_rate(slots, body)
    with running_stack() as stack:
        run_clients(stack, payload, _WARM_UP_SECONDS)
        time.sleep(_SETTLE_SECONDS)
        tree = psutil.Process(stack.pid)
        memory, cpu = memory_mb(tree), _cpu_s(tree)
        times = run_clients(stack, payload, SECONDS)
        cpu = _cpu_s(tree) - cpu
        time.sleep(_SETTLE_SECONDS)
        memory_after, zombies = memory_mb(tree), _zombie_count(tree)
    after = _bare_rate(slots, body)
    bare = (before + after) / 2
    served = len(times) / SECONDS
    p50, p99 = statistics.median(times), statistics.quantiles(times, n=100)[-1]
    rows = (
        ("bare loops, renders/s", f"{bare:.1f} ({before:.1f} before, {after:.1f} after)"),
        ("Platen, renders/s", f"{served:.1f} with {CLIENTS} clients, {slots} slots"),
        ("p50, p99, ms", f"{1000 * p50:.0f}, {1000 * p99:.0f} (ratio limit {TAIL_LIMIT})"),
        ("p99 / p50", f"{p99 / p50:.2f}"),
        ("CPU per render, ms", f"{1000 * cpu / len(times):.0f}"),
        ("memory, MB", f"{memory:.0f} before, {memory_after:.0f} after"),
        ("zombies", str(zombies)),
    )
    for name, value in rows:
        sys.stdout.write(name.ljust(26) + value + "\n")
    ratio = served / bare
    sys.stdout.write(f"load: {ratio:.2f} (limit {LIMIT})\n")
    is_stable = p99 <= TAIL_LIMIT * p50 and memory_after <= MEMORY_LIMIT * memory and not zombies
    return int(ratio < LIMIT or not is_stable)


def run_clients(stack: RunningStack, payload: bytes, seconds: float) -> list[float]:
    """Render from all clients at once; return the seconds of each, or raise the first error."""
    until = time.perf_counter() + seconds
    times: list[float] = []
    errors: list[BaseException] = []

    def work() -> None:
        client = BenchClient(stack)
        try:
            while (started := time.perf_counter()) < until:
                client.render(payload)
                times.append(time.perf_counter() - started)
        except (AssertionError, OSError) as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return times


def _bare_rate(slots: int, body: dict[str, Any]) -> float:
    """Return the renders per second of `slots` bare loops, each in its own process."""
    with multiprocessing.get_context("spawn").Pool(slots) as pool:
        counts = pool.map(_bare_loop, [body] * slots, chunksize=1)
    return sum(counts) / _BARE_SECONDS


def _bare_loop(body: dict[str, Any]) -> int:
    options, html = print_options(body), body["input"]["html"]
    with BareBrowser() as browser:
        until, count = time.perf_counter() + _BARE_SECONDS, 0
        while time.perf_counter() < until:
            context = browser.call("Target.createBrowserContext")["browserContextId"]
            browser.print_document(browser.page(context), html, options)
            browser.call("Target.disposeBrowserContext", browserContextId=context)
            count += 1
    return count


def _process_tree(root: psutil.Process) -> list[psutil.Process]:
    return [root, *root.children(recursive=True)]


def memory_mb(root: psutil.Process) -> float:
    """Return the memory of a process tree in MB, shared memory counted once (PSS)."""
    total = 0
    for process in _process_tree(root):
        try:
            total += process.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return total / 1e6


def _cpu_s(root: psutil.Process) -> float:
    """Return the CPU seconds of a process tree, ended children included."""
    total = 0.0
    for process in _process_tree(root):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def _zombie_count(root: psutil.Process) -> int:
    count = 0
    for process in _process_tree(root):
        try:
            count += process.status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            continue
    return count
