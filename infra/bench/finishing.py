"""Benchmark: finishing to PDF/A-3b and PDF/UA-1 with an embedded invoice, compared with printing.

`make bench NAME=finishing`: a tagged print of 2, 25 and 250 pages is finished to all three, in this
process or in its own as renders are (decision 19). The reference is the bare printing of the same
document, `setDocumentContent` + `printToPDF` as in the other benchmarks. A page has a heading, a
paragraph with a link, a list and a table of 30 rows. Also printed: the ratio to `printToPDF` alone.
"""

import statistics
import sys
import time
from types import MappingProxyType
from typing import Any, Final

from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.json import JsonObject
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.einvoice.prepare import EInvoiceInput, prepare_invoice
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.finishing.finisher import FinishingContext, InvoiceFile
from chalicelib.engine.formats import format_by_name
from chalicelib.engine.formats.finish_in_process import finish_file
from chalicelib.engine.render_trace import TraceRecorder
from infra.bench.bare_browser import BareBrowser
from infra.bench.documents import invoice_json

# Limit of the ratio, and rounds after one warm-up, by number of pages.
LIMITS: Final = MappingProxyType({2: 0.5, 25: 0.7, 250: 0.8})
ROUNDS: Final = MappingProxyType({2: 30, 25: 10, 250: 3})
_ROWS: Final = 30
_SENTENCE: Final = "What is written down is kept for the day on which somebody asks for all of it. "
_STYLE: Final = (
    "body { font: 11px/1.3 sans-serif } section + section { break-before: page }"
    "table { border-collapse: collapse; width: 100% } th { background: #dde }"
    "th, td { border: 1px solid #999; padding: 2px 4px; text-align: left }"
)
_INCH: Final = 25.4
_OPTIONS: Final = MappingProxyType(
    {
        "paperWidth": 210 / _INCH,
        "paperHeight": 297 / _INCH,
        **{f"margin{side}": 10 / _INCH for side in ("Top", "Right", "Bottom", "Left")},
        "printBackground": True,
        "preferCSSPageSize": True,
        "generateTaggedPDF": True,
    }
)
_TIMEOUT_S: Final = 300.0
_OUTPUT: Final[JsonObject] = MappingProxyType(
    {"pdf": {"pdfa": "3b", "pdfua": True, "tagged": True}}
)

# Seconds of loading, printing and finishing in one round.
type _Times = tuple[float, float, float]


def main() -> int:
    """Print the table and the ratios; 1 when one is over its limit."""
    _print_row(
        "finishing, ms p50", *("load", "print", "finish", "to print", "ratio", "limit"), "KB", "KB"
    )
    ratios = []
    with BareBrowser() as browser:
        for pages, limit in LIMITS.items():
            rounds, sizes = _measure(browser, pages)
            ratios.append(statistics.median(done / (load + bare) for load, bare, done in rounds))
            print_ratio = statistics.median(done / bare for _, bare, done in rounds)
            medians = [1000 * statistics.median(times) for times in zip(*rounds, strict=True)]
            _print_row(
                f"{pages} pages",
                *(f"{milliseconds:.1f}" for milliseconds in medians),
                *(f"{ratio:.2f}" for ratio in (print_ratio, ratios[-1], limit)),
                *(f"{size / 1000:.0f}" for size in sizes),
            )
    _print_row(f"finishing: {', '.join(f'{ratio:.2f}' for ratio in ratios)} (limit 0.5, 0.7, 0.8)")
    return int(any(ratio > limit for ratio, limit in zip(ratios, LIMITS.values(), strict=True)))


def _measure(browser: BareBrowser, pages: int) -> tuple[list[_Times], tuple[int, int]]:
    """Return the times of each round, and the bytes of the print and of the finished file."""
    html, pdf_format = _document(pages), format_by_name("pdf")
    page, context = browser.page(), _finishing_context()
    rounds, sizes = [], (0, 0)
    for round_number in range(ROUNDS[pages] + 1):
        started = time.perf_counter()
        browser.load(page, html)
        loaded = time.perf_counter()
        pdf = browser.print(page, _OPTIONS)
        printed = time.perf_counter()
        file = finish_file(pdf_format, pdf, context, Deadline.after(_TIMEOUT_S))
        finished = time.perf_counter()
        assert file.pages == pages, file.pages
        sizes = len(pdf), len(file.content)
        if round_number:
            rounds.append((loaded - started, printed - loaded, finished - printed))
    return rounds, sizes


def _document(pages: int) -> str:
    sections = "".join(map(_section, range(1, pages + 1)))
    head = f"<title>Parts</title><style>{_STYLE}</style>"
    return f"<!doctype html><html lang=en>{head}<body><h1>Parts</h1>{sections}"


def _section(number: int) -> str:
    rows = "".join(
        f"<tr><td>{number}.{row}<td>Item {row}<td>What it is<td>{row}.50<td>EUR"
        for row in range(_ROWS)
    )
    link = f'<a href="https://parts.example/{number}">Part {number} in the catalogue</a>'
    return (
        f"<section><h2>Part {number}</h2><p>{_SENTENCE * 3}{link}</p>"
        "<ul><li>in stock<li>sold by the <strong>dozen</strong><li>sent within a day</ul>"
        "<table><thead><tr><th>No.<th>Item<th>What<th>Price<th>In</thead>"
        f"{rows}</table></section>"
    )


def _finishing_context() -> FinishingContext:
    profile = PROFILES["EN16931"]
    invoice_input = EInvoiceInput(
        profile=profile, syntax="cii", source=invoice_json(), findings_root="invoice"
    )
    file = InvoiceFile(
        prepare_invoice(invoice_input).to_xml(),
        profile.embedded_filename,
        profile.af_relationship,
        profile.xmp_level,
        profile.xmp_version,
    )
    return FinishingContext(
        OutputOptions.from_json(_OUTPUT),
        resources={},
        test=False,
        recorder=TraceRecorder(),
        run_on_fresh_page=_refuse_page,
        invoice_file=file,
    )


def _refuse_page(work: Any) -> Any:
    raise AssertionError(work)


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(18) + "".join(cell.rjust(10) for cell in rest) + "\n")
