"""Benchmark: memory of the whole local stack, at rest after ten renders and under twenty clients.

`make bench NAME=footprint`: PSS of all processes, by part. Under load it is the highest of samples.
"""

import collections
import json
import sys
import threading
import time
from collections.abc import Iterator
from typing import Final

import psutil

from infra.bench.documents import render_request
from infra.bench.latency import BenchClient
from infra.bench.load import CLIENTS, run_clients
from infra.local.running_stack import running_stack

LIMIT: Final = 1.0
AT_REST_MB: Final = 800
UNDER_LOAD_MB: Final = 1200
RENDERS: Final = 10
SECONDS: Final = 15.0
_SETTLE_SECONDS: Final = 10.0
_SAMPLE_SECONDS: Final = 1.0

type _Parts = collections.Counter[str]


def main() -> int:
    """Print both tables and the ratios; 1 when one is over the limit."""
    payload = json.dumps(render_request()).encode()
    with running_stack() as stack:
        root = psutil.Process(stack.pid)
        client = BenchClient(stack)
        for _ in range(RENDERS):
            client.render(payload)
        time.sleep(_SETTLE_SECONDS)
        at_rest = _parts(root)
        samples: list[_Parts] = []
        load = threading.Thread(target=run_clients, args=(stack, payload, SECONDS))
        load.start()
        while load.is_alive():
            samples.append(_parts(root))
            time.sleep(_SAMPLE_SECONDS)
        load.join()
    highest = max(samples, key=lambda parts: parts.total())
    ratios = []
    for title, parts, limit_mb in (
        (f"at rest after {RENDERS} renders", at_rest, AT_REST_MB),
        (f"under {CLIENTS} clients", highest, UNDER_LOAD_MB),
    ):
        sys.stdout.write(f"{title}, MB\n")
        for name, size in parts.most_common():
            sys.stdout.write(f"  {name.ljust(40)}{size / 1e6:8.0f}\n")
        ratios.append(parts.total() / 1e6 / limit_mb)
        sys.stdout.write(f"  {'all'.ljust(40)}{parts.total() / 1e6:8.0f} of {limit_mb}\n")
    sys.stdout.write(f"footprint: {ratios[0]:.2f}, {ratios[1]:.2f} (limit {LIMIT} each)\n")
    return int(max(ratios) > LIMIT)


def _parts(root: psutil.Process) -> _Parts:
    """Return the bytes of each part of the stack, shared memory counted once (PSS)."""
    sizes: _Parts = collections.Counter()
    for name, process in _named_processes(root):
        try:
            sizes[name] += process.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return sizes


def _named_processes(root: psutil.Process) -> Iterator[tuple[str, psutil.Process]]:
    yield "the stack itself", root
    for process in root.children(recursive=True):
        try:
            words = process.cmdline()
        except psutil.NoSuchProcess:
            continue
        yield _part(words), process


def _part(words: list[str]) -> str:
    """Return the name of the part that a command line belongs to."""
    line = " ".join(words)
    if "infra.local.runner.worker" in words:
        return words[-1].removesuffix(".handler.handler")
    known = {"localstack.py": "LocalStack", "dynoxide": "dynoxide", "java": "Java"}
    browsers = {"chrome": "Chromium", "chromium": "Chromium"}
    for word, name in {**known, **browsers}.items():
        if word in line:
            return name
    return next(
        (word for word in words if word.startswith("chalicelib.")), words[0] if words else ""
    )
