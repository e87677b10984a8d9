"""Benchmark: start of the browser and its first PDF with all fonts, compared with a small set.

Browsers are started in turn, and each prints an invoice as soon as it can. The small set has the
fifteen families of the service's first fonts, each with the files and weights that it had, with a
font cache of their own.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.deadline import Deadline
from infra.bench.documents import invoice_page
from infra.bench.parts import Parts
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, run_in_turns
from infra.local.paths import INSTALL_DIR
from infra.template import ROOT

LIMIT: Final = Limit(1.05)
FULL: Final = Rounds(20, pause_s=0.25)
SMOKE: Final = Rounds(1, warm_up=0)
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
_SMALL: Final = "small set, until the first PDF"
_ALL: Final = "all fonts, until the first PDF"


def measure(_parts: Parts, report: Report, size: Rounds) -> None:
    """Print the table and the ratio."""
    chromium, fonts = INSTALL_DIR / "chromium", INSTALL_DIR / "fonts"
    html = invoice_page()
    with _small_set(chromium, fonts) as small:
        ways = {
            _SMALL: partial(_first_pdf_s, chromium, small, html),
            _ALL: partial(_first_pdf_s, chromium, fonts, html),
        }
        times = run_in_turns(ways, size)
    times.show(report, "fonts, ms")
    report.result(LIMIT, times.ratio(_ALL, _SMALL))


def _first_pdf_s(chromium: Path, fonts: Path, html: str) -> float:
    """Return the seconds from the start of a browser until its first PDF."""
    output = OutputOptions()

    def draw(page: BrowserPage) -> bytes:
        page.load(html, output)
        return page.pdf(output.pdf)

    browser = Browser(chromium, fonts)
    try:
        started = time.perf_counter()
        browser.start()
        assert browser.use(draw, Deadline.after(_TIMEOUT_S)).startswith(b"%PDF-")
        return time.perf_counter() - started
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
