"""Request to the object store, and what its body must be."""

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import IO, Any, Final, Self
from urllib.parse import parse_qsl, unquote
from xml.etree.ElementTree import Element, ParseError, fromstring

from infra.local.objects.answers import RefusedError
from infra.local.objects.object_file import Digests, Properties, Readable

_CHECKSUM: Final = "x-amz-checksum-"
_BODY_HASH: Final = "x-amz-content-sha256"
_NO_CHECKSUMS: Final = {"x-amz-checksum-algorithm", "x-amz-checksum-mode", "x-amz-checksum-type"}
_CONTENT_HEADERS: Final = (
    "content-type",
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "expires",
)
_MAX_XML_BYTES: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class StoreRequest:
    """Request to the store: names of headers are in lower case; `raw_path` is as it was sent."""

    method: str
    raw_path: str
    raw_query: str
    headers: Mapping[str, str]
    body: Readable

    @classmethod
    def from_environ(cls, environ: Mapping[str, Any]) -> Self:
        """Return the request of a WSGI environment."""
        raw_path, _, raw_query = str(environ["REQUEST_URI"]).partition("?")
        headers = {
            name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
            for name, value in environ.items()
            if name.startswith("HTTP_") or name in {"CONTENT_TYPE", "CONTENT_LENGTH"}
        }
        method = str(environ["REQUEST_METHOD"])
        return cls(method, raw_path, raw_query, headers, environ["wsgi.input"])

    @property
    def query(self) -> Mapping[str, str]:
        """Return the query, decoded; a name without a value has an empty one."""
        return dict(parse_qsl(self.raw_query, keep_blank_values=True))

    @property
    def bucket_and_key(self) -> tuple[str, str]:
        """Return bucket and key, decoded; the key of a bucket is empty."""
        bucket, _, key = self.raw_path.lstrip("/").partition("/")
        return unquote(bucket), unquote(key)

    def kept_headers(self) -> dict[str, str]:
        """Return the headers that are kept with an object: of its content, and its metadata."""
        kept = {name: self.headers[name] for name in _CONTENT_HEADERS if name in self.headers}
        return kept | {
            name: value for name, value in self.headers.items() if name.startswith("x-amz-meta-")
        }

    def write_content(self, file: IO[bytes]) -> Properties:
        """Write the body to a file; return its properties, raise RefusedError where it differs."""
        if self.headers.get(_BODY_HASH, "").startswith("STREAMING-"):
            code, text = "NotImplemented", "Send the body as it is, without aws-chunked."
            raise RefusedError(HTTPStatus.NOT_IMPLEMENTED, code, text)
        digests = Digests().copy(self.body, file)
        self._check(digests)
        sha256 = base64.b64encode(digests.sha256.digest()).decode()
        etag = f'"{digests.md5.hexdigest()}"'
        return Properties(digests.size, etag, sha256, self.kept_headers())

    def xml(self) -> Element:
        """Return the body as XML; raises RefusedError."""
        body = self.body.read(_MAX_XML_BYTES)
        expected = self.headers.get(_BODY_HASH, "")
        if len(expected) == 64 and hashlib.sha256(body).hexdigest() != expected:  # noqa: PLR2004
            raise _mismatch("XAmzContentSHA256Mismatch")
        try:
            root = fromstring(body)  # noqa: S314 -- only who has the key of the stack sends it
        except ParseError as fault:
            raise RefusedError(HTTPStatus.BAD_REQUEST, "MalformedXML", str(fault)) from fault
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
        return root

    def _check(self, digests: Digests) -> None:
        length = self.headers.get("content-length")
        if length is not None and int(length) != digests.size:
            raise RefusedError(HTTPStatus.BAD_REQUEST, "IncompleteBody", "The body was cut short.")
        known = {
            "content-md5": digests.md5.digest(),
            f"{_CHECKSUM}sha256": digests.sha256.digest(),
            f"{_CHECKSUM}crc32": digests.crc32.to_bytes(4),
        }
        for name, value in self.headers.items():
            if name == _BODY_HASH and len(value) == 64:  # noqa: PLR2004 -- SHA-256 in hexadecimal
                if digests.sha256.hexdigest() != value:
                    raise _mismatch("XAmzContentSHA256Mismatch")
            elif name in known:
                if _bytes_of(value) != known[name]:
                    raise _mismatch("BadDigest")
            elif name.startswith(_CHECKSUM) and name not in _NO_CHECKSUMS:
                text = f"{name} is not checked here."
                raise RefusedError(HTTPStatus.NOT_IMPLEMENTED, "NotImplemented", text)


def _bytes_of(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return b""


def _mismatch(code: str) -> RefusedError:
    text = "The body is not the one that its checksum was computed of."
    return RefusedError(HTTPStatus.BAD_REQUEST, code, text)
