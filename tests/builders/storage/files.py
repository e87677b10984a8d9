"""Destinations, and files that are on their way to them."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from hashlib import sha256
from typing import Final

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.ids import DestinationId, WorkspaceId
from chalicelib.core.json import Json
from chalicelib.core.storage import DEFAULT_PATH
from chalicelib.features.destinations.model import StorageDestination, StorageProvider
from chalicelib.features.destinations.outgoing import ByteStream, OutgoingFile

_BLOCK: Final = bytes(range(256)) * 4096


def storage_destination(provider: StorageProvider, **config: Json) -> StorageDestination:
    """Return a destination with these settings."""
    return StorageDestination(
        id=DestinationId("dst_1"),
        workspace_id=WorkspaceId("ws_1"),
        name="Archive",
        provider=provider,
        path_template=DEFAULT_PATH,
        keep_hosted_copy=True,
        is_default=False,
        config=config,
        sealed_credentials=None,
        created_at="2026-01-01T00:00:00Z",
        updated_at="2026-01-01T00:00:00Z",
    )


def outgoing_file(
    path: str, content: bytes = b"%PDF", content_type: str = "application/pdf"
) -> OutgoingFile:
    """Return a file with this content."""
    digest = sha256(content).hexdigest()
    return OutgoingFile(
        path, len(content), digest, content_type, lambda: nullcontext(io.BytesIO(content))
    )


def large_file(path: str, size_mib: int, content_sha256: str | None = None) -> OutgoingFile:
    """Return a file that is never in memory as a whole."""
    digest = content_sha256 or sha256_of_large_file(size_mib)
    return OutgoingFile(
        path,
        size_mib << 20,
        digest,
        "application/zip",
        lambda: nullcontext(_Blocks(size_mib << 20)),
    )


def sha256_of_large_file(size_mib: int) -> str:
    """Return the SHA-256 of the content of `large_file`."""
    digest = sha256()
    for _ in range(size_mib):
        digest.update(_BLOCK)
    return digest.hexdigest()


def watched_file(file: OutgoingFile, at_each_read: Callable[[], None]) -> OutgoingFile:
    """Return a file that calls a function before each piece is read."""

    class Watched:
        def __init__(self, stream: ByteStream) -> None:
            self._stream = stream

        def read(self, size: int = -1, /) -> bytes:
            at_each_read()
            return self._stream.read(size)

    @contextmanager
    def open_watched() -> Iterator[ByteStream]:
        with file.open() as stream:
            yield Watched(stream)

    return file._replace(open=open_watched)


def egress_to(*ports: int) -> GuardedEgress:
    """Return an egress that reaches these ports of this machine."""
    allow = ",".join(f"127.0.0.0/8:{port}" for port in ports)
    return GuardedEgress(allow=allow, own_hosts=frozenset())


class _Blocks:
    def __init__(self, size: int) -> None:
        self._left = size

    def read(self, size: int = -1, /) -> bytes:
        size = min(self._left, len(_BLOCK) if size < 0 else size)
        begin = -self._left % len(_BLOCK)
        size = min(size, len(_BLOCK) - begin)
        self._left -= size
        return _BLOCK[begin : begin + size]
