"""HTTP with stores: the request that puts a file, and the meaning of its answers."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol
from urllib.parse import quote

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.json import JsonObject
from chalicelib.engine.ports import EgressError, FetchResponse
from chalicelib.features.destinations.model import StorageDestination
from chalicelib.features.destinations.outgoing import (
    OpenStore,
    OutgoingFile,
    StoreSession,
    UploadFailedError,
)
from chalicelib.features.destinations.providers.failures import answer_failure, egress_failure

if TYPE_CHECKING:
    from chalicelib.adapters.net.http import HttpClient

_PIECE_BYTES: Final = 256 * 1024
_MAX_ANSWER_BYTES: Final = 64 * 1024
_SENDABLE: Final = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_ETAG: Final = re.compile(r'(?:W/)?"?([!#-~]{1,255})"?')


class StoreRequest(NamedTuple):
    """Signed request; the length of its content is added."""

    url: str
    headers: Mapping[str, str]


class HttpStore(Protocol):
    """Store of one destination: where it is, and how its requests are signed."""

    @property
    def url(self) -> str:
        """Return the URL of the bucket or container, without a final slash."""
        ...

    def put_request(self, file: OutgoingFile) -> StoreRequest:
        """Return the request that puts a file."""
        ...

    def delete_request(self, path: str) -> StoreRequest:
        """Return the request that deletes a file."""
        ...


# Returns the store of a destination with these settings and credentials.
type MakeStore = Callable[[JsonObject, JsonObject], HttpStore]


def open_over(egress: GuardedEgress, make_store: MakeStore) -> OpenStore:
    """Return the opening of sessions that send through `egress`."""

    @contextmanager
    def open_store(
        destination: StorageDestination, credentials: JsonObject, timeout_s: float
    ) -> Iterator[StoreSession]:
        store = make_store(destination.config, credentials)
        with egress.client() as client:
            yield _HttpStoreSession(client, store, timeout_s)

    return open_store


def object_url(bucket_url: str, path: str) -> str:
    """Return the URL of a file, encoded as signatures of version 4 have it."""
    return f"{bucket_url}/{quote(path, safe='/')}"


class _HttpStoreSession:
    def __init__(self, client: "HttpClient", store: HttpStore, timeout_s: float) -> None:
        self._client = client
        self._store = store
        self._timeout_s = timeout_s

    def connect(self) -> None:
        # Any answer will do: who may write a file need not be allowed to ask for more.
        self._send("HEAD", StoreRequest(self._store.url, {}), b"")

    def put(self, file: OutgoingFile) -> str | None:
        request = self._store.put_request(file)
        headers = {**request.headers, "Content-Length": str(file.bytes)}
        is_sent = False

        with file.open() as stream:

            def pieces() -> Iterator[bytes]:
                nonlocal is_sent
                while piece := stream.read(_PIECE_BYTES):
                    yield piece
                is_sent = True

            answer = self._send("PUT", StoreRequest(request.url, headers), pieces())
        _require_success(answer)
        if not is_sent:
            message = "The store answered before it had the whole file."
            raise UploadFailedError(
                "storage_unavailable", message, is_final=False, status=answer.status
            )
        etag = _ETAG.fullmatch(answer.headers.get("etag", ""))
        return etag[1] if etag else None

    def delete(self, path: str) -> None:
        answer = self._send("DELETE", self._store.delete_request(path), b"")
        if answer.status != HTTPStatus.NOT_FOUND:
            _require_success(answer)

    def _send(
        self, method: str, request: StoreRequest, body: bytes | Iterator[bytes]
    ) -> FetchResponse:
        if not all(_SENDABLE.fullmatch(value) for value in request.headers.values()):
            message = "The credentials have characters that no request can have: enter them anew."
            raise UploadFailedError("storage_denied", message, is_final=True)
        try:
            return self._client.request(
                method,
                request.url,
                headers=request.headers,
                body=body,
                https_only=True,
                max_bytes=_MAX_ANSWER_BYTES,
                timeout_s=self._timeout_s,
            )
        except EgressError as failure:
            raise egress_failure(failure) from failure


def _require_success(answer: FetchResponse) -> None:
    """Raise UploadFailedError unless the store has obeyed the request."""
    if not HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
        raise answer_failure(answer)
