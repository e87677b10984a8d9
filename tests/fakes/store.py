"""Fake store: keeps the files that it gets, and raises the configured failures."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from chalicelib.core.json import JsonObject
from chalicelib.features.destinations.model import StorageDestination
from chalicelib.features.destinations.outgoing import (
    OpenStore,
    OutgoingFile,
    StoreSession,
    UploadFailedError,
)

PROVIDERS = ("s3", "azure_blob", "gcs", "sftp")
DENIED = UploadFailedError("storage_denied", "The store refused access.", is_final=True, status=403)


class FakeStore:
    """Store of every provider; `failures` are raised by the step that they name.

    `steps` are those that began, `before` is called before each. `written` are all files that it
    ever got, `files` those that it has.
    """

    def __init__(self) -> None:
        self.failures: dict[str, UploadFailedError] = {}
        self.steps: list[str] = []
        self.before: Callable[[str], object] = lambda _step: None
        self.written: list[OutgoingFile] = []
        self.files: dict[str, bytes] = {}
        self.opened: list[tuple[StorageDestination, JsonObject]] = []
        self.open_sessions = 0

    @property
    def openers(self) -> Mapping[str, OpenStore]:
        """Return the functions that open sessions, by provider."""
        return dict.fromkeys(PROVIDERS, self.open)

    @contextmanager
    def open(
        self,
        destination: StorageDestination,
        credentials: JsonObject,
        timeout_s: float,  # noqa: ARG002 -- as an OpenStore has it
    ) -> Iterator[StoreSession]:
        """Open a session, as an OpenStore does."""
        self.opened.append((destination, credentials))
        self.open_sessions += 1
        try:
            yield self
        finally:
            self.open_sessions -= 1

    def connect(self) -> None:
        self._begin("connect")

    def put(self, file: OutgoingFile) -> str | None:
        self._begin("write")
        with file.open() as stream:
            content = stream.read()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (file.bytes, file.sha256)
        self.written.append(file)
        self.files[file.path] = content
        return f'"{file.sha256[:32]}"'

    def delete(self, path: str) -> None:
        self._begin("delete")
        del self.files[path]

    def _begin(self, step: str) -> None:
        self.before(step)
        self.steps.append(step)
        if step in self.failures:
            raise self.failures[step]
