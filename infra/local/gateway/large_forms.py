"""Forms of Gotenberg's routes that do not fit into an event: large files become uploads before.

The gateway of AWS takes no such form. A server of its own passes them on in pieces: each large file
is announced with the caller's own key, and streamed into the bucket by the form of that answer. So
the API has checked who sends it before a byte is kept, and no event carries it.
"""

import base64
import contextlib
import http.client
import io
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote, urlsplit

from multipart import MultipartError, MultipartParser, MultipartPart, parse_options_header

from infra.local.access.wsgi import Application, StartResponse
from infra.local.gateway.events import Response

log: Final = logging.getLogger(__name__)

MAX_FORM_BYTES: Final = 100_000_000
# With the fields and all other files it fits into an event of 6 MB, in base64.
KEPT_BYTES: Final = 3_000_000
# Header of a part whose content is that of an upload, as the API reads it.
UPLOAD_HEADER: Final = "Platen-Upload-Id"
_FORMS: Final = "/forms/"
_MULTIPART: Final = "multipart/form-data"
# As many as the API takes. A larger part is spooled to the disk.
_MAX_PARTS: Final = 200
_SPOOL_BYTES: Final = 1 << 16
_PIECE_BYTES: Final = 1 << 18
_TIMEOUT_S: Final = 60.0
_BOUNDARY: Final = "a4d1c6e2f5b94f2f8a17"
_NOT_PASSED: Final = ("HTTP_IDEMPOTENCY_KEY", "HTTP_CONTENT_ENCODING", "HTTP_EXPECT")

type Problem = Callable[[str, str], Response]


class LargeForms:
    """WSGI application that takes forms of up to 100 MB on the routes of Gotenberg."""

    def __init__(
        self,
        application: Application,
        problem: Problem,
        *,
        base_path: str = "",
        bucket_endpoint: str | None = None,
    ) -> None:
        """Pass requests on to the gateway `application`; `problem` makes its own responses.

        The bucket is at `bucket_endpoint`, or else where the URLs of forms say.
        """
        self._application = application
        self._problem = problem
        self._base_path = base_path
        self._bucket_endpoint = bucket_endpoint

    def __call__(self, environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        size = int(environ.get("CONTENT_LENGTH") or 0)
        if size <= KEPT_BYTES or not self._is_form(environ):
            return self._application(environ, start)
        if size > MAX_FORM_BYTES:
            detail = f"The form has {size} bytes; a form may have {MAX_FORM_BYTES}."
            return _send(start, self._problem("REQUEST_TOO_LARGE", detail))
        moves = _Moves(self._application, environ, self._bucket_endpoint)
        try:
            with ExitStack() as parts:
                body = moves.move(_read_parts(environ, size, parts))
        except MultipartError as damage:
            detail = f"The form cannot be read: {damage.args[0]}."
            return _send(start, self._problem("DEFAULT_4XX", detail))
        except _RefusedError as refusal:
            moves.delete()
            return _send(start, refusal.response)
        except (OSError, http.client.HTTPException):
            log.exception("a large form could not be kept")
            moves.delete()
            detail = "The files of the form could not be kept. Nothing was made: send it again."
            return _send(start, self._problem("INTEGRATION_TIMEOUT", detail))
        answer = _Answer(moves)
        return answer.of(self._application, _with_body(environ, body), start)

    def _is_form(self, environ: Mapping[str, Any]) -> bool:
        path = str(environ.get("REQUEST_URI") or environ["PATH_INFO"]).partition("?")[0]
        return (
            environ["REQUEST_METHOD"] == "POST"
            and path.removeprefix(self._base_path).startswith(_FORMS)
            and str(environ.get("CONTENT_TYPE", "")).lower().startswith(_MULTIPART)
        )


class _RefusedError(Exception):
    """The service has refused an upload; `response` is its answer."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


class _Moves:
    """Files of one form that become uploads of the caller's workspace."""

    def __init__(
        self, application: Application, environ: Mapping[str, Any], bucket_endpoint: str | None
    ) -> None:
        self._application = application
        self._environ = {
            name: value for name, value in environ.items() if name not in _NOT_PASSED
        } | _bearer(environ)
        self._bucket_endpoint = bucket_endpoint
        self._boundary = _boundary(environ)
        self._ids: list[str] = []

    def move(self, parts: Sequence[MultipartPart]) -> bytes:
        """Return the form whose large files are uploads, the largest first, so that it is small."""
        kept = sum(part.size for part in parts)
        moved: dict[int, str] = {}
        files = [number for number, part in enumerate(parts) if part.filename and part.size]
        for number in sorted(files, key=lambda number: parts[number].size, reverse=True):
            if kept <= KEPT_BYTES:
                break
            moved[number] = self._upload(parts[number])
            kept -= parts[number].size
        return b"".join(self._part_bytes(part, moved.get(i)) for i, part in enumerate(parts)) + (
            f"--{self._boundary}--\r\n".encode()
        )

    def delete(self) -> None:
        """Delete the uploads; what stays is deleted after 24 hours."""
        for upload_id in self._ids:
            response = self._call("DELETE", f"/v1/uploads/{quote(upload_id)}")
            if response.status != HTTPStatus.NO_CONTENT:
                log.warning("upload %s stays for a day: %d", upload_id, response.status)

    def _upload(self, part: MultipartPart) -> str:
        asked = {"filename": "form-file", "bytes": part.size}
        response = self._call("POST", "/v1/uploads", json.dumps(asked).encode())
        if response.status != HTTPStatus.CREATED:
            raise _RefusedError(response)
        upload = json.loads(response.body)
        self._ids.append(upload["id"])
        self._send_file(upload["upload"]["url"], upload["upload"]["fields"], part)
        return str(upload["id"])

    def _send_file(self, url: str, fields: Mapping[str, str], part: MultipartPart) -> None:
        """Stream a file into the bucket; raises OSError where that is refused."""
        head, tail = _form_around(fields)
        headers = {
            "Content-Type": f"{_MULTIPART}; boundary={_BOUNDARY}",
            "Content-Length": str(len(head) + part.size + len(tail)),
        }
        target = urlsplit(url)
        endpoint = urlsplit(self._bucket_endpoint or url)
        kind = (
            http.client.HTTPSConnection
            if endpoint.scheme == "https"
            else http.client.HTTPConnection
        )
        with closing(kind(endpoint.netloc, timeout=_TIMEOUT_S)) as connection:
            connection.request("POST", target.path or "/", _pieces(head, part, tail), headers)
            answer = connection.getresponse()
            text = answer.read(_PIECE_BYTES)
        if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
            message = f"the bucket answered {answer.status}: {text[:500]!r}"
            raise OSError(message)

    def _call(self, method: str, path: str, body: bytes = b"") -> Response:
        """Return the answer to a request of the same caller."""
        asked = self._environ | {
            "REQUEST_METHOD": method,
            "REQUEST_URI": path,
            "PATH_INFO": path,
            "QUERY_STRING": "",
            "CONTENT_TYPE": "application/json" if body else "",
        }
        return _response(self._application, _with_body(asked, body))

    def _part_bytes(self, part: MultipartPart, upload_id: str | None) -> bytes:
        headers = part.headerlist
        if upload_id is not None:
            headers = [*headers, (UPLOAD_HEADER, upload_id)]
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        content = part.raw if upload_id is None else b""
        return f"--{self._boundary}\r\n{lines}\r\n".encode() + content + b"\r\n"


class _Answer:
    """Answer to a form; the uploads are deleted behind it, unless a render may still read them."""

    def __init__(self, moves: _Moves) -> None:
        self._moves = moves
        self._status = 0
        self._pieces: Iterable[bytes] = ()

    def of(
        self, application: Application, environ: Mapping[str, Any], start: StartResponse
    ) -> "_Answer":
        def start_and_look(status: str, headers: list[tuple[str, str]]) -> Any:
            self._status = int(status.partition(" ")[0])
            return start(status, headers)

        self._pieces = application(environ, start_and_look)
        return self

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pieces)

    def close(self) -> None:
        is_open = self._status in {0, HTTPStatus.ACCEPTED} or self._status >= 500  # noqa: PLR2004
        if not is_open:
            self._moves.delete()


def _read_parts(environ: Mapping[str, Any], size: int, parts: ExitStack) -> Sequence[MultipartPart]:
    """Return the parts, closed with `parts`; raises MultipartError."""
    parser = MultipartParser(
        environ["wsgi.input"],
        _boundary(environ),
        size,
        strict=True,
        part_limit=_MAX_PARTS,
        spool_limit=_SPOOL_BYTES,
        memory_limit=(_MAX_PARTS + 1) * _SPOOL_BYTES,
        disk_limit=size,
    )
    read = []
    for part in parser:
        parts.callback(part.close)
        read.append(part)
    return read


def _boundary(environ: Mapping[str, Any]) -> str:
    options = parse_options_header(environ["CONTENT_TYPE"])[1]
    return str(options.get("boundary", ""))


def _bearer(environ: Mapping[str, Any]) -> dict[str, str]:
    """Return the password of Basic credentials as a token, which other routes take."""
    scheme, _, encoded = str(environ.get("HTTP_AUTHORIZATION", "")).strip().partition(" ")
    if scheme.lower() != "basic":
        return {}
    with contextlib.suppress(ValueError):
        password = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")[2]
        return {"HTTP_AUTHORIZATION": f"Bearer {password}"}
    return {}


def _form_around(fields: Mapping[str, str]) -> tuple[bytes, bytes]:
    """Return what stands before and behind the file in a form of the bucket."""
    disposition = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="'
    texts = "".join(f'{disposition}{name}"\r\n\r\n{value}\r\n' for name, value in fields.items())
    head = f'{texts}{disposition}file"; filename="file"\r\n\r\n'
    return head.encode(), f"\r\n--{_BOUNDARY}--\r\n".encode()


def _pieces(head: bytes, part: MultipartPart, tail: bytes) -> Iterator[bytes]:
    yield head
    assert part.file is not None
    part.file.seek(0)
    while piece := part.file.read(_PIECE_BYTES):
        yield piece
    yield tail


def _with_body(environ: Mapping[str, Any], body: bytes) -> dict[str, Any]:
    return {**environ, "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}


def _response(application: Application, environ: Mapping[str, Any]) -> Response:
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start(status: str, headers: list[tuple[str, str]]) -> None:
        started.append((status, headers))

    body = b"".join(application(environ, start))
    ((status, headers),) = started
    return Response(int(status.partition(" ")[0]), tuple(headers), body)


def _send(start: StartResponse, response: Response) -> Iterable[bytes]:
    headers = [pair for pair in response.headers if pair[0].lower() != "content-length"]
    headers.append(("Content-Length", str(len(response.body))))
    start(f"{response.status} {HTTPStatus(response.status).phrase}", headers)
    return [response.body]
