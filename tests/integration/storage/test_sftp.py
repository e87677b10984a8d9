"""SFTP servers: host keys, log-ins, folders, and temporary names."""

from typing import Final

import asyncssh
import pytest

from chalicelib.core.json import JsonObject
from chalicelib.features.destinations.outgoing import UploadFailedError
from tests.builders.storage.files import (
    outgoing_file,
    watched_file,
)
from tests.builders.storage.real_stores import sftp_store
from tests.builders.storage.servers import SshServer
from tests.builders.storage.sftp import other_key, public, session_with
from tests.fakes.ssh_server import PASSWORD, USERNAME, FakeSshServer

pytestmark = pytest.mark.integration


FILE: Final = outgoing_file("2026/a.pdf", b"content")


@pytest.mark.parametrize("offers_password", [True, False])
def test_password_logs_in_also_when_it_is_asked_for(
    server: FakeSshServer, *, offers_password: bool
) -> None:
    server.offers_password = offers_password

    with session_with(server) as session:
        session.connect()
        tag = session.put(FILE)

    assert tag is None
    assert server.logins == [(USERNAME, PASSWORD)]
    assert (server.folder / "archive/2026/a.pdf").read_bytes() == b"content"


@pytest.mark.parametrize("directory", ["", "/", "/deep/er", "deep/er/"])
def test_keys_lie_below_the_directory(server: FakeSshServer, directory: str) -> None:
    with session_with(server, directory=directory) as session:
        session.put(FILE)

    assert (server.folder / directory.strip("/") / "2026/a.pdf").read_bytes() == b"content"


@pytest.mark.parametrize("credentials", [{"password": "wrong"}, {"private_key": "rubbish"}])
def test_wrong_credentials_are_denied_for_good(
    server: FakeSshServer, credentials: JsonObject
) -> None:
    with session_with(server, credentials) as session, pytest.raises(UploadFailedError) as failed:
        session.connect()

    assert (failed.value.code, failed.value.is_final) == ("storage_denied", True)


def test_encrypted_key_is_denied_for_good(server: FakeSshServer) -> None:
    key = asyncssh.generate_private_key("ssh-rsa")
    encrypted = key.export_private_key("pkcs1-pem", passphrase="secret").decode()

    with (
        session_with(server, {"private_key": encrypted}) as session,
        pytest.raises(UploadFailedError, match="not encrypted") as failed,
    ):
        session.connect()

    assert failed.value.code == "storage_denied"


@pytest.mark.parametrize(
    "host_key", [public(other_key()), other_key().get_fingerprint(), "ssh-ed25519 %%%"]
)
def test_server_with_another_key_gets_no_credentials(server: FakeSshServer, host_key: str) -> None:
    with (
        session_with(server, host_key=host_key) as session,
        pytest.raises(UploadFailedError) as failed,
    ):
        session.put(FILE)

    assert (failed.value.code, failed.value.is_final) == ("storage_host_key_mismatch", True)
    assert server.logins == []
    assert list(server.folder.iterdir()) == []


@pytest.mark.parametrize("name", ["ssh-ed25519", "ecdsa-sha2-nistp256", "ssh-rsa"])
@pytest.mark.parametrize("as_fingerprint", [False, True])
def test_any_key_of_the_server_is_known(
    sshd: SshServer, name: str, *, as_fingerprint: bool
) -> None:
    store, key = sftp_store(sshd), sshd.host_keys[name]
    known = store.elsewhere(host_key=key.get_fingerprint() if as_fingerprint else public(key))

    with store.open(known, store.credentials, 10.0) as session:
        session.connect()


def test_own_key_is_known_among_others_that_openssh_offers(sshd: SshServer) -> None:
    store = sftp_store(sshd)
    other = store.elsewhere(host_key=public(asyncssh.generate_private_key("ssh-rsa")))

    with (
        store.open(other, store.credentials, 10.0) as session,
        pytest.raises(UploadFailedError) as failed,
    ):
        session.connect()

    assert failed.value.code == "storage_host_key_mismatch"


def test_readers_never_see_half_a_file(server: FakeSshServer) -> None:
    names: list[set[str]] = []
    folder = server.folder / "archive"

    def look() -> None:
        names.append({path.name for path in folder.iterdir()})

    with session_with(server) as session:
        session.put(watched_file(outgoing_file("a.pdf", b"x" * 3_000_000), look))

    assert all(len(seen) == 1 for seen in names)
    assert all(name.startswith(".platen-") for seen in names for name in seen)
    assert [path.name for path in folder.iterdir()] == ["a.pdf"]


def test_server_without_posix_rename_replaces_as_well(server: FakeSshServer) -> None:
    server.faults["posix_rename"] = asyncssh.SFTPOpUnsupported("")

    with session_with(server) as session:
        session.put(FILE)
        session.put(outgoing_file(FILE.path, b"second"))

    assert (server.folder / "archive/2026/a.pdf").read_bytes() == b"second"
    assert len(list((server.folder / "archive/2026").iterdir())) == 1
