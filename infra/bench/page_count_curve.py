"""Benchmark: 10, 100 and 1 000 pages through the whole service, compared with the bare browser.

`make bench NAME=curve`: tagged pages of a report with cards, a paragraph and a table, without
finishing; a render over HTTP with a live key and delivery `url`. The time ends with the response,
which has the file's URL. In turn with `setDocumentContent` + `printToPDF` of the same document in
one reused page of a second browser. A thousand pages exceed the sync timeout, so they are rendered
async and polled. Also printed: the time until the file is fetched, and the peak memory of all
processes of the service, or of the bare browser, during one more render.

A thousand pages fit into the memory limit of a render (1.5 GB, decision 19) if each takes at most
1.3 MB; tables alone take 3.7 MB per page.
"""

import io
import json
import statistics
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import pikepdf
import psutil

from infra.bench.bare_browser import BareBrowser
from infra.bench.latency import BenchClient, fetch_file
from infra.bench.load import memory_mb
from infra.local.running_stack import RunningStack, running_stack

LIMIT: Final = 1.3
# Rounds after one warm-up, by number of pages.
ROUNDS: Final = {10: 20, 100: 6, 1000: 1}
# More pages exceed the sync timeout.
_MAX_SYNC_PAGES: Final = 100
_PAUSE_S: Final = 0.25
_SAMPLE_S: Final = 0.05
_INCH: Final = 25.4
_OPTIONS: Final = {
    "paperWidth": 210 / _INCH,
    "paperHeight": 297 / _INCH,
    **{f"margin{side}": 10 / _INCH for side in ("Top", "Right", "Bottom", "Left")},
    "printBackground": True,
    "preferCSSPageSize": True,
    "generateTaggedPDF": True,
}
_CARDS: Final = 6
_ROWS: Final = 6
_SENTENCE: Final = (
    "Of all that is written down, most is read once and much of it never; what is kept is kept for "
    "the day on which somebody asks for it, and then every page of it has to be there. "
)
_STYLE: Final = (
    "body { font: 9px/1.2 sans-serif } section + section { break-before: page }"
    "main { display: grid; grid-template-columns: 1fr 1fr }"
    "article { box-shadow: 0 1px 4px #0005; border-radius: 4px; padding: 4px; margin: 4px }"
    "table { border-collapse: collapse; width: 100% } th, td { padding: 1px 4px; text-align: left }"
)


def main() -> int:
    """Print the table and the ratios; 1 when one is over the limit."""
    _print_row(
        "curve", "bare, ms", "Platen, ms", "fetched", "ratio", "KB", "bare, MB", "Platen, MB"
    )
    ratios = []
    with running_stack() as stack, BareBrowser() as browser:
        for pages, rounds in ROUNDS.items():
            bare, served, fetched, size = _median_times(stack, browser, pages, rounds)
            ratios.append(served / bare)
            memory = _peak_memories(stack, browser, pages)
            _print_row(
                f"{pages} pages",
                *(f"{1000 * seconds:.0f}" for seconds in (bare, served, fetched)),
                f"{ratios[-1]:.2f}",
                f"{size / 1000:.0f}",
                *(f"{megabytes:.0f}" for megabytes in memory),
            )
    _print_row(f"curve: {', '.join(f'{ratio:.2f}' for ratio in ratios)} (limit {LIMIT} each)")
    return int(max(ratios) > LIMIT)


def _median_times(
    stack: RunningStack, browser: BareBrowser, pages: int, rounds: int
) -> tuple[float, float, float, int]:
    """Return the medians of bare, served and fetched time in seconds, and the PDF's bytes."""
    html = _document(pages)
    payload, client, page = _request(html, pages), BenchClient(stack), browser.page()
    bare, served, fetched, size = [], [], [], 0
    for round_number in range(rounds + 1):
        started = time.perf_counter()
        printed = browser.print_document(page, html, _OPTIONS)
        bare_end = time.perf_counter()
        time.sleep(_PAUSE_S)
        sent = time.perf_counter()
        url = client.render_to_url(payload)
        answered = time.perf_counter()
        pdf = fetch_file(url)
        fetch_end = time.perf_counter()
        assert _page_count(pdf) == _page_count(printed) == pages, (
            _page_count(pdf),
            _page_count(printed),
        )
        time.sleep(_PAUSE_S)
        size = len(pdf)
        if round_number:
            bare.append(bare_end - started)
            served.append(answered - sent)
            fetched.append(fetch_end - sent)
    return statistics.median(bare), statistics.median(served), statistics.median(fetched), size


def _peak_memories(stack: RunningStack, browser: BareBrowser, pages: int) -> tuple[float, float]:
    """Return the peak memory in MB of bare browser and service during one render each."""
    html = _document(pages)
    payload, client, page = _request(html, pages), BenchClient(stack), browser.page()
    bare = _peak_mb(browser.pid, lambda: browser.print_document(page, html, _OPTIONS))
    return bare, _peak_mb(stack.pid, lambda: client.render_to_url(payload))


def _peak_mb(pid: int, work: Callable[[], object]) -> float:
    process, peak_mb, done = psutil.Process(pid), [0.0], threading.Event()

    def sample() -> None:
        while not done.wait(_SAMPLE_S):
            peak_mb[0] = max(peak_mb[0], memory_mb(process))

    sampling = threading.Thread(target=sample)
    sampling.start()
    try:
        work()
    finally:
        done.set()
        sampling.join()
    return max(peak_mb[0], memory_mb(process))


def _document(pages: int) -> str:
    """Return the document; with a thousand pages it just fits into a request body."""
    sections = "".join(map(_section, range(1, pages + 1)))
    head = f"<title>Curve</title><style>{_STYLE}</style>"
    return f"<!doctype html><html lang=en>{head}<body>{sections}"


def _section(number: int) -> str:
    cards = "".join(
        f"<article><h3>{number}.{card}</h3><p>{_SENTENCE * 2}</article>" for card in range(_CARDS)
    )
    rows = "".join(
        f"<tr><td>{number}.{row}<td>Item {row}<td>What it is<td>{row}.50<td>EUR"
        for row in range(_ROWS)
    )
    head = "<thead><tr><th>No.<th>Item<th>What<th>Price<th>In</thead>"
    return (
        f"<section><h2>Part {number}</h2><p>{number}. {_SENTENCE}<main>{cards}</main>"
        f"<table>{head}{rows}</table></section>"
    )


def _request(html: str, pages: int) -> bytes:
    body: dict[str, Any] = {
        "mode": "sync" if pages <= _MAX_SYNC_PAGES else "async",
        "input": {"type": "html", "html": html},
        "output": {"wait": {"timeout_ms": 60_000}},
        "delivery": {"type": "url"},
    }
    return json.dumps(body).encode()


def _page_count(pdf: bytes) -> int:
    with pikepdf.open(io.BytesIO(pdf)) as document:
        return len(document.pages)


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(14) + "".join(cell.rjust(12) for cell in rest) + "\n")
    sys.stdout.flush()
