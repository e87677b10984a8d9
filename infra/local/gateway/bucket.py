"""Door to the bucket at the host of files: presigned URLs and forms, passed on to the emulator.

S3 has a host of its own. On one machine the emulator listens on loopback only, so clients elsewhere
reach objects through the one port of the service.
"""

import http.client
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final, override
from urllib.parse import urlsplit

_PIECE_BYTES: Final = 256 * 1024
_TIMEOUT_S: Final = 60.0
_NOT_PASSED: Final = frozenset({"connection", "keep-alive", "transfer-encoding", "authorization"})

type StartResponse = Any


class BucketDoor:
    """WSGI application that passes on what is signed in its query or by its form.

    The emulator checks the signature, which covers the Host header: that is passed on as it came.
    """

    def __init__(self, bucket: str, endpoint: str) -> None:
        """Pass on requests below `/<bucket>` to the emulator at `endpoint`."""
        self._root = f"/{bucket}"
        self._netloc = urlsplit(endpoint).netloc

    def takes(self, path: str) -> bool:
        """Tell whether a path is one of the bucket or its objects."""
        return path == self._root or path.startswith(f"{self._root}/")

    def __call__(self, environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        """Answer one request; the bodies of both directions are streamed."""
        target = str(environ.get("REQUEST_URI") or environ["PATH_INFO"])
        method = environ["REQUEST_METHOD"]
        if not _is_signed(method, target):
            return _refuse(start, HTTPStatus.FORBIDDEN)
        connection = http.client.HTTPConnection(self._netloc, timeout=_TIMEOUT_S)
        try:
            connection.request(method, target, environ["wsgi.input"], _headers(environ))
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException):
            connection.close()
            return _refuse(start, HTTPStatus.BAD_GATEWAY)
        headers = [pair for pair in answer.getheaders() if pair[0].lower() not in _NOT_PASSED]
        start(f"{answer.status} {answer.reason}", headers)
        return _Pieces(connection, answer)


class _Pieces(Iterator[bytes]):
    """Body of an answer in pieces; its connection is closed with it."""

    def __init__(
        self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse
    ) -> None:
        self._connection = connection
        self._answer = answer

    @override
    def __next__(self) -> bytes:
        piece = self._answer.read(_PIECE_BYTES)
        if not piece:
            raise StopIteration
        return piece

    def close(self) -> None:
        """Close the connection; servers call this at the end and when the client has left."""
        self._connection.close()


def _is_signed(method: str, target: str) -> bool:
    """Tell whether the emulator will look for a signature: in the query, or in a form."""
    if method in {"GET", "HEAD"}:
        return "X-Amz-Signature=" in target
    return method in {"POST", "OPTIONS"} and "?" not in target


def _headers(environ: Mapping[str, Any]) -> dict[str, str]:
    sent = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_") or (name in {"CONTENT_TYPE", "CONTENT_LENGTH"} and value)
    }
    # Without a length http.client would send a body in chunks.
    sent.setdefault("content-length", "0")
    return {name: value for name, value in sent.items() if name not in _NOT_PASSED}


def _refuse(start: StartResponse, status: HTTPStatus) -> list[bytes]:
    body = f"{status.phrase}\n".encode()
    headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
    start(f"{int(status)} {status.phrase}", headers)
    return [body]
