"""Benchmark: items of a batch through the whole service, compared with bare browsers.

A batch of the one-page example, the payslip, with a live key of a workspace on the plan `scale`.
Measured are its items per second, from the request that creates it to its final status, divided by
the pages per second of bare loops. A loop prints the document of the same template and data into
one page that it reuses; there are as many loops as cores, before and after in the same run.

An item takes 52 ms of processor time outside the browser, a bare page 18 in all: each item has a
message, two invocations, a claim, a final transaction, an event and a relay of its own. So two
cores reach 0.17 of the bare rate, and the limit watches that it does not become less.
"""

import time
from typing import Any, Final, NamedTuple

from jinja2 import Environment

from infra.bench.bare_loops import BareLoops
from infra.bench.client import BenchClient, fetch_file
from infra.bench.documents import print_options
from infra.bench.parts import Parts
from infra.bench.processes import usage_by_part
from infra.bench.report import Limit, Report
from infra.local.examples import example_data, render_body, template_body

LIMIT: Final = Limit(0.15, at_least=True)
_EXAMPLE: Final = "payslip"
# From its options.
_MARGINS_MM: Final = {"Top": 18, "Right": 20, "Bottom": 24, "Left": 20}
_POLL_S: Final = 0.25
_TIMEOUT_S: Final = 1_800.0


class Size(NamedTuple):
    """Items before and while it is measured, and the seconds of a bare loop."""

    warm_up: int
    items: int
    bare_s: float


FULL: Final = Size(warm_up=50, items=2_000, bare_s=10.0)
SMOKE: Final = Size(warm_up=1, items=2, bare_s=0.1)


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print the table and the ratio."""
    client, pid = parts.client(), parts.stack.pid
    template_id = client.post("/v1/templates", template_body(_EXAMPLE))["id"]
    html, options = _document(client, template_id)
    loops = BareLoops(html, options, size.bare_s, is_fresh=False)
    before = loops.run()
    _run_batch(client, template_id, size.warm_up)
    used_before = usage_by_part(pid)
    seconds = _run_batch(client, template_id, size.items)
    used = usage_by_part(pid)
    after = loops.run()
    bare, rate = (before.rate + after.rate) / 2, size.items / seconds
    spent_ms = {
        part: 1000 * (usage.processor_s - used_before[part].processor_s) / size.items
        for part, usage in used.items()
    }
    report.row(f"batch of {size.items} items", "a second", "before", "after")
    report.row("bare pages", bare, before.rate, after.rate)
    report.row("items", rate)
    report.row("processor time of an item", "ms")
    report.row("  bare page", 500 * (before.processor_s + after.processor_s))
    for part in sorted(spent_ms, key=spent_ms.__getitem__, reverse=True):
        report.row(f"  {part}", spent_ms[part])
    report.row("  all", sum(spent_ms.values()))
    report.result(LIMIT, rate / bare)


def _document(client: BenchClient, template_id: str) -> tuple[str, dict[str, Any]]:
    """Return the example's document as the service makes it, and how a page prints it."""
    body = render_body(_EXAMPLE, template_id) | {"output": {"formats": ["html"]}}
    file = client.post("/v1/renders", body)["files"][0]
    footer = Environment(autoescape=True).from_string(template_body(_EXAMPLE)["footer"])
    parts = {"header": {"html": "<span></span>"}, "footer": {"html": footer.render(body["data"])}}
    margins = {f"margin{side}": mm / 25.4 for side, mm in _MARGINS_MM.items()}
    return fetch_file(file["url"]).decode(), print_options({"output": {"pdf": parts}}) | margins


def _run_batch(client: BenchClient, template_id: str, count: int) -> float:
    """Return the seconds from the creation of a batch to its end; all its items must succeed."""
    body = {"template_id": template_id, "items": [{"data": example_data(_EXAMPLE)}] * count}
    started = time.perf_counter()
    batch = client.post("/v1/batches", body)
    while batch["status"] in {"queued", "processing"}:
        assert time.perf_counter() - started < _TIMEOUT_S, batch
        time.sleep(_POLL_S)
        batch = client.get(f"/v1/batches/{batch['id']}")
    assert batch["succeeded"] == count, batch
    return time.perf_counter() - started
