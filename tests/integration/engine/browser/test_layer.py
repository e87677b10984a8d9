"""The browser as the Lambda layer has it: packed, in read-only folders."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.engine.browser.pool.lifecycle import Browser
from infra.package import archives
from tests.builders.pages.real_browser import folder, render_with
from tests.builders.pdfs.content import texts

PACKED = ("chromium.br", "al2023.tar.br", "hyphen-data")


@pytest.fixture
def own_tmp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Temporary folder that is open to all and removed after the test."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o1777)
        monkeypatch.setattr(tempfile, "tempdir", name)
        yield Path(name)


@pytest.fixture
def layer(own_tmp: Path) -> Path:
    layer = own_tmp / "chromium"
    layer.mkdir(mode=0o755)
    for name in PACKED:
        (layer / name).symlink_to(folder("PLATEN_CHROMIUM_DIR", "chromium") / name)
    layer.chmod(0o555)
    return layer


def test_packed_browser_is_unpacked_once_and_prints(layer: Path, own_tmp: Path) -> None:
    unpacked = own_tmp / f"platen-{os.geteuid()}"
    times = []
    for _ in range(2):
        browser = Browser(layer, folder("PLATEN_FONTS_DIR", "fonts"))
        try:
            assert render_with(browser, "<p>x").files[0].pages == 1
        finally:
            browser.close()
        times.append([path.stat().st_mtime_ns for path in unpacked.glob("chromium-*/chromium")])

    assert len(times[0]) == 1
    assert times[0] == times[1]


def test_packed_browser_finds_its_dictionaries(layer: Path) -> None:
    browser = Browser(layer, folder("PLATEN_FONTS_DIR", "fonts"))
    try:
        outcome = render_with(browser, "<p lang=de style='hyphens:auto; width:1px'>Zeitung")
    finally:
        browser.close()

    assert texts(outcome.files[0].content)[0].split() == ["Zei\u2010", "tung"]


def test_packed_fonts_are_unpacked_with_a_cache_that_holds(
    layer: Path, own_tmp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Packing well takes seconds and makes no difference here.
    monkeypatch.setattr(archives, "_PACK_QUALITY", 0)
    fonts = folder("PLATEN_FONTS_DIR", "fonts")
    packed = own_tmp / "fonts"
    packed.mkdir(mode=0o755)
    files = {path.relative_to(fonts).as_posix(): path for path in fonts.rglob("*.*")}
    archives.pack_fonts(files, own_tmp / "cache").rename(packed / "fonts.tar.br")
    browser = Browser(layer, packed)
    try:
        assert render_with(browser, "<p>x").files[0].pages == 1
        (home,) = own_tmp.glob("platen-browser-*")
        caches = [path.read_bytes() for path in home.glob("cache/fontconfig/*.cache-*")]
    finally:
        browser.close()

    # A scan of the fonts would have written another one.
    assert caches == [path.read_bytes() for path in (fonts / "cache").iterdir()]


def test_fonts_are_used_in_place_and_their_cache_is_copied(own_tmp: Path) -> None:
    fonts = folder("PLATEN_FONTS_DIR", "fonts")
    before = sorted(path.name for path in fonts.rglob("*"))
    browser = Browser(folder("PLATEN_CHROMIUM_DIR", "chromium"), fonts)
    try:
        browser.start()
        (home,) = own_tmp.glob("platen-browser-*")
        cached = {
            path.name: path.stat().st_mtime_ns for path in home.glob("cache/fontconfig/*.cache-*")
        }
    finally:
        browser.close()

    # The browser used the installed font cache and did not scan the fonts itself.
    assert cached == {path.name: path.stat().st_mtime_ns for path in (fonts / "cache").iterdir()}
    assert len(cached) == 1
    assert sorted(path.name for path in fonts.rglob("*")) == before
