"""Benchmark: a hybrid e-invoice, compared with the same without validation (decision 23).

PDF/A-3b and EN 16931 of an invoice of two pages, over HTTP with a live key, then the same with
PDF/UA-1 as well; all validators are warm. Nothing else happens while the validators are asked, so
the reference of each render is its own time without that stage (`validate_ms`).
"""

import json
import statistics
from collections.abc import Mapping
from typing import Any, Final

from infra.bench.client import BenchClient
from infra.bench.documents import invoice_json, invoice_page
from infra.bench.parts import Parts
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, run_in_turns, stopwatch

LIMIT: Final = Limit(3.0)
BOTH_LIMIT: Final = Limit(4.5)
FULL: Final = Rounds(20, warm_up=5, pause_s=0.3)
SMOKE: Final = Rounds(1, warm_up=0)
_PAGES: Final = 2
_ONE: Final = "PDF/A-3b, EN 16931"
_BOTH: Final = "and PDF/UA-1"
_PDF_OPTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    _ONE: {"pdfa": "3b"},
    _BOTH: {"pdfa": "3b", "pdfua": True},
}


def measure(parts: Parts, report: Report, size: Rounds) -> None:
    """Print the table and the ratios."""
    client = parts.client()
    hybrids = {name: _Hybrid(client, options) for name, options in _PDF_OPTIONS.items()}
    for hybrid in hybrids.values():
        hybrid.warm_up()
    times = run_in_turns({name: stopwatch(each.render) for name, each in hybrids.items()}, size)
    stages = [name for name in hybrids[_ONE].timings[0] if name.endswith("_ms")]
    report.row("conformance, ms p50", *(stage.removesuffix("_ms") for stage in stages), "answer")
    ratios = []
    for name, hybrid in hybrids.items():
        timings = hybrid.timings[-size.measured :]
        medians = [statistics.median(each[stage] or 0 for each in timings) for stage in stages]
        report.row(name, *(f"{ms:.0f}" for ms in (*medians, times.median_ms(name))))
        ratios.append(
            statistics.median(
                1000 * seconds / (1000 * seconds - each["validate_ms"])
                for seconds, each in zip(times.seconds[name], timings, strict=True)
            )
        )
    report.check(_BOTH, BOTH_LIMIT, ratios[1])
    report.result(LIMIT, ratios[0])


class _Hybrid:
    """E-invoice in a PDF, rendered again and again."""

    def __init__(self, client: BenchClient, pdf_options: Mapping[str, Any]) -> None:
        self.timings: list[Mapping[str, Any]] = []
        self._client = client
        self._body = {
            "input": {"type": "html", "html": invoice_page()},
            "output": {
                "einvoice": {"profile": "EN16931", "invoice": invoice_json()},
                "pdf": pdf_options,
            },
            "delivery": {"type": "url"},
        }

    def warm_up(self) -> None:
        """Render async, which waits for the start of the validators as long as it takes."""
        self._client.render_to_end(json.dumps({**self._body, "mode": "async"}).encode())

    def render(self) -> None:
        """Render, and keep the timings."""
        render = self._client.post("/v1/renders", self._body)
        report = render["result"]["conformance"]
        assert {part["status"] for part in report.values()} == {"passed"}, report
        assert render["files"][0]["pages"] == _PAGES, render
        self.timings.append(render["timings"])
