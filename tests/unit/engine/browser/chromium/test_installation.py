"""Browser of a layer: unpacked once, completely or not at all, with clear errors."""

import io
import multiprocessing
import os
import resource
import stat
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import pytest

from chalicelib.engine.browser.chromium import unpack
from chalicelib.engine.browser.chromium.installation import (
    BrowserMissingError,
    check_temporary_folder,
    locate_browser,
)
from infra.package.archives import pack_fonts

PROGRAM = b"\x7fELF a browser" * 100_000


@pytest.fixture(autouse=True)
def own_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Temporary folder that is open to every user, like /tmp."""
    for parent in (tmp_path, *tmp_path.parents):
        if not parent.stat().st_mode & stat.S_IXOTH:
            parent.chmod(0o755)
    folder = tmp_path / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert not list(folder.rglob("*.part"))


@pytest.fixture
def fonts(tmp_path: Path) -> Path:
    folder = tmp_path / "fonts"
    folder.mkdir()
    for name in ("fonts.conf", "families.json", "characters.json"):
        (folder / name).touch()
    return folder


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    folder = tmp_path / "chromium"
    folder.mkdir()
    (folder / "chromium.br").write_bytes(brotli.compress(PROGRAM, quality=1))
    (folder / "al2023.tar.br").write_bytes(brotli.compress(archive("lib/libnss3.so"), quality=1))
    (folder / "hyphen-data").mkdir()
    (folder / "hyphen-data" / "hyph-de-1996.hyb").write_bytes(b"patterns")
    return folder


def archive(name: str) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as opened:
        member = tarfile.TarInfo(name)
        member.size = 7
        opened.addfile(member, io.BytesIO(b"library"))
    return content.getvalue()


def test_unpacked_browser_is_used_in_place(tmp_path: Path, fonts: Path) -> None:
    folder = tmp_path / "unpacked"
    folder.mkdir()
    (folder / "chromium").touch()

    assert locate_browser(folder, fonts).executable == folder / "chromium"


def test_the_browser_of_a_layer_is_unpacked(layer: Path, fonts: Path, own_tmp: Path) -> None:
    found = locate_browser(layer, fonts)

    assert found.executable.read_bytes() == PROGRAM
    assert found.executable.stat().st_mode & 0o777 == 0o755
    assert (found.libraries / "libnss3.so").read_bytes() == b"library"
    dictionaries = found.executable.with_name("hyphen-data")
    assert (dictionaries / "hyph-de-1996.hyb").read_bytes() == b"patterns"
    assert found.executable.is_relative_to(own_tmp)
    assert found.fonts_conf == fonts / "fonts.conf"
    everything = (*found.executable.parents[: len(own_tmp.parents)], found.libraries)
    assert all(folder.stat().st_mode & stat.S_IXOTH for folder in everything)


def test_the_fonts_of_a_layer_are_unpacked_with_the_time_of_their_cache(
    layer: Path, fonts: Path, tmp_path: Path
) -> None:
    (fonts / "ttf").mkdir()
    (fonts / "ttf" / "A_400Regular.ttf").write_bytes(b"font" * 100_000)
    files = {path.relative_to(fonts).as_posix(): path for path in fonts.rglob("*.*")}
    packed = tmp_path / "layer" / "fonts"
    packed.mkdir(parents=True)
    pack_fonts(files, tmp_path / "cache").rename(packed / "fonts.tar.br")

    folder = locate_browser(layer, packed).fonts_conf.parent

    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")} == files.keys()
    assert (folder / "ttf" / "A_400Regular.ttf").read_bytes() == b"font" * 100_000
    assert (folder / "ttf").stat().st_mtime == 315_532_800


def test_browser_is_unpacked_once(layer: Path, fonts: Path) -> None:
    first = locate_browser(layer, fonts).executable
    first.write_bytes(b"the first one")

    assert locate_browser(layer, fonts).executable.read_bytes() == b"the first one"


def test_second_layer_is_unpacked_separately(layer: Path, fonts: Path) -> None:
    first = locate_browser(layer, fonts).executable
    (layer / "chromium.br").write_bytes(brotli.compress(b"a newer browser", quality=1))

    second = locate_browser(layer, fonts).executable

    assert (first.read_bytes(), second.read_bytes()) == (PROGRAM, b"a newer browser")


def test_processes_that_start_at_once_share_one_copy(layer: Path, fonts: Path) -> None:
    with multiprocessing.get_context("fork").Pool(4) as pool:
        found = pool.starmap(_inode, [(layer, fonts)] * 4, chunksize=1)

    assert len(set(found)) == 1


def _inode(layer: Path, fonts: Path) -> int:
    return locate_browser(layer, fonts).executable.stat().st_ino


def test_partial_copy_of_a_killed_process_is_never_used(
    layer: Path, fonts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = unpack._decompressed_chunks

    def killed(packed: Path) -> Iterator[bytes]:
        yield next(parts(packed))[:1000]
        os._exit(9)

    child = os.fork()
    if child == 0:
        monkeypatch.setattr(unpack, "_decompressed_chunks", killed)
        locate_browser(layer, fonts)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert list(Path(tempfile.gettempdir()).rglob("*.part/chromium"))

    assert locate_browser(layer, fonts).executable.read_bytes() == PROGRAM


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("chromium.br", lambda content: content[:-10], "cut off"),
        ("chromium.br", lambda content: content[:-10] + bytes(10), "damaged"),
        ("al2023.tar.br", lambda _content: b"", "cut off"),
    ],
)
def test_a_damaged_layer_is_refused_and_leaves_nothing(
    layer: Path, fonts: Path, name: str, damage: object, message: str
) -> None:
    assert callable(damage)
    packed = layer / name
    packed.write_bytes(damage(packed.read_bytes()))

    with pytest.raises(BrowserMissingError, match=message):
        locate_browser(layer, fonts)


def test_full_disk_is_reported_and_partial_copy_removed(layer: Path, fonts: Path) -> None:
    # The kernel refuses a file of this size as on a full disk.
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, limits[1]))
    try:
        with pytest.raises(BrowserMissingError, match=r"cannot be written .* 400 MB of room"):
            locate_browser(layer, fonts)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_unwritable_temporary_folder_is_reported(
    layer: Path, fonts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/proc")

    with pytest.raises(BrowserMissingError, match=r"/proc/platen-\d+ cannot be written"):
        locate_browser(layer, fonts)


def test_a_folder_that_others_can_write_is_not_trusted(
    layer: Path, fonts: Path, own_tmp: Path
) -> None:
    (own_tmp / f"platen-{os.geteuid()}").mkdir()
    (own_tmp / f"platen-{os.geteuid()}").chmod(0o777)

    with pytest.raises(BrowserMissingError, match="not ours alone"):
        locate_browser(layer, fonts)


def test_a_missing_layer_is_named(tmp_path: Path, layer: Path, fonts: Path) -> None:
    with pytest.raises(BrowserMissingError, match=r"no-fonts/fonts\.conf .* layer `fonts`"):
        locate_browser(layer, tmp_path / "no-fonts")
    (layer / "al2023.tar.br").unlink()
    with pytest.raises(
        BrowserMissingError, match=r"chromium/chromium .* layer `chromium`.*make setup"
    ):
        locate_browser(layer, fonts)


def test_the_memory_of_a_start_does_not_grow_with_the_browser(layer: Path) -> None:
    (layer / "chromium.br").write_bytes(brotli.compress(os.urandom(32_000_000), quality=0))

    parts = [len(part) for part in unpack._decompressed_chunks(layer / "chromium.br")]

    assert sum(parts) == 32_000_000
    assert max(parts) < 8_000_000


@pytest.mark.parametrize(
    ("mode", "parent_mode", "words"),
    [
        (0o755, 0o755, "has the mode 755, so the user nobody"),
        (0o1770, 0o755, "chmod 1777"),
        (0o1777, 0o700, "is closed to others"),
    ],
)
def test_temporary_folder_that_the_browser_cannot_use_is_named(
    own_tmp: Path, mode: int, parent_mode: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    own_tmp.chmod(mode)
    own_tmp.parent.chmod(parent_mode)
    try:
        with pytest.raises(BrowserMissingError, match=words) as refusal:
            check_temporary_folder()
    finally:
        own_tmp.parent.chmod(0o755)

    assert str(own_tmp.parent) in str(refusal.value)


def test_temporary_folder_that_is_open_is_taken(own_tmp: Path) -> None:
    assert own_tmp.is_dir()

    check_temporary_folder()
