"""A moment of a bucket has each file as it was, whatever the store does meanwhile."""

import multiprocessing
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import pytest

from infra.local.objects.folder import ObjectFolder
from infra.local.objects.moment import Moment, MomentLostError, MomentTakenError
from infra.local.objects.object_file import ObjectFile, Properties


@pytest.fixture
def bucket(tmp_path: Path) -> Path:
    return tmp_path / "bucket"


@pytest.fixture
def folder(bucket: Path) -> ObjectFolder:
    return ObjectFolder(bucket)


def put(folder: ObjectFolder, key: str, content: bytes) -> None:
    def write(file: IO[bytes]) -> Properties:
        file.write(content)
        return Properties(len(content), '"tag"', "sum")

    folder.put(key, write)


def kept(whole: Path) -> dict[str, bytes]:
    """Return the content of the objects of a moment by the names of their files."""
    found = {}
    for file in (path for path in whole.rglob("*") if path.is_file()):
        opened = ObjectFile.open(file)
        assert opened is not None
        with opened:
            found[str(file.relative_to(whole))] = opened.content().read(1 << 20)
    return found


def test_what_is_removed_or_replaced_stays_in_the_moment(
    bucket: Path, folder: ObjectFolder
) -> None:
    for key in ("gone", "replaced", "twice", "a/b/deep", "stays"):
        put(folder, key, b"old")
    moment = Moment(bucket)

    with moment.hold():
        with moment.begin():
            pass
        folder.delete("gone", "a/b/deep")
        put(folder, "replaced", b"new")
        put(folder, "twice", b"second")
        put(folder, "twice", b"third")
        put(folder, "later", b"new")
        folder.delete("never/there")
        found = kept(moment.link_all())
        folder.delete("stays")

    assert {name: found[f"keys/={name}"] for name in ("gone", "replaced", "twice", "stays")} == (
        dict.fromkeys(("gone", "replaced", "twice", "stays"), b"old")
    )
    assert found["keys/a/b/=deep"] == b"old"
    # Nothing is left beside the objects.
    assert {each.name for each in bucket.iterdir() if each.is_dir()} == {"keys", "incoming"}


def test_changes_wait_while_the_moment_begins(bucket: Path, folder: ObjectFolder) -> None:
    put(folder, "a", b"old")
    moment = Moment(bucket)
    begun = threading.Event()

    def delete() -> None:
        begun.set()
        folder.delete("a")

    with moment.hold():
        with moment.begin():
            deleting = threading.Thread(target=delete)
            deleting.start()
            begun.wait()
            time.sleep(0.05)
            there = folder.open("a")
            assert there is not None
            there.file.close()
        deleting.join()
        assert kept(moment.link_all()) == {"keys/=a": b"old"}


def test_one_backup_at_a_time(
    bucket: Path, folder: ObjectFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder, "a", b"old")
    monkeypatch.setattr("infra.local.objects.moment._PATIENCE_S", 0.05)

    with Moment(bucket).hold(), pytest.raises(MomentTakenError), Moment(bucket).hold():
        pass
    with Moment(bucket).hold():
        pass


def _hold_and_die(bucket: Path) -> None:
    with Moment(bucket).hold(), Moment(bucket).begin():
        pass
    moment = Moment(bucket)
    held = moment.hold()
    held.__enter__()
    with moment.begin():
        pass
    os._exit(9)


def test_backup_that_was_killed_holds_nothing_up(bucket: Path, folder: ObjectFolder) -> None:
    put(folder, "a", b"old")
    process = multiprocessing.get_context("fork").Process(target=_hold_and_die, args=(bucket,))
    process.start()
    process.join()
    assert (process.exitcode, (bucket / "moment").is_dir()) == (9, True)

    folder.delete("a")

    # Nothing is kept for a dead one.
    assert list((bucket / "moment").iterdir()) == []
    put(folder, "b", b"new")
    moment = Moment(bucket)
    with moment.hold():
        with moment.begin():
            pass
        assert kept(moment.link_all()) == {"keys/=b": b"new"}
    _hold_in_fork(bucket)
    Moment(bucket).remove_leftovers()
    assert not (bucket / "moment").exists()


def _hold_in_fork(bucket: Path) -> None:
    process = multiprocessing.get_context("fork").Process(target=_hold_and_die, args=(bucket,))
    process.start()
    process.join()


def test_full_disk_ends_the_backup_and_not_the_service(
    bucket: Path, folder: ObjectFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder, "a", b"old")
    moment = Moment(bucket)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with moment.hold():
        with moment.begin():
            pass
        with monkeypatch.context() as patched:
            patched.setattr("infra.local.objects.moment.os.link", full)
            folder.delete("a")
        assert folder.open("a") is None
        with pytest.raises(MomentLostError):
            moment.link_all()


def test_moment_among_many_changes_is_whole(bucket: Path, folder: ObjectFolder) -> None:
    """Each thread moves a token from key to key: at each moment it is there, once or twice."""
    over = threading.Event()

    def move(name: str) -> None:
        n = 0
        put(folder, f"{name}/0", b"0")
        while not over.is_set():
            n += 1
            put(folder, f"{name}/{n}", str(n).encode())
            folder.delete(f"{name}/{n - 1}")

    with ThreadPoolExecutor(4) as threads:
        moving = [threads.submit(move, f"t{thread}") for thread in range(4)]
        time.sleep(0.1)
        try:
            for _ in range(10):
                moment = Moment(bucket)
                with moment.hold():
                    with moment.begin():
                        names = [each.key for each in folder.walk()]
                    found = kept(moment.link_all())
                expected = {"keys/{}/={}".format(*name.split("/")) for name in names}
                assert expected <= set(found)
                assert {name.split("/")[1] for name in expected} == {"t0", "t1", "t2", "t3"}
        finally:
            over.set()
        for each in moving:
            each.result()
