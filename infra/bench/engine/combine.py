"""Benchmark: combined files, compared with libraries that hold the whole file (decision 39).

Tagged one-page invoices, printed by Chromium, are merged, in turn with a merge by pikepdf, and put
into a ZIP archive, in turn with zipfile. The merge by pikepdf copies the structure trees as well.
Also printed: its `pages.extend` alone, which leaves them out. Measured is processor time. Then the
peak memory of merging 25 times as many items as few, in relation to that of few, each in a fresh
process.
"""

import io
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import msgspec
import pikepdf

from chalicelib.engine.combining import merged_pdf, zip_archive
from chalicelib.engine.combining.zip_archive import ZipState
from chalicelib.engine.pdf.appending.merge_state import MergeState
from infra.bench.bare_browser import BareBrowser
from infra.bench.documents import PRINT_OPTIONS, invoice_page, page_count
from infra.bench.parts import Parts
from infra.bench.processes import peak_bytes
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, run_in_turns, stopwatch

LIMIT: Final = Limit(2.0)
ZIP_LIMIT: Final = Limit(1.5)
MEMORY_LIMIT: Final = Limit(1.3)


class Size(NamedTuple):
    """Items and rounds, and the few items whose peak memory is compared with that of many."""

    items: int
    rounds: Rounds
    few: int


FULL: Final = Size(500, Rounds(3, warm_up=0), few=200)
SMOKE: Final = Size(2, Rounds(1, warm_up=0), few=1)
_MANY: Final = 25
_MERGED: Final = "merged"
_PIKEPDF: Final = "pikepdf"
_PAGES: Final = "pikepdf, pages alone"
_ZIP: Final = "ZIP"
_ZIPFILE: Final = "zipfile"
_PART_BYTES: Final = 8_000_000
_CHECKSUM_BYTES: Final = 4
_PRINT_OPTIONS: Final = {**PRINT_OPTIONS, "generateDocumentOutline": True}

# Item by index: from memory here, from a store where that is what is measured.
type Fetch = Callable[[int], bytes]
# Writes a file of so many items; returns the bytes of its state.
type Combine = Callable[[Fetch, int, BinaryIO], int]


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print the table and the ratios."""
    items = _print_items(parts.browser, size.items)
    works = {
        _MERGED: _Work(_merge, items),
        _PIKEPDF: _Work(_merge_by_pikepdf, items),
        _PAGES: _Work(_merge_pages_by_pikepdf, items),
        _ZIP: _Work(_archive, items),
        _ZIPFILE: _Work(_archive_by_zipfile, items),
    }
    ways = {name: stopwatch(work.run, time.process_time) for name, work in works.items()}
    times = run_in_turns(ways, size.rounds)
    report.row(f"{size.items} items of one page", "ms an item", "KB an item", "state KB")
    report.row("the items", "", sum(map(len, items)) / size.items / 1000)
    for name, work in works.items():
        sizes = work.file_bytes / size.items / 1000, work.state_bytes / 1000
        report.row(name, times.median_ms(name) / size.items, *sizes)
    few, many = _peaks(items, report, (size.few, _MANY * size.few))
    report.check("ZIP", ZIP_LIMIT, times.ratio(_ZIP, _ZIPFILE))
    report.check("memory", MEMORY_LIMIT, many / few)
    report.result(LIMIT, times.ratio(_MERGED, _PIKEPDF))


def _print_items(browser: BareBrowser, number: int) -> list[bytes]:
    """Return invoices, with a number each, as Chromium prints them."""
    html = invoice_page().replace("14px/1.4", "11px/1.3").replace("break-before: page", "")
    page = browser.page()
    items = [
        browser.print_document(page, html.replace("2026-0042", f"R-{index}"), _PRINT_OPTIONS)
        for index in range(number)
    ]
    assert page_count(items[-1]) == 1
    return items


class _Work:
    """A way to combine items, with the sizes of its last file and state."""

    def __init__(self, combine: Combine, items: Sequence[bytes]) -> None:
        self.file_bytes = self.state_bytes = 0
        self._combine = combine
        self._items = items

    def run(self) -> None:
        """Combine the items into a file."""
        with tempfile.TemporaryFile() as file:
            self.state_bytes = self._combine(self._items.__getitem__, len(self._items), file)
            self.file_bytes = file.tell()


def _merge(fetch: Fetch, count: int, file: BinaryIO) -> int:
    state = MergeState()
    saved, part_end = b"", _PART_BYTES
    for index in range(count):
        file.write(merged_pdf.append(state, fetch(index), f"Invoice {index}", index))
        if state.size > part_end:
            saved, part_end = msgspec.msgpack.encode(state), state.size + _PART_BYTES
    saved = msgspec.msgpack.encode(state)
    file.write(merged_pdf.finish(state, test=False))
    return len(saved)


def _merge_by_pikepdf(fetch: Fetch, count: int, file: BinaryIO) -> int:
    return _merge_pages_by_pikepdf(fetch, count, file, has_structure=True)


def _merge_pages_by_pikepdf(
    fetch: Fetch, count: int, file: BinaryIO, *, has_structure: bool = False
) -> int:
    with pikepdf.new() as merged:
        trees = pikepdf.Array()
        sources = []
        for index in range(count):
            sources.append(pikepdf.open(io.BytesIO(fetch(index))))
            merged.pages.extend(sources[-1].pages)
            if has_structure:
                trees.append(merged.copy_foreign(sources[-1].Root.StructTreeRoot))
        merged.Root.Trees = trees
        merged.save(file, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return 0


def _archive(fetch: Fetch, count: int, file: BinaryIO) -> int:
    state = ZipState()
    file.writelines(
        zip_archive.append(state, f"invoice-{index}.pdf", fetch(index)) for index in range(count)
    )
    file.write(zip_archive.finish(state))
    return len(msgspec.msgpack.encode(state))


def _archive_by_zipfile(fetch: Fetch, count: int, file: BinaryIO) -> int:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for index in range(count):
            archive.writestr(f"invoice-{index}.pdf", fetch(index))
    return 0


def _peaks(items: Sequence[bytes], report: Report, counts: Sequence[int]) -> list[int]:
    """Return the peak memory of merging so many items, each number in a fresh process."""
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        for index, content in enumerate(items):
            (Path(folder) / f"{index}.pdf").write_bytes(content)
        for count in counts:
            command = [sys.executable, "-m", __name__, str(count), str(len(items)), folder]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            peak, state_bytes, file_bytes = map(int, done.stdout.split())
            peaks.append(peak)
            sizes = file_bytes / count / 1000, state_bytes / 1000
            report.row(f"peak of {count} items", f"{peak / 1e6:.1f} MB", *sizes)
    return peaks


def _print_peak(count: int, distinct: int, folder: Path) -> None:
    """Merge items, each with a content of its own; print peak memory, state and size."""

    def fetch(index: int) -> bytes:
        content = (folder / f"{index % distinct}.pdf").read_bytes()
        # Another checksum makes another content of the page, which nobody unpacks here.
        checksum = content.index(b"\nendstream") - _CHECKSUM_BYTES
        number = index.to_bytes(_CHECKSUM_BYTES)
        return content[:checksum] + number + content[checksum + _CHECKSUM_BYTES :]

    with (folder / "merged.pdf").open("wb") as file:
        state_bytes = _merge(fetch, count, file)
        file_bytes = file.tell()
    print(peak_bytes(), state_bytes, file_bytes)


if __name__ == "__main__":
    _print_peak(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
