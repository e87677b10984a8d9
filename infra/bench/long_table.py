"""A table of 1 000 rows through the whole service, beside the bare browser.

`make bench NAME=table`: about 25 pages, tagged, with nothing to finish, delivered as files
are unless a request says otherwise: the time ends with the answer, which has the file's address; in
turn with the bare printing of the same document. The ratio is the median of those of each turn: a
machine that is slower for a while is so for both. Printed beside it: how long it takes until the
file is fetched as well, how long the bare browser takes in a fresh context made ahead, as every
document has here, the same untagged, and with a first header of its own, which is printed apart and
put on the pages.
"""

import io
import json
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pikepdf

from infra.bench.bare_browser import BareBrowser
from infra.bench.latency import BenchClient, fetch_file
from infra.local.running_stack import running_stack

LIMIT: Final = 1.2
OVERLAY_LIMIT: Final = 1.9
ROUNDS: Final = 15
_WARM_UP: Final = 2
# The next page is made ready meanwhile, with a rehearsal: a quarter of a second on a calm machine.
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
# Of the bare browser, also in a fresh context, until the answer, and until the file is fetched; ms.
type _Times = tuple[list[float], list[float], list[float], list[float]]

_LIMITS: Final = {"tagged": LIMIT, "first header stamped": OVERLAY_LIMIT}


def main() -> int:
    """Print the table and the ratios; 1 when one is over its limit."""
    html = _document(1000)
    times: dict[str, _Times] = {way: ([], [], [], []) for way in _VARIANTS}
    pages = 0
    with running_stack() as stack, BareBrowser() as browser:
        client, page = BenchClient(stack), browser.page()
        for round_number in range(-_WARM_UP, ROUNDS):
            for way, options in _VARIANTS.items():
                bare, printed = _print_bare(browser, page, html, options)
                fresh = _print_in_fresh_context(browser, html, options)
                begun = time.perf_counter()
                address = client.render_to_url(_request(html, options))
                answered = time.perf_counter() - begun
                served = fetch_file(address)
                in_hand = time.perf_counter() - begun
                time.sleep(_PAUSE_S)
                pages = _page_count(served)
                assert pages == _page_count(printed), way
                if round_number >= 0:
                    row = bare, fresh, answered, in_hand
                    for column, seconds in zip(times[way], row, strict=True):
                        column.append(1000 * seconds)
    return _report(times, pages)


def _print_bare(
    browser: BareBrowser, page: str, html: str, options: Mapping[str, Any]
) -> tuple[float, bytes]:
    begun = time.perf_counter()
    printed = browser.print_document(page, html, _print_options(options))
    took = time.perf_counter() - begun
    time.sleep(_PAUSE_S)
    return took, printed


def _print_in_fresh_context(browser: BareBrowser, html: str, options: Mapping[str, Any]) -> float:
    context = browser.call("Target.createBrowserContext")["browserContextId"]
    page = browser.page(context)
    time.sleep(_PAUSE_S)
    took, _ = _print_bare(browser, page, html, options)
    browser.call("Target.disposeBrowserContext", browserContextId=context)
    return took


def _report(times: Mapping[str, _Times], pages: int) -> int:
    ratios = {way: _ratio(bare, answered) for way, (bare, _, answered, _) in times.items()}
    names = "bare p50", "fresh p50", "Platen p50", "fetched", "ratio", "limit"
    _print_row(f"table of {pages} pages, ms", *names)
    for way, columns in times.items():
        medians = [f"{statistics.median(column):.0f}" for column in columns]
        _print_row(way, *medians, f"{ratios[way]:.2f}", str(_LIMITS.get(way, "-")))
    _print_row(f"table: {ratios['tagged']:.2f} (limit {LIMIT})")
    return int(any(ratios[way] > limit for way, limit in _LIMITS.items()))


def _ratio(bare: Sequence[float], answered: Sequence[float]) -> float:
    return statistics.median(ours / theirs for theirs, ours in zip(bare, answered, strict=True))


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
