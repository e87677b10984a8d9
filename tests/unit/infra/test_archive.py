"""Archives: the same files make the same bytes."""

import os
import zipfile
from pathlib import Path

import pytest

from infra.package.archives import files_below, unpacked_bytes, write_archive


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "files"
    (made / "package").mkdir(parents=True)
    (made / "package" / "module.py").write_text("x = 1\n" * 100, encoding="utf-8")
    (made / "data.br").write_bytes(b"packed" * 100)
    (made / "run").write_text("#!/bin/sh\n", encoding="utf-8")
    (made / "run").chmod(0o755)
    return made


def test_time_owner_mask_and_order_do_not_change_the_archive(folder: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    files = files_below(folder)
    write_archive(first, files)
    (folder / "run").chmod(0o700)
    (folder / "data.br").chmod(0o600)
    for path in files.values():
        os.utime(path, (1, 1))

    write_archive(second, dict(reversed(files.items())))

    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("change", ["content", "name", "mode"])
def test_content_changes_the_archive(folder: Path, tmp_path: Path, change: str) -> None:
    target = tmp_path / "a.zip"
    before = write_archive(target, files_below(folder)), target.read_bytes()
    match change:
        case "content":
            (folder / "data.br").write_bytes(b"other!" * 100)
        case "name":
            (folder / "data.br").rename(folder / "other.br")
        case "mode":
            (folder / "run").chmod(0o644)

    after = write_archive(target, files_below(folder)), target.read_bytes()

    assert before[0] != after[0]
    assert before[1] != after[1]


def test_valid_archive_is_kept_and_a_broken_one_replaced(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "a.zip"
    write_archive(target, files_below(folder))
    made = target.stat().st_mtime_ns

    write_archive(target, files_below(folder))
    assert target.stat().st_mtime_ns == made

    target.write_bytes(b"half of an archi")
    write_archive(target, files_below(folder))
    assert zipfile.ZipFile(target).testzip() is None


def test_names_modes_and_contents_round_trip(folder: Path, tmp_path: Path) -> None:
    write_archive(tmp_path / "a.zip", files_below(folder, "top/"))

    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
        assert list(entries) == ["top/data.br", "top/package/module.py", "top/run"]
        assert archive.read("top/package/module.py") == b"x = 1\n" * 100
    assert entries["top/run"].external_attr >> 16 == 0o100755
    assert entries["top/data.br"].external_attr >> 16 == 0o100644
    # Compressed files are not compressed again.
    assert entries["top/data.br"].compress_type == zipfile.ZIP_STORED
    assert entries["top/package/module.py"].compress_type == zipfile.ZIP_DEFLATED
    assert unpacked_bytes(tmp_path / "a.zip") == 600 + 600 + 10
