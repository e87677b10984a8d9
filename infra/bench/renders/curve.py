"""Benchmark: 10, 100 and 1 000 pages through the whole service, compared with the bare browser.

Tagged pages of a report with cards, a paragraph and a table, without finishing; a render over HTTP
with a live key and delivery `url`. The time ends with the response, which has the file's URL. In
turn with the bare printing of the same document in one reused page of a second browser. A thousand
pages exceed the sync timeout, so they are rendered async and polled. Also printed: the time until
the file is fetched, and the peak memory of all processes of the service, or of the bare browser,
during one more render.

A thousand pages fit into the memory limit of a render (1.5 GB, decision 19) if each takes at most
1.3 MB; tables alone take 3.7 MB per page.
"""

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from infra.bench.client import fetch_file
from infra.bench.documents import PRINT_OPTIONS, page_count
from infra.bench.parts import Parts
from infra.bench.processes import memory_mb
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, Times, run_in_turns, stopwatch

LIMIT: Final = Limit(1.3)
# Rounds by number of pages.
FULL: Final = {
    10: Rounds(20, pause_s=0.25),
    100: Rounds(6, pause_s=0.25),
    1000: Rounds(1, pause_s=0.25),
}
SMOKE: Final = {2: Rounds(1, warm_up=0)}
# More pages exceed the sync timeout.
_MAX_SYNC_PAGES: Final = 100
_SAMPLE_S: Final = 0.05
_BARE: Final = "bare browser"
_ANSWERED: Final = "answered"
_FETCHED: Final = "fetched"
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


def measure(parts: Parts, report: Report, size: Mapping[int, Rounds]) -> None:
    """Print the table and the ratios."""
    report.row("curve", "bare, ms", "Platen, ms", "fetched", "ratio", "bare, MB", "Platen, MB")
    ratios = []
    for pages, rounds in size.items():
        curve = _Curve(parts, pages)
        times = curve.times(rounds)
        ratios.append(times.ratio(_ANSWERED, _BARE))
        medians = map(times.median_ms, (_BARE, _ANSWERED, _FETCHED))
        report.row(f"{pages} pages", *medians, ratios[-1], *curve.peaks_mb())
    report.result(LIMIT, *ratios)


class _Curve:
    """Document of so many pages, printed both ways."""

    def __init__(self, parts: Parts, pages: int) -> None:
        self._stack, self._browser, self._pages = parts.stack, parts.browser, pages
        self._client, self._page = parts.client(), parts.browser.page()
        self._html = _document(pages)
        self._payload = _request(self._html, pages)
        self._url, self._printed, self._served = "", b"", b""

    def times(self, rounds: Rounds) -> Times:
        """Return the times of both ways; that of fetching begins with the request."""
        times = run_in_turns(
            {
                _BARE: stopwatch(self._print),
                _ANSWERED: stopwatch(self._render),
                _FETCHED: stopwatch(self._fetch),
            },
            rounds,
        )
        counts = page_count(self._printed), page_count(self._served)
        assert counts == (self._pages, self._pages), counts
        pairs = zip(times.seconds[_ANSWERED], times.seconds[_FETCHED], strict=True)
        return Times({**times.seconds, _FETCHED: [sum(pair) for pair in pairs]})

    def peaks_mb(self) -> tuple[float, float]:
        """Return the peak memory of bare browser and service during one render each."""
        return _peak_mb(self._browser.pid, self._print), _peak_mb(self._stack.pid, self._render)

    def _print(self) -> None:
        self._printed = self._browser.print_document(self._page, self._html, PRINT_OPTIONS)

    def _render(self) -> None:
        self._url = self._client.render_to_end(self._payload)["files"][0]["url"]

    def _fetch(self) -> None:
        self._served = fetch_file(self._url)


def _peak_mb(pid: int, work: Callable[[], object]) -> float:
    peak_mb, done = 0.0, threading.Event()

    def sample() -> None:
        nonlocal peak_mb
        while not done.wait(_SAMPLE_S):
            peak_mb = max(peak_mb, memory_mb(pid))

    sampling = threading.Thread(target=sample)
    sampling.start()
    try:
        work()
    finally:
        done.set()
        sampling.join()
    return max(peak_mb, memory_mb(pid))


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
