"""Benchmark: number of AWS calls and of write units of one render (decision 10).

The API function's app and the handlers of the render function and of the relay run in this process,
on the emulators and the engine of a running stack, with queues of their own that no poller reads.
Botocore hooks count. Not counted as calls are receiving and deleting messages, the relay, and the
polls of the cancellation watch, which start after half a second. Write units are those of a request
with an Idempotency-Key, up to its published event. A process's first request with a key reads the
workspace by itself, one call more: that is not counted either.
"""

import contextlib
import io
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from infra.bench.parts import Parts
from infra.bench.renders.in_process import in_process_service
from infra.bench.report import Limit, Report


class _Bounds(NamedTuple):
    calls: Limit
    units: Limit


LIMIT: Final = Limit(1.0)
BOUNDS: Final = {
    "sync html": _Bounds(Limit(9), Limit(24)),
    "async, 100 KB": _Bounds(Limit(11), Limit(29)),
}
FULL: Final = None
SMOKE: Final = None
_SYNC_BODY: Final[Mapping[str, Any]] = {"input": {"type": "html", "html": "<h1>One page</h1>"}}
_ASYNC_BODY: Final[Mapping[str, Any]] = {
    "input": {"type": "html", "html": "<p>" + "words " * 17_000},
    "mode": "async",
}
_CALL_REASONS: Final = {
    "API BatchGetItem": "key and workspace",
    "API UpdateItem": "rate, concurrency and quota, in one",
    "API TransactWriteItems": "the render is made",
    "API Invoke": "the render function, with row and body",
    "API PutObject": "the body, which waits in the bucket",
    "API SendMessage": "the queue",
    "render Invoke": "the engine, with the job",
    "render UpdateItem": "settles the limits; claims a queued render",
    "render GetObject": "the body",
    "render PutObject": "the file",
    "render TransactWriteItems": "final state, file and event",
    "render SendMessage": "the event, to the relay",
}


def measure(parts: Parts, report: Report, _size: None) -> None:
    """Print the tables and the worst ratio to a limit."""
    bodies = dict(zip(BOUNDS, (_SYNC_BODY, _ASYNC_BODY), strict=True))
    # The app writes its log to standard output.
    with contextlib.redirect_stdout(io.StringIO()), in_process_service(parts.stack) as service:
        service.calls(_SYNC_BODY)
        calls = {name: service.calls(body) for name, body in bodies.items()}
        units = {name: service.units(body) for name, body in bodies.items()}
    ratios = []
    for name, bounds in BOUNDS.items():
        for call, count in calls[name].items():
            report.row(f"  {call}", str(count), note=_CALL_REASONS.get(call, "?"))
        report.check(f"{name}, calls", bounds.calls, calls[name].total())
        for call, count in units[name].items():
            report.row(f"  {call}", str(count))
        report.check(f"{name}, write units", bounds.units, units[name].total())
        ratios.append(calls[name].total() / bounds.calls.value)
        ratios.append(units[name].total() / bounds.units.value)
    report.result(LIMIT, max(ratios))
