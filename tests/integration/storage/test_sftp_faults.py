"""SFTP servers that refuse, hang and cut: each failure is told for what it is."""

import time
from pathlib import Path
from socket import socket
from threading import Event
from typing import Any, Final, cast

import asyncssh
import pytest

from chalicelib.features.destinations.outgoing import UploadFailedError
from chalicelib.features.destinations.providers.sftp import open_sftp
from tests.builders.storage.files import (
    egress_to,
    large_file,
    outgoing_file,
    storage_destination,
)
from tests.builders.storage.real_stores import sftp_store
from tests.builders.storage.servers import SshServer, running_sshd
from tests.builders.storage.sftp import other_key, public, session_at, session_with
from tests.builders.waiting import PATIENCE_S
from tests.fakes.raw_server import Play, raw_server
from tests.fakes.ssh_server import USERNAME, FakeSshServer

pytestmark = pytest.mark.integration

FILE: Final = outgoing_file("2026/a.pdf", b"content")
KNOWN: Final = public(other_key())


def failure_of(server: FakeSshServer) -> UploadFailedError:
    with session_with(server) as session, pytest.raises(UploadFailedError) as failed:
        session.put(FILE)
    return failed.value


@pytest.mark.parametrize(
    ("call", "fault", "code", "is_final"),
    [
        ("open", asyncssh.SFTPPermissionDenied("theirs"), "storage_denied", True),
        ("write", asyncssh.SFTPPermissionDenied("theirs"), "storage_denied", True),
        ("posix_rename", asyncssh.SFTPPermissionDenied("theirs"), "storage_denied", True),
        ("mkdir", asyncssh.SFTPPermissionDenied("theirs"), "storage_not_found", True),
        ("mkdir", asyncssh.SFTPNoSuchFile("theirs"), "storage_not_found", True),
        ("mkdir", OSError(28, "theirs: no space left"), "storage_unavailable", False),
        ("write", asyncssh.SFTPFailure("theirs"), "storage_unavailable", False),
        ("write", OSError(28, "theirs: no space left"), "storage_unavailable", False),
        ("write", OSError(122, "theirs: quota"), "storage_unavailable", False),
    ],
)
def test_refusal_is_told_in_own_words_and_leaves_nothing(
    server: FakeSshServer, call: str, fault: Exception, code: str, *, is_final: bool
) -> None:
    server.faults[call] = fault

    failed = failure_of(server)

    assert (failed.code, failed.is_final, failed.status) == (code, is_final, None)
    assert "theirs" not in str(failed)
    assert [path for path in server.folder.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("key", ["x" * 260, "ä" * 130 + ".pdf", "x" * 260 + "/a.pdf"])
def test_overlong_name_is_final_where_a_server_only_says_that_something_failed(
    server: FakeSshServer, key: str
) -> None:
    file = outgoing_file(key, b"content")

    with session_with(server) as session, pytest.raises(UploadFailedError) as failed:
        session.put(file)

    assert (failed.value.code, failed.value.is_final) == ("storage_rejected", True)


@pytest.mark.parametrize(
    ("key", "code", "reason"),
    [
        ("taken.pdf/a.pdf", "storage_not_found", "a file where a folder must be"),
        ("taken.pdf/b/a.pdf", "storage_not_found", "a file where a folder must be"),
        ("folder", "storage_rejected", "a folder with the name of the file"),
        ("x" * 256, "storage_rejected", "does not take the name"),
        ("x" * 256 + "/a.pdf", "storage_rejected", "does not take the name"),
    ],
)
def test_name_that_openssh_cannot_give_is_final(
    sshd: SshServer, key: str, code: str, reason: str
) -> None:
    store = sftp_store(sshd)
    directory = sshd.folder / "names"

    with store.open(store.elsewhere(directory=str(directory)), store.credentials, 10.0) as session:
        session.put(outgoing_file("taken.pdf"))
        session.put(outgoing_file("folder/a.pdf"))
        with pytest.raises(UploadFailedError, match=reason) as failed:
            session.put(outgoing_file(key))

    assert (failed.value.code, failed.value.is_final) == (code, True)
    assert sorted(path.name for path in directory.rglob("*")) == ["a.pdf", "folder", "taken.pdf"]


def test_connection_that_is_cut_is_opened_again(server: FakeSshServer) -> None:
    def cut(call: str) -> None:
        if call == "write":
            server.cut()

    with session_with(server) as session:
        session.put(outgoing_file("first.pdf"))
        server.watch = cut
        with pytest.raises(UploadFailedError) as failed:
            session.put(FILE)
        server.watch = lambda _call: None
        session.put(FILE)

    assert (failed.value.code, failed.value.is_final) == ("storage_unavailable", False)
    assert (server.folder / "archive/2026/a.pdf").read_bytes() == b"content"
    assert len(server.logins) == 2


def hang(_connection: socket) -> None:
    time.sleep(PATIENCE_S)


def drip(connection: socket) -> None:
    """Send lines without an end."""
    while True:
        connection.sendall(b"x\r\n")
        time.sleep(0.1)


def greet_and_hang(connection: socket) -> None:
    connection.sendall(b"SSH-2.0-theirs\r\n")
    time.sleep(PATIENCE_S)


def talk_http(connection: socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\ntheirs")


def end(connection: socket) -> None:
    connection.close()


@pytest.mark.parametrize("play", [hang, drip, greet_and_hang, talk_http, end])
def test_server_that_speaks_no_ssh_is_unavailable_in_time(play: Play) -> None:
    with (
        raw_server(play) as server,
        session_at(server.port, KNOWN, timeout_s=1.0) as session,
        pytest.raises(UploadFailedError) as failed,
    ):
        session.connect()

    assert (failed.value.code, failed.value.is_final) == ("storage_unavailable", False)
    assert "theirs" not in str(failed.value)


def test_server_that_stops_in_the_middle_is_unavailable_in_time(
    server: FakeSshServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = Event()

    def stop(call: str) -> None:
        if call == "write":
            goes_on.wait(PATIENCE_S)

    server.watch = stop

    with session_with(server) as session:
        session.connect()
        monkeypatch.setattr(cast("Any", session)._client, "_timeout_s", 1.0)
        with pytest.raises(UploadFailedError, match="too long") as failed:
            session.put(FILE)

        goes_on.set()

    assert (failed.value.code, failed.value.is_final) == ("storage_unavailable", False)


def test_port_of_the_web_is_not_allowed() -> None:
    destination = storage_destination(
        "sftp",
        host="files.example",
        port=443,
        username=USERNAME,
        directory="",
        host_key=KNOWN,
    )
    with (
        open_sftp(egress_to())(destination, {"password": "secret"}, 5.0) as session,
        pytest.raises(UploadFailedError, match="only ports 22") as failed,
    ):
        session.connect()

    assert (failed.value.code, failed.value.is_final) == ("url_not_allowed", True)


def test_full_disk_is_unavailable_and_leaves_nothing(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    with running_sshd(tmp_path, small) as sshd:
        store = sftp_store(sshd)
        with store.open(store.elsewhere(directory=str(small)), store.credentials, 10.0) as session:
            with pytest.raises(UploadFailedError, match="disk may be full") as failed:
                session.put(large_file("large.zip", 5))
            session.put(outgoing_file("small.pdf"))

    assert (failed.value.code, failed.value.is_final) == ("storage_unavailable", False)
