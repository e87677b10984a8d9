"""Benchmark: the tool `merge`, compared with the page imports of bare libraries.

`make bench NAME=merge`: 500 tagged files of one page are merged, bytes to bytes, by the tool in its
confined process, in turn with pikepdf and pypdfium2 in this one. The libraries take over the pages
only; the tool also joins tags, outlines, names and forms. The ratio is the median over the rounds,
to the faster library of each.

Alone, the merge by text takes four times as long as pypdfium2, which leaves out the tags: of 36 KB
of an invoice, 20 are the texts of 160 elements. They are checked, renumbered and placed in some
thirty passes, and each takes a tenth of pypdfium2's time and more.
"""

import io
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final

import pikepdf
import pypdfium2

from chalicelib.contract.options.pdf_tools import MergeOptions, PdfSource
from chalicelib.engine.job import JobContext, PdfToolJob
from chalicelib.engine.pdf_tools.run.tool_engine import PdfToolEngine, tool_worker
from chalicelib.engine.ports import NoEgress
from chalicelib.engine.templating.worker import TemplateWorker
from infra.bench.bare_browser import BareBrowser
from infra.setup.steps import INSTALL_DIR

LIMIT: Final = 1.5
FILES: Final = 500
ROUNDS: Final = 5
_DISTINCT: Final = 25
_TIMEOUT_S: Final = 300.0
_PRINT: Final = {"printBackground": True, "generateTaggedPDF": True}


def main() -> int:
    """Print the table and the ratio; 1 when it is over its limit."""
    files = _files()
    worker, templates = tool_worker(str(INSTALL_DIR / "fonts")), TemplateWorker()
    engine = PdfToolEngine(NoEgress(), worker, templates)
    ways: dict[str, Callable[[Sequence[bytes]], bytes]] = {
        "tool": lambda contents: _merge(engine, contents),
        "pikepdf": _pikepdf,
        "pypdfium2": _pypdfium2,
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    sizes: dict[str, int] = {}
    try:
        for round_number in range(ROUNDS + 1):
            for name, way in ways.items():
                started = time.perf_counter()
                merged = way(files)
                spent = time.perf_counter() - started
                sizes[name] = len(merged)
                if round_number:
                    times[name].append(spent)
    finally:
        engine.close()
    ratio = statistics.median(
        tool / min(one, other)
        for tool, one, other in zip(
            times["tool"], times["pikepdf"], times["pypdfium2"], strict=True
        )
    )
    for name, values in times.items():
        shown = f"{1000 * statistics.median(values):.0f} ms, {sizes[name] / 1000:.0f} KB"
        sys.stdout.write(f"{name:<12}{shown}\n")
    source_bytes = sum(map(len, files)) / 1000
    sys.stdout.write(f"{FILES} files of {source_bytes:.0f} KB together\n")
    sys.stdout.write(f"merge: {ratio:.2f} (limit {LIMIT})\n")
    return int(ratio > LIMIT)


def _files() -> list[bytes]:
    with BareBrowser() as browser:
        page = browser.page()
        printed = []
        for number in range(_DISTINCT):
            browser.load(page, _document(number))
            printed.append(browser.print(page, _PRINT))
    return [printed[number % _DISTINCT] for number in range(FILES)]


def _document(number: int) -> str:
    rows = "".join(f"<tr><td>{row}<td>Item {row}<td>{row}.50" for row in range(20))
    return (
        f"<!doctype html><html lang=en><title>Invoice {number}</title><h1>Invoice {number}</h1>"
        f"<p>For what was delivered.<table><tr><th>No.<th>Item<th>Price{rows}</table>"
    )


def _merge(engine: PdfToolEngine, contents: Sequence[bytes]) -> bytes:
    # Given by reference, as uploads are: nobody reads base64 meanwhile.
    sources = tuple(PdfSource(upload_id=str(number)) for number in range(len(contents)))
    job = PdfToolJob(MergeOptions(), sources, max_pages=FILES)
    context = JobContext(time.time() + _TIMEOUT_S, lambda name: contents[int(name)])
    return engine.run(job, context).files[0].content


def _pikepdf(contents: Sequence[bytes]) -> bytes:
    target = io.BytesIO()
    with pikepdf.new() as merged:
        for content in contents:
            with pikepdf.open(io.BytesIO(content)) as source:
                merged.pages.extend(source.pages)
        merged.save(target)
    return target.getvalue()


def _pypdfium2(contents: Sequence[bytes]) -> bytes:
    target = io.BytesIO()
    merged = pypdfium2.PdfDocument.new()
    for content in contents:
        source = pypdfium2.PdfDocument(content)
        merged.import_pages(source)
        source.close()
    merged.save(target)
    merged.close()
    return target.getvalue()
