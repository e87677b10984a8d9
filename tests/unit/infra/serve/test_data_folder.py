"""A folder that cannot be served is refused with what to do; the tool of the operator finds it."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from infra.serve import data_folder
from infra.serve.data_folder import RESTORING, DataFolder, UnusableFolderError, file_system_type


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder as a server leaves it."""
    path = tmp_path / "data"
    folder = DataFolder(path)
    with folder.hold() as held:
        for file in (held.tables_file, held.keys / "kms.json", held.keys / "secretsmanager.json"):
            file.parent.mkdir(exist_ok=True)
            file.write_text("{}")
        held.objects.mkdir()
        folder.mark_made()
    return path


def refusal(path: Path) -> str:
    with pytest.raises(UnusableFolderError) as refused, DataFolder(path).hold():
        pass
    assert str(path) in str(refused.value)
    return str(refused.value)


def test_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "not" / "there"

    with DataFolder(path).hold() as held:
        assert held.is_kept

    assert path.stat().st_mode & 0o777 == 0o700


def test_folder_is_held_again_after_its_server(data: Path) -> None:
    for _ in range(2):
        with DataFolder(data).hold() as held:
            assert held.path == data


def test_two_servers_do_not_share_a_folder(data: Path) -> None:
    with DataFolder(data).hold():
        assert "another server holds this folder" in refusal(data)
        (data / "run.json").write_text('{"base_url": "http://127.0.0.1:8700/v1"}')
        assert "http://127.0.0.1:8700/v1" in refusal(data)


def test_run_file_of_a_killed_server_is_removed(data: Path) -> None:
    (data / "run.json").write_text('{"base_url": "http://127.0.0.1:1/v1", "pid": 1}')

    with DataFolder(data).hold():
        assert not (data / "run.json").exists()


def test_folder_of_another_user_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)

    assert "belongs to user" in refusal(data)


def test_folder_of_a_newer_release_is_refused(data: Path) -> None:
    (data / "format.json").write_text(json.dumps({"format": 99, "release": "9.1.0"}))

    assert "release 9.1.0" in refusal(data)
    assert "newer" in refusal(data)


def test_folder_names_the_last_release_that_served_it(data: Path) -> None:
    (data / "format.json").write_text(json.dumps({"format": 1, "release": "0.0.1"}))

    folder = DataFolder(data)
    with folder.hold():
        folder.mark_made()

    assert json.loads((data / "format.json").read_text())["release"] != "0.0.1"


@pytest.mark.parametrize("content", ["", "[]", '{"format": "1"}', "{"])
def test_unreadable_format_is_refused(data: Path, content: str) -> None:
    (data / "format.json").write_text(content)

    assert "restore it from a backup" in refusal(data)


def test_half_restored_folder_is_refused(data: Path) -> None:
    (data / RESTORING).touch()

    assert "half restored" in refusal(data)


@pytest.mark.parametrize("name", ["tables/tables.db", "keys/kms.json", "keys/secretsmanager.json"])
def test_folder_without_a_part_is_refused(data: Path, name: str) -> None:
    # A new key in place of the lost one could open no sealed secret.
    (data / name).unlink()

    assert f"{name} is missing" in refusal(data)


def test_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()

    assert "is no data folder of Platen, as it has thesis.tex" in refusal(tmp_path)


def test_a_new_volume_is_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "lost+found").mkdir()

    with DataFolder(tmp_path).hold() as held:
        assert held.path == tmp_path


def test_start_that_was_killed_before_its_end_is_begun_again(tmp_path: Path) -> None:
    with DataFolder(tmp_path).hold() as held:
        held.tables_file.parent.mkdir()
        held.functions_log.touch()
        held.private_log("dynoxide")

    with DataFolder(tmp_path).hold() as held:
        assert held.path == tmp_path


def test_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert "it is not a folder" in refusal(tmp_path / "file")


@pytest.mark.parametrize(
    ("code", "text"),
    [(30, "the file system is read-only"), (28, "the disk is full"), (13, "may not")],
)
def test_folder_that_cannot_be_written_is_refused(
    data: Path, monkeypatch: pytest.MonkeyPatch, code: int, text: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(data_folder, "write_durably", refuse)

    assert text in refusal(data)


def test_nearly_full_disk_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=1_000, f_frsize=4_096))

    assert "the disk is full (3 MB are free" in refusal(data)


@pytest.mark.parametrize("kind", [0x6969, 0xFF534D42])
def test_network_share_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch, kind: int) -> None:
    monkeypatch.setattr(data_folder, "file_system_type", lambda _: kind)

    assert "on a network share" in refusal(data)


def test_type_of_a_file_system_is_read() -> None:
    # PROC_SUPER_MAGIC of statfs(2).
    assert file_system_type(Path("/proc")) == 0x9FA0
