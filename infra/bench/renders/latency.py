"""Benchmark: a warm sync render through the whole service, compared with the bare browser.

The 40-line invoice over HTTP with a live key, binary and tagged, in turn with `setDocumentContent`
and `printToPDF` of the same document in one reused page of a second browser. After each a pause
lets the service prepare the next page.
"""

import json
from typing import Final

from infra.bench.documents import print_options, render_request
from infra.bench.parts import Parts
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, run_in_turns, stopwatch

LIMIT: Final = Limit(2.5)
FULL: Final = Rounds(50, warm_up=5, pause_s=0.25)
SMOKE: Final = Rounds(1, warm_up=0)
_BARE: Final = "bare browser"
_SERVED: Final = "Platen over HTTP"


def measure(parts: Parts, report: Report, size: Rounds) -> None:
    """Print the table and the ratio."""
    body = render_request()
    html, options = body["input"]["html"], print_options(body)
    payload = json.dumps(body).encode()
    client, browser = parts.client(), parts.browser
    page = browser.page()

    def render() -> None:
        pdf = client.render(payload)
        assert pdf.startswith(b"%PDF-"), pdf[:200]

    ways = {
        _BARE: stopwatch(lambda: browser.print_document(page, html, options)),
        _SERVED: stopwatch(render),
    }
    times = run_in_turns(ways, size)
    times.show(report, "latency, ms")
    report.result(LIMIT, times.ratio(_SERVED, _BARE))
