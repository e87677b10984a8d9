"""Objects in a folder: what a power cut leaves, and keys of every form."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, override

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.objects.folder import ConditionError, KeyTooLongError, ObjectFolder
from infra.local.objects.object_file import ObjectFile, Properties, TornFileError
from tests.fakes.power_cut import CuttableDisk

AWKWARD = (
    "x",
    "x/y",
    "x/y/z",
    "=x",
    "a/=b",
    "a//b",
    ".",
    "..",
    "../up",
    "a/.",
    "/",
    "%2E",
    "ü/€",
    "a b",
)


@pytest.fixture
def disk() -> CuttableDisk:
    return CuttableDisk()


@pytest.fixture
def folder(tmp_path: Path, disk: CuttableDisk) -> ObjectFolder:
    return ObjectFolder(tmp_path / "bucket", disk)


def put(folder: ObjectFolder, key: str, content: bytes = b"content") -> Properties:
    def write(file: IO[bytes]) -> Properties:
        file.write(content)
        return Properties(len(content), '"tag"', "sum", {"content-type": "text/plain"})

    return folder.put(key, write)


def read(folder: ObjectFolder, key: str) -> bytes | None:
    found = folder.open(key)
    if found is None:
        return None
    with found:
        return found.content().read(1_000_000)


def stored(folder: ObjectFolder, key: str) -> list[Path]:
    return [each.path for each in folder.walk() if each.key == key]


def test_object_is_on_the_disk_when_put_returns(folder: ObjectFolder, disk: CuttableDisk) -> None:
    for key in ("ws/a/files/1/0", "ws/a/files/1/1", "ws/b/0", "top"):
        put(folder, key)

        (path,) = stored(folder, key)
        assert disk.survives(folder.tree.root, path), key


def test_nothing_has_its_name_before_its_content_is_synced(tmp_path: Path) -> None:
    class Watching(CuttableDisk):
        @override
        def sync_file(self, descriptor: int) -> None:
            assert [each.key for each in watched.walk()] == []
            super().sync_file(descriptor)

    watched = ObjectFolder(tmp_path / "bucket", Watching())

    put(watched, "a/b")

    assert read(watched, "a/b") == b"content"


def test_deleted_object_does_not_come_back(folder: ObjectFolder, disk: CuttableDisk) -> None:
    put(folder, "a/b/c")
    put(folder, "a/d")
    paths = {key: stored(folder, key)[0] for key in ("a/b/c", "a/d")}

    assert disk.comes_back(folder.tree.root, paths["a/b/c"])

    folder.delete("a/b/c", "never/there")

    assert not disk.comes_back(folder.tree.root, paths["a/b/c"])
    assert disk.survives(folder.tree.root, paths["a/d"])
    # A folder goes with its last object.
    assert not paths["a/b/c"].parent.exists()


def test_replaced_object_is_the_old_or_the_new_one(
    folder: ObjectFolder, disk: CuttableDisk
) -> None:
    put(folder, "a", b"old")
    disk.is_full = True

    with pytest.raises(OSError, match="No space"):
        put(folder, "a", b"new")

    assert read(folder, "a") == b"old"
    disk.is_full = False
    put(folder, "a", b"new")
    assert read(folder, "a") == b"new"


def test_open_object_outlives_its_deletion(folder: ObjectFolder) -> None:
    put(folder, "a", b"first")
    found = folder.open("a")
    assert found is not None
    with found:
        put(folder, "a", b"second")
        folder.delete("a")

        assert found.content().read(100) == b"first"


def test_what_a_killed_process_was_writing_is_gone_after_the_start(tmp_path: Path) -> None:
    folder = ObjectFolder(tmp_path / "bucket")
    put(folder, "a")
    (tmp_path / "bucket" / "incoming" / "half").write_bytes(b"ha")

    again = ObjectFolder(tmp_path / "bucket")

    assert list((tmp_path / "bucket" / "incoming").iterdir()) == []
    assert read(again, "a") == b"content"


def test_folder_that_a_killed_process_made_is_synced_again(tmp_path: Path) -> None:
    put(ObjectFolder(tmp_path / "bucket"), "a/b/one")
    disk = CuttableDisk()
    folder = ObjectFolder(tmp_path / "bucket", disk)

    put(folder, "a/b/two")

    assert disk.survives(folder.tree.root, stored(folder, "a/b/two")[0])


@pytest.mark.parametrize("key", AWKWARD)
def test_awkward_keys_are_kept_apart(folder: ObjectFolder, key: str) -> None:
    for each in AWKWARD:
        put(folder, each, each.encode())

    assert read(folder, key) == key.encode()
    assert {each.key for each in folder.list()} == set(AWKWARD)
    folder.delete(key)
    assert {each.key for each in folder.list()} == set(AWKWARD) - {key}


@given(key=st.text(min_size=1, max_size=60).filter(lambda text: text.isprintable()))
def test_every_key_is_listed_as_it_was_put(
    tmp_path_factory: pytest.TempPathFactory, key: str
) -> None:
    folder = ObjectFolder(tmp_path_factory.mktemp("any") / "bucket")
    try:
        put(folder, key)
    except KeyTooLongError:
        return

    assert [each.key for each in folder.list(key[:3])] == [key]
    assert not (folder.tree.root.parent.parent / "up").exists()


def test_list_is_by_prefix_in_order_and_in_pages(folder: ObjectFolder) -> None:
    for key in ("b/2", "a", "b/10", "b/1", "bc/3", "c"):
        put(folder, key)

    assert [each.key for each in folder.list("b/")] == ["b/1", "b/10", "b/2"]
    assert [each.key for each in folder.list("b")] == ["b/1", "b/10", "b/2", "bc/3"]
    assert [each.key for each in folder.list("b", after="b/10", limit=1)] == ["b/2"]


def test_condition_decides_by_what_is_there(folder: ObjectFolder) -> None:
    def only_if_absent(there: ObjectFile | None) -> bool:
        return there is None

    def write(file: IO[bytes]) -> Properties:
        file.write(b"x")
        return Properties(1, "", "")

    folder.put("a", write, allowed=only_if_absent)

    with pytest.raises(ConditionError):
        folder.put("a", write, allowed=only_if_absent)


def test_one_of_many_conditional_writes_wins(folder: ObjectFolder) -> None:
    begin = threading.Barrier(8)

    def write(_number: int) -> bool:
        begin.wait()
        try:
            folder.put("a", lambda _: Properties(0, "", ""), allowed=lambda there: there is None)
        except ConditionError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(write, range(8))) == 1


def test_folders_that_come_and_go_lose_nothing(folder: ObjectFolder, disk: CuttableDisk) -> None:
    def work(number: int) -> None:
        for turn in range(40):
            key = f"a/{turn % 3}/{number}"
            put(folder, key)
            assert read(folder, key) == b"content"
            folder.delete(key)
        put(folder, f"a/0/{number}")

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(work, range(6)))

    assert [each.key for each in folder.list()] == [f"a/0/{n}" for n in range(6)]
    assert all(disk.survives(folder.tree.root, each.path) for each in folder.list())


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 200])
def test_file_of_another_program_is_an_error(folder: ObjectFolder, content: bytes) -> None:
    put(folder, "a")
    stored(folder, "a")[0].write_bytes(content)

    with pytest.raises(TornFileError):
        folder.open("a")


def test_object_can_be_opened_by_other_programs(folder: ObjectFolder) -> None:
    put(folder, "a/page.html", b"<p>Hello")

    (path,) = stored(folder, "a/page.html")

    assert path.name == "=page.html"
    assert path.read_bytes().startswith(b"<p>Hello")
