"""Benchmark: a table of 1 000 rows, compared with the bare browser (decision 25).

`make bench NAME=table`: about 25 tagged pages without finishing, delivery `url`; in turn with the
bare printing of the same document. The time ends with the response, which has the file's URL. The
ratio is the median over the rounds, as the load of the machine is similar within one. Also
printed: the time until the file is fetched, the bare browser with a fresh context prepared ahead
as in the service, the same untagged, and with a first header, which is printed apart and overlaid.

Then the bytes of each file beside those that the browser printed, and what packing them (decision
53) adds to the time of the tagged one: it is packed here again, and that time taken off.
"""

import io
import json
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pikepdf

from chalicelib.engine.finishing.chromium_pdf import cross_reference_table
from chalicelib.engine.finishing.pack_pdf import pack_objects
from infra.bench.bare_browser import BareBrowser
from infra.bench.latency import BenchClient, fetch_file
from infra.local.running_stack import running_stack

LIMIT: Final = 1.2
SIZE_LIMIT: Final = 0.2
PACKING_LIMIT: Final = 1.15
OVERLAY_LIMIT: Final = 1.9
ROUNDS: Final = 15
_WARM_UP: Final = 2
# Meanwhile the next page is prepared and warmed up: 0.25 s on a calm machine.
_PAUSE_S: Final = 0.6
_MARGIN_IN: Final = 10 / 25.4
_HEADINGS: Final = ("No.", "Item", "Quantity", "Price", "Amount")
_CELLS: Final = ("{0}", "Description of the {0}th item", "{0}.5", "{0}.50", "{0}.75")
_STYLE: Final = (
    "table { border-collapse: collapse; width: 100% } td, th { border: 1px solid; padding: 3px }"
)
_HEADER: Final = {"enabled": True, "left": "Items", "right": "{{ page }} / {{ pages }}"}
_VARIANTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "tagged": {"tagged": True},
    "untagged": {"tagged": False},
    "first header stamped": {
        "tagged": True,
        "header": _HEADER,
        "first_header": {"enabled": True, "center": "All items"},
    },
}
_LIMITS: Final = {"tagged": LIMIT, "first header stamped": OVERLAY_LIMIT}

# Milliseconds: bare browser, the same in a fresh context, until the response, until the download,
# and packing alone.
type _Times = tuple[list[float], list[float], list[float], list[float], list[float]]
# Bytes as the browser printed them, and of the file.
type _Sizes = tuple[int, int]


def main() -> int:
    """Print the table and the ratios; 1 when one is over its limit."""
    html = _document(1000)
    times: dict[str, _Times] = {way: ([], [], [], [], []) for way in _VARIANTS}
    sizes: dict[str, _Sizes] = {}
    pages = 0
    with running_stack() as stack, BareBrowser() as browser:
        client, page = BenchClient(stack), browser.page()
        for round_number in range(-_WARM_UP, ROUNDS):
            for way, options in _VARIANTS.items():
                bare, printed = _print_bare(browser, page, html, options)
                fresh = _print_in_fresh_context(browser, html, options)
                started = time.perf_counter()
                url = client.render_to_url(_request(html, options))
                answered = time.perf_counter() - started
                pdf = fetch_file(url)
                fetched = time.perf_counter() - started
                time.sleep(_PAUSE_S)
                pages = _page_count(pdf)
                assert pages == _page_count(printed), way
                if round_number >= 0:
                    sizes[way] = len(printed), len(pdf)
                    row = bare, fresh, answered, fetched, _packing_time(printed)
                    for column, seconds in zip(times[way], row, strict=True):
                        column.append(1000 * seconds)
    return _report(times, sizes, pages)


def _print_bare(
    browser: BareBrowser, page: str, html: str, options: Mapping[str, Any]
) -> tuple[float, bytes]:
    started = time.perf_counter()
    printed = browser.print_document(page, html, _print_options(options))
    seconds = time.perf_counter() - started
    time.sleep(_PAUSE_S)
    return seconds, printed


def _print_in_fresh_context(browser: BareBrowser, html: str, options: Mapping[str, Any]) -> float:
    context = browser.call("Target.createBrowserContext")["browserContextId"]
    page = browser.page(context)
    time.sleep(_PAUSE_S)
    seconds, _ = _print_bare(browser, page, html, options)
    browser.call("Target.disposeBrowserContext", browserContextId=context)
    return seconds


def _packing_time(printed: bytes) -> float:
    started = time.perf_counter()
    pack_objects(printed, cross_reference_table(printed))
    return time.perf_counter() - started


def _report(times: Mapping[str, _Times], sizes: Mapping[str, _Sizes], pages: int) -> int:
    ratios = {way: _ratio(columns[0], columns[2]) for way, columns in times.items()}
    names = "bare p50", "fresh p50", "Platen p50", "fetched", "packing", "ratio", "limit"
    _print_row(f"table of {pages} pages, ms", *names)
    for way, columns in times.items():
        medians = [f"{statistics.median(column):.0f}" for column in columns]
        _print_row(way, *medians, f"{ratios[way]:.2f}", str(_LIMITS.get(way, "-")))
    _print_row("KB", "printed", "file", "ratio")
    for way, (printed, finished) in sizes.items():
        kilobytes = f"{printed / 1000:.0f}", f"{finished / 1000:.0f}"
        _print_row(way, *kilobytes, f"{finished / printed:.2f}")
    _, _, answered, _, packing = times["tagged"]
    slower = _ratio([all_ - own for all_, own in zip(answered, packing, strict=True)], answered)
    size = sizes["tagged"][1] / sizes["tagged"][0]
    _print_row(f"packing, size: {size:.2f} (limit {SIZE_LIMIT})")
    _print_row(f"packing, time: {slower:.2f} (limit {PACKING_LIMIT})")
    _print_row(f"table: {ratios['tagged']:.2f} (limit {LIMIT})")
    is_too_slow = any(ratios[way] > limit for way, limit in _LIMITS.items())
    return int(is_too_slow or size > SIZE_LIMIT or slower > PACKING_LIMIT)


def _ratio(bare: Sequence[float], answered: Sequence[float]) -> float:
    pairs = zip(bare, answered, strict=True)
    return statistics.median(platen / reference for reference, platen in pairs)


def _document(rows: int) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in _HEADINGS)
    body = "".join(
        f"<tr>{''.join(f'<td>{cell.format(number)}</td>' for cell in _CELLS)}</tr>"
        for number in range(1, rows + 1)
    )
    return (
        f'<!doctype html><html lang="en"><head><title>Items</title><style>{_STYLE}</style></head>'
        f"<body><h1>Items</h1><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _request(html: str, options: Mapping[str, Any]) -> bytes:
    body = {
        "input": {"type": "html", "html": html},
        "output": {"pdf": options},
        "delivery": {"type": "url"},
    }
    return json.dumps(body).encode()


def _print_options(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "paperWidth": 210 / 25.4,
        "paperHeight": 297 / 25.4,
        **{f"margin{side}": _MARGIN_IN for side in ("Top", "Right", "Bottom", "Left")},
        "printBackground": True,
        "preferCSSPageSize": True,
        "generateTaggedPDF": options["tagged"],
    }


def _page_count(content: bytes) -> int:
    with pikepdf.open(io.BytesIO(content)) as document:
        return len(document.pages)


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(26) + "".join(cell.rjust(12) for cell in rest) + "\n")
