"""Request of an API Gateway proxy event: headers, query, body, source IP address and time."""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypedDict
from urllib.parse import unquote

from chalicelib.core.errors import FieldError, NotFound, ServiceError, validation_error
from chalicelib.core.trusted_proxies import TrustedProxies

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,128}")
_IDEMPOTENCY_KEY: Final = re.compile(r"[\x20-\x7e]{1,255}")
_UTF8: Final = frozenset({"utf-8", "utf8"})
_MAX_READABLE_PATH: Final = 1_000
_TAIL: Final = re.compile(r"\{(\w+)\+\}$")
_STRAY_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_DOT_SEGMENTS: Final = frozenset({"", ".", ".."})
# Browsers read a backslash as a slash.
_FORBIDDEN_IN_SEGMENT: Final = re.compile(r"[/\\\x00-\x1f\x7f]")


class ProxyIdentity(TypedDict, total=False):
    """Caller in a proxy event."""

    sourceIp: str


class ProxyContext(TypedDict, total=False):
    """Request context of a proxy event."""

    httpMethod: str
    resourcePath: str
    path: str
    requestId: str
    requestTimeEpoch: int
    identity: ProxyIdentity | None


class RawTarget(NamedTuple):
    """Path and query of a request, byte for byte as they were sent."""

    path: str
    query: str


class ProxyEvent(TypedDict, total=False):
    """Proxy event of a REST API (payload version 1.0): the members that are read here.

    `rawTarget` is there if the request came by the function's URL (`function_url.py`).
    """

    resource: str
    path: str
    httpMethod: str
    headers: Mapping[str, str] | None
    multiValueHeaders: Mapping[str, Sequence[str]] | None
    multiValueQueryStringParameters: Mapping[str, Sequence[str]] | None
    pathParameters: Mapping[str, str] | None
    requestContext: ProxyContext | None
    body: str | None
    isBase64Encoded: bool
    rawTarget: RawTarget


@dataclass(frozen=True)
class Request:
    """One request as API Gateway delivers it."""

    event: ProxyEvent

    @property
    def method(self) -> str:
        """Return the HTTP method."""
        return str(self._context.get("httpMethod") or self.event.get("httpMethod") or "GET")

    @property
    def route(self) -> str:
        """Return the declared path with its placeholders; empty if unknown."""
        return str(self._context.get("resourcePath") or self.event.get("resource") or "")

    @property
    def path(self) -> str:
        """Return the path that was requested."""
        return str(self.event.get("path") or self._context.get("path") or self.route)

    @property
    def readable_path(self) -> str:
        """Return the path for a message: the beginning, percent-decoded once."""
        return unquote(self.path[:_MAX_READABLE_PATH], errors="replace")

    def path_parameters(self, path: str, *, takes_last_slash: bool = False) -> Mapping[str, str]:
        """Return the parameters of a declared path.

        Ids consist of unreserved characters and are not percent-decoded. A tail, the `{rest+}` at
        the end of a path, is decoded once; raises `not_found` for a malformed one (decision 30). A
        slash at its end is malformed too, unless the endpoint takes it.
        """
        parameters = dict(self.event.get("pathParameters") or {})
        tail = _TAIL.search(path)
        if tail is not None:
            slash = "/" if takes_last_slash and self.path.endswith("/") else ""
            decoded = self._decoded_tail(parameters.get(tail[1], ""), slash)
            parameters[tail[1]] = decoded + slash
        return parameters

    def _decoded_tail(self, encoded: str, allowed_end: str) -> str:
        # API Gateway drops a slash at the end from the parameter, but not from the path.
        path = self.path.removesuffix(allowed_end)
        has_empty_segment = "//" in path or path.endswith("/")
        is_encoded_well = _STRAY_PERCENT.search(encoded) is None
        segments = [_percent_decoded(segment) for segment in encoded.split("/")]
        if has_empty_segment or not is_encoded_well or not all(map(_is_tail_segment, segments)):
            detail = (
                "There is nothing at this path: it has an empty or dot segment, an encoded slash "
                "or control character, or it is not percent-encoded UTF-8."
            )
            raise NotFound("not_found", detail)
        return "/".join(segments)

    @property
    def raw_target(self) -> RawTarget | None:
        """Return path and query as they were sent, if the gateway has handed them over."""
        return self.event.get("rawTarget")

    def client_ip(self, proxies: TrustedProxies) -> str:
        """Return the client's IP address: of the gateway's peer, or of the peer of its proxies."""
        peer = str((self._context.get("identity") or {}).get("sourceIp") or "")
        return proxies.client_ip(peer, self.header_values("x-forwarded-for"))

    @property
    def received_at(self) -> float | None:
        """Return the Unix second at which the gateway received the request."""
        milliseconds = self._context.get("requestTimeEpoch")
        return milliseconds / 1000 if isinstance(milliseconds, int) else None

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """Return the headers by lower-case name; the last value of a repeated header."""
        return {name.lower(): value for name, value in (self.event.get("headers") or {}).items()}

    def header_values(self, name: str) -> Sequence[str]:
        """Return all values of a header by its lower-case name, in the order they were sent."""
        several = self.event.get("multiValueHeaders") or {}
        found = [
            value for sent, values in several.items() if sent.lower() == name for value in values
        ]
        return found or [value for sent, value in self.headers.items() if sent == name]

    @property
    def client_request_id(self) -> str | None:
        """Return the client's request id, or None if it is absent or malformed."""
        text = self.headers.get("x-request-id", "")
        return text if _REQUEST_ID.fullmatch(text) else None

    @cached_property
    def body(self) -> bytes:
        """Return the bytes of the body; raises `invalid_json` for damaged base64."""
        body = self.event.get("body") or ""
        if not self.event.get("isBase64Encoded"):
            return str(body).encode()
        try:
            return base64.b64decode(body, validate=True)
        except binascii.Error as error:
            raise ServiceError("invalid_json", "The body was damaged on its way.") from error

    def query(self, repeatable: Sequence[str] = ()) -> dict[str, str]:
        """Return the query parameters, those that are `repeatable` joined by commas.

        Raises `validation_error` for any other parameter that is repeated.
        """
        several = self.event.get("multiValueQueryStringParameters") or {}
        for name, values in several.items():
            if len(values) > 1 and name not in repeatable:
                raise validation_error(f"/query/{name}", "is given more than once", "repeated")
        return {name: ",".join(values) for name, values in several.items()}

    def media_type(self) -> str | None:
        """Return the media type of the body without parameters, or None if there is none.

        Raises `unsupported_media_type` for a charset other than UTF-8.
        """
        text = self.headers.get("content-type", "")
        kind, *parameters = (part.strip().lower() for part in text.split(";"))
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip() == "charset" and value.strip().strip('"') not in _UTF8:
                raise ServiceError("unsupported_media_type", "The body must be UTF-8.")
        return kind or None

    def idempotency_key(self) -> str | None:
        """Return the Idempotency-Key, or None.

        Raises `validation_error` for a malformed one, or several different ones.
        """
        keys = set(self.header_values("idempotency-key"))
        if len(keys) > 1:
            error = FieldError("/headers/Idempotency-Key", "repeated", "is given more than once")
            raise ServiceError(
                "validation_error", "Idempotency-Key is given more than once.", errors=[error]
            )
        key = next(iter(keys), None)
        if key is not None and _IDEMPOTENCY_KEY.fullmatch(key) is None:
            message = "must be 1 to 255 printable ASCII characters"
            error = FieldError("/headers/Idempotency-Key", "wrong_format", message)
            raise ServiceError("validation_error", f"Idempotency-Key {message}.", errors=[error])
        return key

    @property
    def _context(self) -> ProxyContext:
        return self.event.get("requestContext") or {}


def _percent_decoded(segment: str) -> str:
    """Return the text of a segment; empty if it is not UTF-8."""
    try:
        return unquote(segment, errors="strict")
    except UnicodeDecodeError:
        return ""


def _is_tail_segment(text: str) -> bool:
    return text not in _DOT_SEGMENTS and _FORBIDDEN_IN_SEGMENT.search(text) is None
