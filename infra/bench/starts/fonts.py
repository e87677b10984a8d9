"""Benchmark: start of the browser and its first PDF with all fonts, compared with a small set.

`make bench NAME=fonts`: browsers are started in turn, and each prints the 40-line invoice as soon
as it can. The small set has the fifteen families of the service's first fonts, each with the files
and weights that it had, with a font cache of their own.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.deadline import Deadline
from infra.bench.documents import invoice_page
from infra.local.paths import INSTALL_DIR
from infra.template import ROOT

LIMIT: Final = 1.05
ROUNDS: Final = 20
_SMALL_SET: Final = frozenset(
    (
        *("Arimo", "Tinos", "Cousine", "Noto Sans", "Noto Serif", "Noto Sans Arabic"),
        *("Noto Sans Hebrew", "Noto Sans Thai", "Noto Sans Devanagari", "Noto Sans JP"),
        *("Noto Sans SC", "Noto Sans KR", "Noto Sans Symbols 2", "Noto Sans Math"),
        "Noto Color Emoji",
    )
)
# Bold of these came later.
_REGULAR_ONLY: Final = ("NotoSansJP", "NotoSansSC", "NotoSansKR")
_TIMEOUT_S: Final = 60.0
_PAUSE_S: Final = 0.25


def main() -> int:
    """Print the table and the ratio; 1 when it is over the limit."""
    chromium, all_fonts = INSTALL_DIR / "chromium", INSTALL_DIR / "fonts"
    html = invoice_page()
    with _small_set(chromium, all_fonts) as small:
        sets = {"today's set": small, "all fonts": all_fonts}
        starts: dict[str, list[float]] = {name: [] for name in sets}
        firsts: dict[str, list[float]] = {name: [] for name in sets}
        for round_number in range(-1, ROUNDS):
            for name, fonts in sets.items():
                start, first = _start_and_first_pdf(chromium, fonts, html)
                time.sleep(_PAUSE_S)
                if round_number >= 0:
                    starts[name].append(1000 * start)
                    firsts[name].append(1000 * first)
    return _report(starts, firsts)


def _start_and_first_pdf(chromium: Path, fonts: Path, html: str) -> tuple[float, float]:
    """Return the seconds until the browser is ready, and until its first PDF."""
    output = OutputOptions()

    def draw(page: BrowserPage) -> bytes:
        page.load(html, output)
        return page.pdf(output.pdf)

    browser = Browser(chromium, fonts)
    try:
        begun = time.perf_counter()
        browser.start()
        started = time.perf_counter()
        assert browser.use(draw, Deadline.after(_TIMEOUT_S)).startswith(b"%PDF-")
        return started - begun, time.perf_counter() - begun
    finally:
        browser.close()


@contextmanager
def _small_set(chromium: Path, fonts: Path) -> Iterator[Path]:
    """Yield a folder of the small set, with its own fontconfig file and font cache."""
    with tempfile.TemporaryDirectory(prefix="platen-fonts-") as scratch:
        Path(scratch).chmod(0o755)
        small = Path(scratch) / "fonts"
        files = {family.replace(" ", "") for family in _SMALL_SET}
        shutil.copytree(fonts, small, ignore=shutil.ignore_patterns(".pins", "cache"))
        for font in (small / "ttf").iterdir():
            family, _, style = font.stem.partition("_")
            if family not in files or (family in _REGULAR_ONLY and style != "400Regular"):
                font.unlink()
        _leave_out_other_families(small / "fonts.conf")
        command = [sys.executable, "-m", "layers.fonts.font_cache", str(chromium), str(small)]
        subprocess.run(command, cwd=ROOT, check=True)
        yield small


def _leave_out_other_families(path: Path) -> None:
    conf = ET.parse(path)  # noqa: S314 -- our own file
    root = conf.getroot()
    for alias in root.findall("alias"):
        prefer = alias.find("prefer")
        assert prefer is not None
        for family in prefer.findall("family"):
            if family.text not in _SMALL_SET:
                prefer.remove(family)
        if len(prefer) == 0:
            root.remove(alias)
    for edit in root.findall("match/edit[@name='family']"):
        for name in edit.findall("string"):
            if name.text not in _SMALL_SET:
                edit.remove(name)
    conf.write(path)


def _report(starts: dict[str, list[float]], firsts: dict[str, list[float]]) -> int:
    _print_row("fonts, ms p50", "start", "first PDF", "fastest")
    for name, times in firsts.items():
        cells = (statistics.median(starts[name]), statistics.median(times), min(times))
        _print_row(name, *(f"{value:.0f}" for value in cells))
    small, full = (statistics.median(times) for times in firsts.values())
    ratio = full / small
    sys.stdout.write(f"fonts: {ratio:.2f} (limit {LIMIT})\n")
    return int(ratio > LIMIT)


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(16) + "".join(cell.rjust(12) for cell in rest) + "\n")
