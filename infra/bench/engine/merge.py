"""Benchmark: the tool `merge`, compared with the page imports of bare libraries (decision 51).

Tagged files of one page are merged, bytes to bytes, by the tool in its confined process, in turn
with pikepdf and pypdfium2 in this one. The libraries take over the pages only; the tool also joins
tags, outlines, names and forms. Measured is processor time; the ratio is to the faster library.

pypdfium2 takes a sixth of the tool's time and drops the tags: of 36 KB of an invoice, 20 are the
texts of 160 elements. The tool takes 1.5 ms a file. In 1.1 of them it checks by a dozen passes over
the text that a stranger's file is as regular as it must be, and then it renumbers and joins texts.
To copy the objects instead takes ten times as long. So the limit is what that comes to.
"""

import io
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import pikepdf
import pypdfium2

from chalicelib.contract.options.pdf_tools import MergeOptions, PdfSource
from chalicelib.engine.context import JobContext
from chalicelib.engine.job import PdfToolJob
from chalicelib.engine.pdf_tools.run.tool_engine import PdfToolEngine, tool_worker
from chalicelib.engine.ports import NoEgress
from chalicelib.engine.templating.worker import TemplateWorker
from infra.bench.bare_browser import BareBrowser
from infra.bench.parts import Parts
from infra.bench.processes import processor_s
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, run_in_turns, stopwatch
from infra.local.paths import INSTALL_DIR

LIMIT: Final = Limit(8)


class Size(NamedTuple):
    """Files to merge, and the rounds."""

    files: int
    rounds: Rounds


FULL: Final = Size(500, Rounds(5))
SMOKE: Final = Size(2, Rounds(1, warm_up=0))
_DISTINCT: Final = 25
_TIMEOUT_S: Final = 300.0
_PRINT: Final = {"printBackground": True, "generateTaggedPDF": True}
_TOOL: Final = "tool"


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print the table and the ratio."""
    files = _files(parts.browser, size.files)
    engine = PdfToolEngine(NoEgress(), tool_worker(str(INSTALL_DIR / "fonts")), TemplateWorker())
    works: Mapping[str, Callable[[Sequence[bytes]], bytes]] = {
        _TOOL: partial(_merge, engine),
        "pikepdf": _pikepdf,
        "pypdfium2": _pypdfium2,
    }
    ways = {
        name: stopwatch(partial(work, files), partial(processor_s, os.getpid()))
        for name, work in works.items()
    }
    try:
        times = run_in_turns(ways, size.rounds)
        report.row(f"{size.files} files", "KB")
        report.row("  the sources", sum(map(len, files)) / 1000)
        for name, work in works.items():
            report.row(f"  {name}", len(work(files)) / 1000)
    finally:
        engine.close()
    times.show(report, "merge, ms of processor time")
    report.result(LIMIT, max(times.ratio(_TOOL, name) for name in works if name != _TOOL))


def _files(browser: BareBrowser, number: int) -> Sequence[bytes]:
    """Return files of one page, some of which are the same."""
    page = browser.page()
    printed = [
        browser.print_document(page, _document(index), _PRINT)
        for index in range(min(number, _DISTINCT))
    ]
    return [printed[index % len(printed)] for index in range(number)]


def _document(number: int) -> str:
    rows = "".join(f"<tr><td>{row}<td>Item {row}<td>{row}.50" for row in range(20))
    return (
        f"<!doctype html><html lang=en><title>Invoice {number}</title><h1>Invoice {number}</h1>"
        f"<p>For what was delivered.<table><tr><th>No.<th>Item<th>Price{rows}</table>"
    )


def _merge(engine: PdfToolEngine, contents: Sequence[bytes]) -> bytes:
    # Given by reference, as uploads are: nobody reads base64 meanwhile.
    sources = tuple(PdfSource(upload_id=str(number)) for number in range(len(contents)))
    job = PdfToolJob(MergeOptions(), sources, max_pages=len(contents))
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
