"""Backups of a data folder: whole, checked, and restored into an empty folder only."""

import json
import multiprocessing
import os
import signal
import sqlite3
import stat
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, override

import boto3
import pytest
from click.testing import CliRunner

from infra.local.access.keys import AccessKey
from infra.local.objects.folder import ObjectFolder
from infra.local.objects.moment import MomentTakenError
from infra.local.objects.object_file import Properties
from infra.local.objects.start import start_object_store
from infra.operator.cli import main
from infra.serve import data_folder
from infra.serve.backup.check import check_backup
from infra.serve.backup.make import back_up
from infra.serve.backup.manifest import UnusableBackupError
from infra.serve.backup.places import FolderPlace, place_of
from infra.serve.backup.restore import restore_backup as restore
from infra.serve.data_folder import RESTORING, DataFolder, UnusableFolderError

BUCKET = "platen-filesbucket"


def put(objects: ObjectFolder, key: str, content: bytes) -> None:
    def write(file: IO[bytes]) -> Properties:
        file.write(content)
        return Properties(len(content), '"tag"', "sum")

    objects.put(key, write)


def connect(data: DataFolder) -> sqlite3.Connection:
    return sqlite3.connect(data.stack.tables_file, isolation_level=None, timeout=30)


@pytest.fixture
def data(tmp_path: Path) -> Iterator[DataFolder]:
    """Give a folder as a server has it, with its tables open in WAL mode."""
    folder = DataFolder(tmp_path / "data")
    with folder.hold() as held:
        held.tables_file.parent.mkdir()
        held.keys.mkdir()
        for name in ("kms.json", "secretsmanager.json", "access.json"):
            (held.keys / name).write_text(f'{{"{name}": "k3y"}}')
        objects = ObjectFolder(held.objects / BUCKET)
        for n in range(3):
            put(objects, f"ws/{n}/{'x' * n}", b"%PDF" * (n + 1))
        with closing(connect(folder)) as rows:
            rows.execute("PRAGMA journal_mode = WAL")
            rows.execute("CREATE TABLE rows (key TEXT PRIMARY KEY)")
            rows.execute("INSERT INTO rows VALUES ('ws/0/')")
            folder.mark_made()
            yield folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_restored_folder_has_all_of_it(data: DataFolder, tmp_path: Path) -> None:
    place = FolderPlace(tmp_path / "backup")
    os.utime(next((data.stack.objects / BUCKET / "keys").rglob("=*")), ns=(1, 1_000))

    manifest = back_up(data, place)
    again = DataFolder(tmp_path / "again")
    restored = restore(place, again)

    assert restored == manifest == check_backup(place)
    assert manifest.files == 7
    before, after = files(data.path), files(again.path)
    kept = {name for name in before if name.startswith(("objects/", "keys/", "format"))}
    kept -= {name for name in kept if "/moment." in name}
    assert {name: after.pop(name) for name in kept} == {name: before[name] for name in kept}
    assert set(after) == {"tables/tables.db", "lock"}
    times = [path.stat().st_mtime_ns for path in (again.stack.objects).rglob("=*")]
    assert 1_000 in times
    with closing(connect(again)) as rows:
        assert rows.execute("SELECT key FROM rows").fetchall() == [("ws/0/",)]
    with again.hold():
        pass
    assert stat.S_IMODE((tmp_path / "backup").stat().st_mode) == 0o700
    for folder in (tmp_path / "backup", again.path):
        keys = [stat.S_IMODE(path.stat().st_mode) for path in (folder / "keys").iterdir()]
        assert keys == [0o600] * 3


@contextmanager
def many_changes(data: DataFolder) -> Iterator[None]:
    """Write objects and then their rows, and delete both again, in threads."""
    objects = ObjectFolder(data.stack.objects / BUCKET)
    over = threading.Event()

    def work(name: str) -> None:
        n = 0
        with closing(connect(data)) as rows:
            rows.execute("PRAGMA synchronous = OFF")
            while not over.is_set():
                n += 1
                put(objects, f"{name}/{n}", b"x")
                rows.execute("INSERT INTO rows VALUES (?)", [f"{name}/{n}"])
                if n > 3:
                    rows.execute("DELETE FROM rows WHERE key = ?", [f"{name}/{n - 3}"])
                    objects.delete(f"{name}/{n - 3}")

    with ThreadPoolExecutor(3) as threads:
        working = [threads.submit(work, f"t{thread}") for thread in range(3)]
        try:
            yield
        finally:
            over.set()
        for each in working:
            each.result()


def test_rows_and_objects_are_of_one_moment(data: DataFolder, tmp_path: Path) -> None:
    """No row names an object that is not there."""
    with many_changes(data):
        for n in range(5):
            back_up(data, FolderPlace(tmp_path / f"backup{n}"))

    seen = 0
    for n in range(5):
        restored = DataFolder(tmp_path / f"restored{n}")
        restore(FolderPlace(tmp_path / f"backup{n}"), restored)
        there = ObjectFolder(restored.stack.objects / BUCKET)
        with closing(connect(restored)) as rows:
            keys = {key for (key,) in rows.execute("SELECT key FROM rows")}
        seen += len(keys)
        assert keys - {each.key for each in there.walk()} == set()
    assert seen > 20


def test_backup_in_a_bucket(
    data: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = AccessKey.random()
    running = start_object_store(tmp_path / "store", key)
    for name, value in key.variables().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    url = running.server.url
    s3 = boto3.client("s3", endpoint_url=url)
    s3.create_bucket(Bucket="backups")
    # One that goes in parts.
    put(ObjectFolder(data.stack.objects / BUCKET), "large", os.urandom(9 << 20))
    place = place_of("s3://backups/monday", url)

    try:
        back_up(data, place)
        with pytest.raises(FileExistsError):
            back_up(data, place)
        again = DataFolder(tmp_path / "again")
        restore(place_of("s3://backups/monday/", url), again)
        s3.delete_object(Bucket="backups", Key="monday/manifest.json")
        with pytest.raises(UnusableBackupError, match="did not end"):
            restore(place, DataFolder(tmp_path / "third"))
    finally:
        running.server.close()

    large = "objects/platen-filesbucket/keys/=large"
    assert files(again.path)[large] == files(data.path)[large]


def _damage_object(backup: Path) -> str:
    path = next((backup / "objects").rglob("=*"))
    path.write_bytes(path.read_bytes().replace(b"PDF", b"FDP", 1))
    return "is damaged"


def _miss_object(backup: Path) -> str:
    next((backup / "objects").rglob("=*")).unlink()
    return "is missing"


def _damage_list(backup: Path) -> str:
    lines = (backup / "files.jsonl").read_bytes().splitlines(keepends=True)
    (backup / "files.jsonl").write_bytes(b"".join(lines[:-1]))
    return "is not the list of this backup"


def _lead_outside(backup: Path) -> str:
    line = {"path": "objects/../../out", "size": 1, "sha256": "0", "modified": 1}
    (backup / "files.jsonl").write_text(json.dumps(line) + "\n")
    return "names no file of a backup"


def _damage_manifest(backup: Path) -> str:
    (backup / "manifest.json").write_bytes(b'{"object": "platen_backup"')
    return "manifest.json is damaged"


def _miss_manifest(backup: Path) -> str:
    (backup / "manifest.json").unlink()
    return "did not end"


def _change_manifest(backup: Path, **fields: Any) -> None:
    content = json.loads((backup / "manifest.json").read_bytes()) | fields
    (backup / "manifest.json").write_text(json.dumps(content))


def _be_newer(backup: Path) -> str:
    _change_manifest(backup, format=2, release="99.0.0", files="many")
    return "made by release 99.0.0, which is newer"


def _have_newer_data(backup: Path) -> str:
    _change_manifest(backup, data_format=data_folder.FORMAT + 1)
    return "which is newer"


@pytest.mark.parametrize(
    "damage",
    [
        _damage_object,
        _miss_object,
        _damage_list,
        _lead_outside,
        _damage_manifest,
        _miss_manifest,
        _be_newer,
        _have_newer_data,
    ],
)
def test_backup_that_is_not_whole_is_refused(data: DataFolder, tmp_path: Path, damage: Any) -> None:
    place = FolderPlace(tmp_path / "backup")
    back_up(data, place)
    said = damage(tmp_path / "backup")
    target = DataFolder(tmp_path / "again")

    with pytest.raises(UnusableBackupError, match=said):
        restore(place, target)
    with pytest.raises(UnusableBackupError, match=said):
        check_backup(place)

    assert not target.path.exists() or list(target.path.iterdir()) == []


def test_folder_that_has_anything_is_left_alone(data: DataFolder, tmp_path: Path) -> None:
    place = FolderPlace(tmp_path / "backup")
    back_up(data, place)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("x")
    before = files(data.path)

    for path in (mine, data.path):
        with pytest.raises(UnusableFolderError, match="is not empty"):
            restore(place, DataFolder(path))
    (mine / RESTORING).write_text("of another program")
    with pytest.raises(UnusableFolderError, match="is not empty"):
        restore(place, DataFolder(mine))

    assert set(files(mine)) == {"thesis.tex", RESTORING}
    assert files(data.path) == before


def test_place_is_used_once_and_by_one_backup(data: DataFolder, tmp_path: Path) -> None:
    place = FolderPlace(tmp_path / "backup")
    back_up(data, place)
    before = files(tmp_path / "backup")

    with pytest.raises(FileExistsError):
        back_up(data, place)

    assert files(tmp_path / "backup") == before


class KilledPlace(FolderPlace):
    """Place at whose third file the process is killed."""

    calls = 0

    @override
    def add(self, path: str, content: IO[bytes]) -> None:
        self._count()
        super().add(path, content)

    @override
    def read(self, path: str) -> IO[bytes]:
        if path.startswith("objects/"):
            self._count()
        return super().read(path)

    def _count(self) -> None:
        self.calls += 1
        if self.calls == 3:
            os.kill(os.getpid(), signal.SIGKILL)


def _kill_in(work: Any, *arguments: Any) -> None:
    process = multiprocessing.get_context("fork").Process(target=work, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL


def test_backup_that_was_killed_is_none(data: DataFolder, tmp_path: Path) -> None:
    _kill_in(back_up, data, KilledPlace(tmp_path / "killed"))

    assert not (tmp_path / "killed" / "manifest.json").exists()
    with pytest.raises(UnusableBackupError, match="did not end"):
        restore(FolderPlace(tmp_path / "killed"), DataFolder(tmp_path / "again"))
    # The next one is not disturbed, and nothing of the killed one stays in the folder.
    back_up(data, FolderPlace(tmp_path / "next"))
    check_backup(FolderPlace(tmp_path / "next"))
    folders = [path.name for path in (data.stack.objects / BUCKET).iterdir() if path.is_dir()]
    assert sorted(folders) == ["incoming", "keys"]


def test_restoring_that_was_killed_is_begun_again(data: DataFolder, tmp_path: Path) -> None:
    back_up(data, FolderPlace(tmp_path / "backup"))
    again = DataFolder(tmp_path / "again")
    _kill_in(restore, KilledPlace(tmp_path / "backup"), again)

    with pytest.raises(UnusableFolderError, match="half restored"), again.hold():
        pass
    (again.path / "objects" / "leftover").write_text("of the killed one")
    restore(FolderPlace(tmp_path / "backup"), again)

    with again.hold():
        pass
    assert not (again.path / "objects" / "leftover").exists()


def test_folder_of_a_running_server_is_not_restored_over(data: DataFolder, tmp_path: Path) -> None:
    back_up(data, FolderPlace(tmp_path / "backup"))
    target = DataFolder(tmp_path / "again")

    with target.lock(), pytest.raises(UnusableFolderError, match="holds this folder"):
        restore(FolderPlace(tmp_path / "backup"), target)


@contextmanager
def _damaged_tables(data: DataFolder) -> Iterator[None]:
    with closing(connect(data)) as rows:
        rows.execute("CREATE INDEX by_key ON rows (key)")
        rows.execute("PRAGMA writable_schema = ON")
        rows.execute("UPDATE sqlite_schema SET sql = sql || ' WHERE key = 1' WHERE name = 'by_key'")
    yield


def test_damaged_tables_are_found(data: DataFolder, tmp_path: Path) -> None:
    with _damaged_tables(data), pytest.raises(UnusableBackupError, match="tables are damaged"):
        back_up(data, FolderPlace(tmp_path / "backup"))


def test_format_goes_up_with_the_release_that_starts(
    data: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = FolderPlace(tmp_path / "backup")
    back_up(data, place)
    again = DataFolder(tmp_path / "again")
    restore(place, again)
    monkeypatch.setattr(data_folder, "FORMAT", 2)

    with again.hold():
        pass

    assert json.loads((again.path / "format.json").read_text())["format"] == 2
    monkeypatch.setattr(data_folder, "FORMAT", 1)
    with pytest.raises(UnusableFolderError, match="newer than this one"), again.hold():
        pass


def refusal(*arguments: str) -> dict[str, str]:
    done = CliRunner().invoke(main, [*arguments, "--json"])
    assert done.exit_code == 1, done.output
    answer: dict[str, str] = json.loads(done.stdout)
    return answer


def test_commands(data: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backup, again = str(tmp_path / "backup"), str(tmp_path / "again")
    run = CliRunner().invoke

    made = run(main, ["backup", backup, "--data", str(data.path), "--json"])
    checked = run(main, ["restore", backup, "--check"])
    restored = run(main, ["--data", again, "restore", backup, "--json"])

    assert made.exit_code == checked.exit_code == 0
    assert json.loads(restored.stdout) == json.loads(made.stdout) | {"data": again}
    assert refusal("backup", backup, "--data", again)["code"] == "place_used"
    assert refusal("restore", backup, "--data", again)["code"] == "data_unusable"
    assert refusal("restore", again, "--check")["code"] == "backup_unusable"
    nowhere = str(tmp_path / "nowhere")
    assert refusal("backup", nowhere, "--data", nowhere)["code"] == "data_unusable"
    assert not Path(nowhere).exists()
    assert run(main, ["backup", backup]).exit_code == 2

    def taken(*_: object) -> None:
        raise MomentTakenError

    monkeypatch.setattr("infra.serve.backup.make.back_up", taken)
    assert refusal("backup", nowhere, "--data", again)["code"] == "backup_running"
