"""ZIP archives, written part by part, as other readers see them."""

import io
import zipfile
from pathlib import Path

import msgspec
import pytest

from chalicelib.engine.combining import failure
from chalicelib.engine.combining.failure import CombineFailure
from chalicelib.engine.combining.zip_archive import ZipEntry, ZipState, append, finish

FILES = {"a.pdf": b"%PDF-1.7", "Größe 😀.xml": b"<a/>" * 100, "empty.txt": b""}
GIGABYTE = 1_000_000_000


def archive(files: dict[str, bytes]) -> bytes:
    state = ZipState()
    parts = [append(state, name, content) for name, content in files.items()]
    return b"".join(parts) + finish(state)


def resumed(state: ZipState) -> ZipState:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=ZipState)


def test_archive_has_the_files_unchanged_and_in_order() -> None:
    with zipfile.ZipFile(io.BytesIO(archive(FILES))) as read:
        assert read.testzip() is None
        assert {info.filename: read.read(info) for info in read.infolist()} == FILES
        assert read.namelist() == list(FILES)


def test_archive_tells_nothing_of_the_machine() -> None:
    with zipfile.ZipFile(io.BytesIO(archive(FILES))) as read:
        for info in read.infolist():
            assert info.date_time == (2000, 1, 1, 0, 0, 0)
            assert info.compress_type == zipfile.ZIP_STORED
            assert info.extra == b""
            assert info.external_attr >> 16 == 0o100644


def test_interrupted_archive_has_the_same_bytes() -> None:
    for encoding in (msgspec.msgpack, msgspec.json):
        state, parts = ZipState(), []
        for name, content in FILES.items():
            state = encoding.decode(encoding.encode(state), type=ZipState)
            parts.append(append(state, name, content))

        assert b"".join(parts) + finish(resumed(state)) == archive(FILES)


def test_archive_without_files_is_one() -> None:
    with zipfile.ZipFile(io.BytesIO(archive({}))) as read:
        assert read.namelist() == []


def write_large(path: Path, entries: int) -> bytes:
    """Write an archive whose last file begins beyond 4 GB; return that file's content."""
    # Every file before has the same place: readers look at one only when it is opened.
    first = append(ZipState(), "f.pdf", b"first")
    state = ZipState([ZipEntry(f"{n}.pdf", 0, 0, 0) for n in range(entries)], 5 * GIGABYTE)
    content = b"beyond 4 GB"
    last = append(state, "last.pdf", content)
    with path.open("wb") as file:
        file.write(first)
        file.seek(5 * GIGABYTE)
        file.write(last + finish(resumed(state)))
    return content


def test_large_archive_opens_beyond_four_gigabytes(tmp_path: Path) -> None:
    content = write_large(tmp_path / "large.zip", 70_000)

    with zipfile.ZipFile(tmp_path / "large.zip") as read:
        assert len(read.infolist()) == 70_001
        assert read.getinfo("last.pdf").header_offset == 5 * GIGABYTE
        assert read.read("last.pdf") == content


def test_many_entries_alone_need_zip64() -> None:
    content = archive({f"{number}.txt": b"" for number in range(65_535)})

    assert b"PK\6\6" in content
    with zipfile.ZipFile(io.BytesIO(content)) as read:
        assert len(read.infolist()) == 65_535


def test_small_archive_has_no_zip64_records() -> None:
    content = archive({f"{number}.txt": b"" for number in range(65_534)})

    assert b"PK\6\6" not in content
    with zipfile.ZipFile(io.BytesIO(content)) as read:
        assert len(read.infolist()) == 65_534


def test_archive_over_the_limit_is_refused() -> None:
    state = ZipState(size=failure.MAX_ARCHIVE_BYTES - 100)
    append(state, "a", b"x" * (100 - 31))

    with pytest.raises(CombineFailure) as refused:
        append(state, "b", b"")

    assert refused.value.code == "output_too_large"
    assert state.size == failure.MAX_ARCHIVE_BYTES
    assert len(state.entries) == 1
