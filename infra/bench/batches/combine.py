"""Benchmark: combined files, compared with libraries that hold the whole file (decision 39).

`make bench NAME=combine`: 500 tagged one-page invoices, printed by Chromium, are merged, in turn
with a merge by pikepdf, and put into a ZIP archive, in turn with zipfile. The merge by pikepdf
copies the structure trees as well. Also printed: its `pages.extend` alone, which leaves them out.
Then the peak memory of merging 5 000, in relation to that of 200, each in a fresh process.
"""

import io
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
import pikepdf

from chalicelib.engine.combining import merged_pdf, zip_archive
from chalicelib.engine.combining.merge_state import MergeState
from chalicelib.engine.combining.zip_archive import ZipState
from infra.bench.bare_browser import BareBrowser
from infra.bench.documents import invoice_page

MERGE_LIMIT: Final = 2.0
ZIP_LIMIT: Final = 1.5
MEMORY_LIMIT: Final = 1.3
ITEMS: Final = 500
ROUNDS: Final = 3
FEW, MANY = 200, 5_000
_PART_BYTES: Final = 8_000_000
_CHECKSUM_BYTES: Final = 4
_INCH: Final = 25.4
_PRINT_OPTIONS: Final = {
    "paperWidth": 210 / _INCH,
    "paperHeight": 297 / _INCH,
    **{f"margin{side}": 10 / _INCH for side in ("Top", "Right", "Bottom", "Left")},
    "printBackground": True,
    "generateTaggedPDF": True,
    "generateDocumentOutline": True,
}

# Item by index: from memory here, from a store where that is what is measured.
type Fetch = Callable[[int], bytes]
type Way = Callable[[Fetch, BinaryIO], int]


def main() -> int:
    """Print the table and the ratios; 1 when one is over its limit."""
    if len(sys.argv) > 2:  # noqa: PLR2004 -- name, number of items and their folder
        return _print_peak(int(sys.argv[2]), Path(sys.argv[3]))
    items = _print_items()
    _print_row("500 items of one page", "ms an item", "KB an item", "state KB")
    _print_row("the items", "", f"{sum(map(len, items)) / ITEMS / 1000:.1f}", "")
    merge_ratio = _compare(items, {"merged": _merge, "pikepdf": _merge_by_pikepdf})
    _compare(items, {"pikepdf, pages alone": _merge_pages_by_pikepdf})
    zip_ratio = _compare(items, {"ZIP": _archive, "zipfile": _archive_by_zipfile})
    memory_ratio = _compare_peaks(items)
    ratios, limits = (merge_ratio, zip_ratio, memory_ratio), (MERGE_LIMIT, ZIP_LIMIT, MEMORY_LIMIT)
    print(
        f"combine: {', '.join(f'{ratio:.2f}' for ratio in ratios)} "
        f"(limit {', '.join(map(str, limits))})"
    )
    return int(any(ratio > limit for ratio, limit in zip(ratios, limits, strict=True)))


def _print_items() -> list[bytes]:
    """Return the invoices, with a number each, as Chromium prints them."""
    html = invoice_page().replace("14px/1.4", "11px/1.3").replace("break-before: page", "")
    with BareBrowser() as browser:
        page = browser.page()
        items = [
            browser.print_document(page, html.replace("2026-0042", f"R-{number}"), _PRINT_OPTIONS)
            for number in range(ITEMS)
        ]
    with pikepdf.open(io.BytesIO(items[-1])) as document:
        assert len(document.pages) == 1
    return items


def _compare(items: Sequence[bytes], ways: dict[str, Way]) -> float:
    """Print a row for each way; return the ratio of the first one to the last."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    with tempfile.TemporaryFile() as file:
        for round_number in range(ROUNDS):
            for name, way in ways.items():
                file.seek(0)
                file.truncate()
                started = time.perf_counter()
                state_bytes = way(items.__getitem__, file)
                seconds[name].append(time.perf_counter() - started)
                if round_number == ROUNDS - 1:
                    milliseconds = 1000 * statistics.median(seconds[name]) / ITEMS
                    _print_row(
                        name,
                        f"{milliseconds:.2f}",
                        f"{file.tell() / ITEMS / 1000:.1f}",
                        f"{state_bytes / 1000:.0f}" if state_bytes else "",
                    )
    first, *_, last = seconds.values() if len(seconds) > 1 else (*seconds.values(),) * 2
    return statistics.median(ours / theirs for ours, theirs in zip(first, last, strict=True))


def _merge(fetch: Fetch, file: BinaryIO, count: int = ITEMS) -> int:
    state = MergeState()
    saved, part_end = b"", _PART_BYTES
    for index in range(count):
        file.write(merged_pdf.append(state, fetch(index), f"Invoice {index}", index))
        if state.size > part_end:
            saved, part_end = msgspec.msgpack.encode(state), state.size + _PART_BYTES
    saved = msgspec.msgpack.encode(state)
    file.write(merged_pdf.finish(state, test=False))
    return len(saved)


def _merge_by_pikepdf(fetch: Fetch, file: BinaryIO) -> int:
    return _merge_pages_by_pikepdf(fetch, file, has_structure=True)


def _merge_pages_by_pikepdf(fetch: Fetch, file: BinaryIO, *, has_structure: bool = False) -> int:
    with pikepdf.new() as merged:
        trees = pikepdf.Array()
        sources = []
        for index in range(ITEMS):
            sources.append(pikepdf.open(io.BytesIO(fetch(index))))
            merged.pages.extend(sources[-1].pages)
            if has_structure:
                trees.append(merged.copy_foreign(sources[-1].Root.StructTreeRoot))
        merged.Root.Trees = trees
        merged.save(file, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return 0


def _archive(fetch: Fetch, file: BinaryIO) -> int:
    state = ZipState()
    file.writelines(
        zip_archive.append(state, f"invoice-{index}.pdf", fetch(index)) for index in range(ITEMS)
    )
    file.write(zip_archive.finish(state))
    return len(msgspec.msgpack.encode(state))


def _archive_by_zipfile(fetch: Fetch, file: BinaryIO) -> int:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for index in range(ITEMS):
            archive.writestr(f"invoice-{index}.pdf", fetch(index))
    return 0


def _compare_peaks(items: Sequence[bytes]) -> float:
    """Return the ratio of the peak memory of many items to that of few."""
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        for index, content in enumerate(items):
            (Path(folder) / f"{index}.pdf").write_bytes(content)
        for count in (FEW, MANY):
            command = [sys.executable, "-m", "infra.bench", "combine", str(count), folder]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            peak_kb, state_bytes, file_bytes = map(int, done.stdout.split())
            peaks.append(peak_kb)
            _print_row(
                f"{count} items",
                f"{peak_kb / 1000:.1f} MB",
                f"{file_bytes / count / 1000:.1f}",
                f"{state_bytes / 1000:.0f}",
            )
    return peaks[1] / peaks[0]


def _print_peak(count: int, folder: Path) -> int:
    """Merge items, each with a content of its own; print peak memory, state and size."""

    def fetch(index: int) -> bytes:
        content = (folder / f"{index % ITEMS}.pdf").read_bytes()
        # Another checksum makes another content of the page, which nobody unpacks here.
        checksum = content.index(b"\nendstream") - _CHECKSUM_BYTES
        number = index.to_bytes(_CHECKSUM_BYTES)
        return content[:checksum] + number + content[checksum + _CHECKSUM_BYTES :]

    with (folder / "merged.pdf").open("wb") as file:
        state_bytes = _merge(fetch, file, count)
        file_bytes = file.tell()
    # Of this process alone: ru_maxrss begins with that of the process that started it.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak_kb = int(status.partition("VmHWM:")[2].split()[0])
    print(peak_kb, state_bytes, file_bytes)
    return 0


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(24) + "".join(cell.rjust(12) for cell in rest) + "\n")
