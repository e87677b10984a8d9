"""File on its way to a store, and the session with a store."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from chalicelib.core.json import JsonObject
from chalicelib.core.storage import StorageErrorCode
from chalicelib.features.destinations.model import StorageDestination


class ByteStream(Protocol):
    """Bytes of a file, read from its beginning to its end."""

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, at most `size`; none at the end."""
        ...


# Opens the bytes of a file from their beginning: a session may have to begin again.
type OpenBytes = Callable[[], AbstractContextManager[ByteStream]]


class OutgoingFile(NamedTuple):
    """File to upload; `path` is its whole name in the store, `sha256` is in hexadecimal."""

    path: str
    bytes: int
    sha256: str
    content_type: str
    open: OpenBytes


class UploadFailedError(Exception):
    """A store did not take a file; the text is for the tenant, and repeats nothing of the store.

    `status` is that of an HTTP answer, if there was one. `is_final`: another attempt would fail
    too. `retry_after_s` is that of the store.
    """

    def __init__(
        self,
        code: StorageErrorCode,
        message: str,
        *,
        is_final: bool,
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        """Carry the fault in words."""
        super().__init__(message)
        self.code = code
        self.is_final = is_final
        self.status = status
        self.retry_after_s = retry_after_s


class StoreSession(Protocol):
    """Connection to the store of one destination; it is opened when it is first needed.

    Every method raises UploadFailedError for a fault of the store, and nothing else.
    """

    def connect(self) -> None:
        """Connect to the store: its address is allowed and answers, its host key is the known one.

        The first step of a test.
        """
        ...

    def put(self, file: OutgoingFile) -> str | None:
        """Upload a file in place of one of its path, and return its ETag, if the store has one."""
        ...

    def delete(self, path: str) -> None:
        """Delete a file; the last step of a test."""
        ...


class OpenStore(Protocol):
    """Opening of sessions with the stores of one provider."""

    def __call__(
        self, destination: StorageDestination, credentials: JsonObject, timeout_s: float
    ) -> AbstractContextManager[StoreSession]:
        """Open the session with a destination's store; its end closes all its connections.

        Each call of the session takes `timeout_s` at most.
        """
        ...
