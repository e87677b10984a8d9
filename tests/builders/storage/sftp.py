"""Sessions with SFTP servers of the tests."""

from contextlib import AbstractContextManager
from typing import Final

import asyncssh

from chalicelib.core.json import JsonObject
from chalicelib.features.destinations.outgoing import StoreSession
from chalicelib.features.destinations.providers.sftp import open_sftp
from tests.builders.storage.files import egress_to, storage_destination
from tests.builders.waiting import PATIENCE_S
from tests.fakes.ssh_server import PASSWORD, USERNAME, FakeSshServer

LOGIN: Final = {"password": PASSWORD}


def session_with(
    server: FakeSshServer,
    credentials: JsonObject = LOGIN,
    host_key: str | None = None,
    timeout_s: float = PATIENCE_S,
    directory: str = "archive",
) -> AbstractContextManager[StoreSession]:
    """Open the session with a server; its own host key is the known one."""
    known = host_key or public(server.host_key)
    return session_at(server.port, known, credentials, timeout_s, directory)


def session_at(
    port: int,
    host_key: str,
    credentials: JsonObject = LOGIN,
    timeout_s: float = PATIENCE_S,
    directory: str = "archive",
) -> AbstractContextManager[StoreSession]:
    """Open the session with the server at a port."""
    destination = storage_destination(
        "sftp",
        host="127.0.0.1",
        port=port,
        username=USERNAME,
        directory=directory,
        host_key=host_key,
    )
    return open_sftp(egress_to(port))(destination, credentials, timeout_s)


def public(key: asyncssh.SSHKey) -> str:
    """Return a public key as `type base64`."""
    return " ".join(key.export_public_key().decode().split()[:2])


def other_key() -> asyncssh.SSHKey:
    """Return a key that no server has."""
    return asyncssh.generate_private_key("ssh-ed25519")
