"""SFTP servers."""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, cast

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.json import JsonObject
from chalicelib.core.storage import StorageErrorCode
from chalicelib.engine.ports import EgressError
from chalicelib.features.destinations.model import StorageDestination
from chalicelib.features.destinations.outgoing import (
    OpenStore,
    OutgoingFile,
    StoreSession,
    UploadFailedError,
)
from chalicelib.features.destinations.providers.failures import egress_failure

if TYPE_CHECKING:
    from chalicelib.adapters.net.sftp import SftpClient, SftpLogin
    from chalicelib.adapters.net.sftp_faults import SftpFault

_MAX_NAME_BYTES: Final = 255
# With what the tenant has to change.
_MEANINGS: Final[Mapping["SftpFault", tuple[StorageErrorCode, str]]] = {
    "host_key": (
        "storage_host_key_mismatch",
        "enter its new key if its operator confirms the change",
    ),
    "credentials": ("storage_denied", "check the credentials"),
    "denied": ("storage_denied", "give the user the right to write and delete there"),
    "missing": ("storage_not_found", "create the folder, or correct `directory`"),
    "rejected": ("storage_rejected", "check the settings of the destination and of the server"),
    "unavailable": ("storage_unavailable", ""),
}


def open_sftp(egress: GuardedEgress) -> OpenStore:
    """Return the opening of sessions."""

    @contextmanager
    def open_store(
        destination: StorageDestination, credentials: JsonObject, timeout_s: float
    ) -> Iterator[StoreSession]:
        # asyncssh is imported only where a file goes to such a server.
        from chalicelib.adapters.net.sftp import SftpClient  # noqa: PLC0415

        login = _login(destination.config, credentials)
        with SftpClient(egress.connect, login, timeout_s) as client:
            yield _SftpSession(client, login.host, str(destination.config["directory"]))

    return open_store


class _SftpSession:
    def __init__(self, client: "SftpClient", host: str, directory: str) -> None:
        self._client = client
        self._host = host
        self._directory = directory

    def connect(self) -> None:
        self._attempt(self._client.connect)

    def put(self, file: OutgoingFile) -> str | None:
        with file.open() as source:
            try:
                self._attempt(lambda: self._client.put(self._path(file.path), source, file.sha256))
            except UploadFailedError as failure:
                # Many servers say no more of such a name than that something failed.
                if failure.code != "storage_unavailable" or not _is_overlong(file.path):
                    raise
                message = f"{self._host} does not take the name of the file: it is too long."
                raise UploadFailedError("storage_rejected", message, is_final=True) from failure
        # The protocol has no such tag.
        return None

    def delete(self, path: str) -> None:
        self._attempt(lambda: self._client.delete(self._path(path)))

    def _path(self, path: str) -> str:
        return posixpath.join(self._directory, path)

    def _attempt(self, step: Callable[[], None]) -> None:
        from chalicelib.adapters.net.sftp_faults import SftpFailedError  # noqa: PLC0415

        try:
            step()
        except EgressError as failure:
            raise egress_failure(failure) from failure
        except SftpFailedError as failure:
            code, advice = _MEANINGS[failure.fault]
            message = f"{self._host} {failure}" + (f": {advice}." if advice else ".")
            raise UploadFailedError(
                code, message, is_final=code != "storage_unavailable"
            ) from failure


def _is_overlong(path: str) -> bool:
    """Tell whether a part of a path is longer than file systems take (NAME_MAX)."""
    return any(len(part.encode()) > _MAX_NAME_BYTES for part in path.split("/"))


def _login(config: JsonObject, credentials: JsonObject) -> "SftpLogin":
    from chalicelib.adapters.net.sftp import SftpLogin  # noqa: PLC0415

    password, private_key = credentials.get("password"), credentials.get("private_key")
    return SftpLogin(
        str(config["host"]),
        cast("int", config["port"]),
        str(config["host_key"]),
        str(config["username"]),
        str(password) if password else None,
        str(private_key) if private_key else None,
    )
