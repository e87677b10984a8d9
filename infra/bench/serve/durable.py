"""Benchmark: a server that keeps everything beside the stack that keeps nothing, and a kill.

Renders per second of twenty clients, in turn on both; the ratio is embedded to durable. Also
checked: the seconds from a start on a folder to the first answer; queued renders that were accepted
before everything is killed all end, and each is billed once. Shown: memory at rest of both.
"""

import json
import statistics
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

from infra.bench.client import BenchClient, Crowd
from infra.bench.documents import render_request
from infra.bench.parts import Parts
from infra.bench.processes import memory_mb
from infra.bench.report import Limit, Report
from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer, running_server

LIMIT: Final = Limit(1.25)
START_LIMIT: Final = Limit(8.0, unit=" s")
NONE: Final = Limit(0)


class Size(NamedTuple):
    """Clients before and while rates are measured, and how often; starts, renders; rest."""

    warm_up: Crowd
    crowd: Crowd
    rounds: int
    starts: int
    accepted: int
    rest_s: float


FULL: Final = Size(Crowd(seconds=6.0), Crowd(seconds=12.0), 3, 3, 1_000, rest_s=20.0)
SMOKE: Final = Size(Crowd(2, 0.1), Crowd(2, 0.5), 1, 1, 4, rest_s=0.1)
_CALLERS: Final = 4
_PAGE: Final = 100
_END_S: Final = 1_800.0


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print the table and the ratio."""
    with (
        tempfile.TemporaryDirectory(prefix="platen-serve-") as folder,
        running_server(Path(folder) / "data") as server,
    ):
        server.start()
        durable = server.create_tenant("Bench")
        ratio = _load_ratio(report, {"embedded": parts.stack, "durable": durable}, size)
        durable = _starts(report, server, durable, size)
        _kill(report, server, durable, size)
    report.result(LIMIT, ratio)


def _load_ratio(report: Report, stacks: dict[str, RunningStack], size: Size) -> float:
    payload = json.dumps(render_request()).encode()
    rates: dict[str, list[float]] = {name: [] for name in stacks}
    for stack in stacks.values():
        size.warm_up.run(stack, payload)
    for _ in range(size.rounds):
        for name, stack in stacks.items():
            rates[name].append(len(size.crowd.run(stack, payload)) / size.crowd.seconds)
    time.sleep(size.rest_s)
    report.row("load", "renders/s", "at rest, MB")
    for name, stack in stacks.items():
        report.row(f"  {name}", statistics.median(rates[name]), memory_mb(stack.pid))
    pairs = zip(rates["embedded"], rates["durable"], strict=True)
    return statistics.median(embedded / durable for embedded, durable in pairs)


def _starts(
    report: Report, server: RunningServer, durable: RunningStack, size: Size
) -> RunningStack:
    seconds = []
    for _ in range(size.starts):
        server.kill_everything()
        started = time.perf_counter()
        server.start()
        durable = server.seen_by(durable.workspace, durable.test_key, durable.live_key)
        with urllib.request.urlopen(f"{durable.files_host}/healthz") as answer:  # noqa: S310
            answer.read()
        seconds.append(time.perf_counter() - started)
    report.check("start to the first answer", START_LIMIT, statistics.median(seconds))
    return durable


def _kill(report: Report, server: RunningServer, durable: RunningStack, size: Size) -> None:
    """Kill everything while accepted renders are under way, and count their ends."""
    body = {**render_request(), "mode": "async", "delivery": {"type": "url"}}
    used = _account(durable)
    accepted = set(_accept(durable, body, size.accepted))
    durable = server.restart_after_kill(durable)
    started = time.perf_counter()
    statuses = _wait_for_ends(durable, accepted)
    report.row("accepted before the kill", len(accepted))
    report.row("seconds from the start to the last end", time.perf_counter() - started)
    lost = [each for each in accepted if statuses.get(each) != "succeeded"]
    report.check("accepted renders that did not succeed", NONE, len(lost))
    end = time.monotonic() + _END_S
    while (billed := _account(durable) - used) < len(accepted) and time.monotonic() < end:
        time.sleep(1)
    # What would be billed twice is billed by the events of the last minute.
    time.sleep(size.rest_s)
    billed = _account(durable) - used
    report.check("billed more or less than once", NONE, abs(billed - len(accepted)))


def _accept(durable: RunningStack, body: dict[str, Any], count: int) -> list[str]:
    def accept(share: int) -> list[str]:
        with BenchClient(durable) as client:
            return [str(client.post("/v1/renders", body)["id"]) for _ in range(share)]

    shares = [count // _CALLERS + (number < count % _CALLERS) for number in range(_CALLERS)]
    with ThreadPoolExecutor(_CALLERS) as callers:
        return [each for made in callers.map(accept, shares) for each in made]


def _wait_for_ends(durable: RunningStack, accepted: set[str]) -> dict[str, str]:
    """Return the statuses of the workspace's renders, once all accepted ones are final."""
    end = time.monotonic() + _END_S
    while True:
        statuses = _statuses(durable, len(accepted))
        is_open = [e for e in accepted if statuses.get(e, "queued") in {"queued", "processing"}]
        if not is_open or time.monotonic() > end:
            return statuses
        time.sleep(2)


def _statuses(durable: RunningStack, count: int) -> dict[str, str]:
    statuses: dict[str, str] = {}
    cursor = ""
    with BenchClient(durable) as client:
        while len(statuses) < count:
            page = client.get(f"/v1/renders?limit={_PAGE}{cursor}")
            statuses |= {row["id"]: row["status"] for row in page["data"]}
            if not page["has_more"]:
                break
            cursor = f"&cursor={page['next_cursor']}"
    return statuses


def _account(durable: RunningStack) -> int:
    with BenchClient(durable) as client:
        return int(client.get("/v1/account")["renders"]["used"])
