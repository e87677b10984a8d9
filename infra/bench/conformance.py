"""Benchmark: cost of validation for a hybrid e-invoice of two pages and ten lines (decision 23).

`make bench NAME=conformance`: PDF/A-3b and EN 16931 with validation, over HTTP with a live key; in
turn with the same hybrid from a second stack whose validators are switched off. Then the same with
PDF/UA-1 as well. All validators are warm. The stages of both are printed as well.
"""

import json
import statistics
import sys
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from infra.bench.documents import invoice_json, invoice_page
from infra.bench.latency import BenchClient
from infra.local.running_stack import running_stack

LIMITS: Final = MappingProxyType({"PDF/A-3b, EN 16931": 3.0, "and PDF/UA-1": 4.5})
ROUNDS: Final = 20
_WARM_UP: Final = 5
_PAUSE_S: Final = 0.3
_PAGES: Final = 2
_PDF_OPTIONS: Final = MappingProxyType(
    {
        "PDF/A-3b, EN 16931": {"pdfa": "3b"},
        "and PDF/UA-1": {"pdfa": "3b", "pdfua": True},
    }
)

# For each round: milliseconds until the response, and the timings in it.
type _Times = dict[tuple[str, str], list[tuple[float, Mapping[str, Any]]]]


def main() -> int:
    """Print the table and the ratios; 1 when one is over its limit."""
    times: _Times = {
        (way, status): [] for way in _PDF_OPTIONS for status in ("unavailable", "passed")
    }
    with running_stack(PLATEN_LOCAL_VALIDATORS="off") as without, running_stack() as stack:
        clients = {"unavailable": BenchClient(without), "passed": BenchClient(stack)}
        for round_number in range(-_WARM_UP, ROUNDS):
            for way, status in times:
                measured = _timed_render(clients[status], way, status)
                if round_number >= 0:
                    times[way, status].append(measured)
                time.sleep(_PAUSE_S)
    return _report(times)


def _timed_render(client: BenchClient, way: str, status: str) -> tuple[float, Mapping[str, Any]]:
    started = time.perf_counter()
    render = json.loads(client.render(_payload(way)))
    milliseconds = 1000 * (time.perf_counter() - started)
    report = render["result"]["conformance"]
    assert {part["status"] for part in report.values()} == {status}, report
    assert render["files"][0]["pages"] == _PAGES, render
    return milliseconds, render["timings"]


def _payload(way: str) -> bytes:
    spec = {"profile": "EN16931", "invoice": invoice_json()}
    body = {
        "input": {"type": "html", "html": invoice_page()},
        "output": {"einvoice": spec, "pdf": _PDF_OPTIONS[way]},
        "delivery": {"type": "url"},
    }
    return json.dumps(body).encode()


def _report(times: _Times) -> int:
    stages = [name for name in times[next(iter(times))][0][1] if name.endswith("_ms")]
    stages = list(dict.fromkeys([*stages, "validate_ms"]))
    _print_row("conformance, ms p50", *(stage.removesuffix("_ms") for stage in stages), "answer")
    for (way, status), rounds in times.items():
        medians = [
            statistics.median([timings.get(stage) or 0 for _, timings in rounds])
            for stage in stages
        ]
        answered = statistics.median(milliseconds for milliseconds, _ in rounds)
        name = way + (", off" if status == "unavailable" else "")
        _print_row(name, *(f"{milliseconds:.0f}" for milliseconds in (*medians, answered)))
    ratios = [_ratio(times, way) for way in _PDF_OPTIONS]
    _print_row(f"conformance: {', '.join(f'{ratio:.2f}' for ratio in ratios)} (limit 3.0, 4.5)")
    return int(any(ratio > limit for ratio, limit in zip(ratios, LIMITS.values(), strict=True)))


def _ratio(times: _Times, way: str) -> float:
    # The median of the ratios of each round, within which the load of the machine is similar.
    pairs = zip(times[way, "passed"], times[way, "unavailable"], strict=True)
    return statistics.median(ours[0] / bare[0] for ours, bare in pairs)


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(24) + "".join(cell.rjust(10) for cell in rest) + "\n")
