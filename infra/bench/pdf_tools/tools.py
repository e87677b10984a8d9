"""Benchmark: each PDF tool through the API, compared with its library alone.

`make bench NAME=tools`: a file of 250 tagged pages with a form goes through each tool, in turn with
what the tool's library does for the same purpose in this process. `convert-pdfa` and `validate` are
compared with the validators alone, which take nearly all of their time. Printed are the medians and
the ratio of each tool, and the most memory that its function has taken above the idle one
(proportional set sizes, sampled). The first line is what any tool takes: a page through `rotate`.
Then follow the peaks with files of one large stream.
"""

import io
import statistics
import sys
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import pikepdf

from chalicelib.core.json import JsonObject
from infra.bench.pdf_tools.api_client import ApiClient, inline_source
from infra.bench.pdf_tools.document import FIELD, PAGES, bench_document
from infra.bench.pdf_tools.libraries import DPI, Libraries
from infra.bench.pdf_tools.memory import PeakMemory, allowed_bytes, large_file_peaks
from infra.local.running_stack import RunningStack, running_stack

LIMIT: Final = 3.0
ROUNDS: Final = 3
# Validators take half a minute for the whole file; they get fewer rounds.
_MAX_TOOL_S: Final = 10.0
_PASSWORD: Final = "secret"  # noqa: S105 -- of a document of the benchmark
_OPTIONS: Final[Mapping[str, JsonObject]] = {
    "merge": {},
    "split": {},
    "extract-pages": {"pages": f"1-{PAGES // 2}"},
    "delete-pages": {"pages": f"1-{PAGES // 2}"},
    "rotate": {"angle": 90},
    "reorder": {"order": list(range(PAGES, 0, -1))},
    "watermark": {"watermark": {"text": "Draft"}},
    "stamp": {"stamp": {"text": "Paid", "position": "top-right"}},
    "protect": {"protection": {"user_password": _PASSWORD}},
    "unlock": {},
    "metadata": {"info": {"title": "Parts"}},
    "attach": {"attachments": [{"content": "QQ==", "filename": "a.txt"}]},
    "flatten": {},
    "fill-form": {"fields": {f"{FIELD}{number}": "filled" for number in range(PAGES)}},
    "compress": {},
    "to-images": {"dpi": DPI},
    "to-text": {},
    "convert-pdfa": {},
    "validate": {},
}
_ROW: Final = "{:<15}{:>9.2f}{:>10.2f}{:>8.2f}{:>15.0f}\n"


class _Figures(NamedTuple):
    ratio: float
    peak_bytes: int


def main() -> int:
    """Print the table and the ratio; 1 when a limit is not met."""
    document = bench_document()
    sys.stdout.write(f"{PAGES} pages, {len(document) / 1000:.0f} KB\n")
    titles = "tool", "API, s", "alone, s", "ratio", "MB above idle"
    sys.stdout.write("{:<15}{:>9}{:>10}{:>8}{:>15}\n".format(*titles))
    libraries = Libraries()
    try:
        with running_stack() as stack:
            bench = _Bench(stack, libraries)
            bench.warm_up(document)
            figures = [bench.measure(tool, document) for tool in _OPTIONS]
            large = large_file_peaks(stack, ApiClient(stack))
    finally:
        libraries.close()
    highest = max(each.peak_bytes for each in figures)
    is_small = highest <= allowed_bytes(len(document))
    for size, peaks in large.items():
        limit = allowed_bytes(size)
        is_small = is_small and max(peaks.values()) <= limit
        shown = ", ".join(f"{tool} {peak / 1e6:.0f} MB" for tool, peak in peaks.items())
        sys.stdout.write(f"{size / 1e6:.0f} MB: {shown} above idle (limit {limit / 1e6:.0f})\n")
    ratio = statistics.median(each.ratio for each in figures)
    limit = allowed_bytes(len(document))
    sys.stdout.write(f"peak memory: {highest / 1e6:.0f} MB (limit {limit / 1e6:.0f})\n")
    sys.stdout.write(f"tools: {ratio:.2f} (limit {LIMIT})\n")
    return int(ratio > LIMIT or not is_small)


class _Bench:
    """Measurements of tools, through the API and alone in turn."""

    def __init__(self, stack: RunningStack, libraries: Libraries) -> None:
        self._stack, self._libraries = stack, libraries
        self._client = ApiClient(stack)

    def warm_up(self, document: bytes) -> None:
        """Start what is started once, and print what a page through `rotate` takes."""
        page = _first_page(document)
        for tool in ("convert-pdfa", "validate"):
            self._client.run(tool, [inline_source(page)], {})
            self._libraries.run(tool, page)
        self._show("(one page)", *self._rounds("rotate", page))

    def measure(self, tool: str, document: bytes) -> _Figures:
        """Measure a tool and print its row."""
        return self._show(tool, *self._rounds(tool, document))

    def _rounds(self, tool: str, document: bytes) -> tuple[list[float], list[float], int]:
        through, alone, peak = list[float](), list[float](), 0
        sources = _sources(tool, document)
        while len(through) < ROUNDS and sum(through) + sum(alone) < _MAX_TOOL_S:
            with PeakMemory(self._stack) as memory:
                through.append(self._client.run(tool, sources, _OPTIONS[tool]))
            alone.append(self._libraries.run(tool, document))
            peak = max(peak, memory.bytes_above_idle)
        return through, alone, peak

    def _show(
        self, title: str, through: Sequence[float], alone: Sequence[float], peak: int
    ) -> _Figures:
        ratio = statistics.median(a / b for a, b in zip(through, alone, strict=True))
        medians = statistics.median(through), statistics.median(alone)
        sys.stdout.write(_ROW.format(title, *medians, ratio, peak / 1e6))
        sys.stdout.flush()
        return _Figures(ratio, peak)


def _sources(tool: str, document: bytes) -> Sequence[JsonObject]:
    if tool != "unlock":
        return [inline_source(document)] * (2 if tool == "merge" else 1)
    locked = io.BytesIO()
    with pikepdf.open(io.BytesIO(document)) as pdf:
        pdf.save(locked, encryption=pikepdf.Encryption(owner=_PASSWORD, user=_PASSWORD))
    return [inline_source(locked.getvalue(), _PASSWORD)]


def _first_page(document: bytes) -> bytes:
    target = io.BytesIO()
    with pikepdf.open(io.BytesIO(document)) as pdf, pikepdf.new() as page:
        page.add_pages_from(pdf, [0])
        page.save(target)
    return target.getvalue()
