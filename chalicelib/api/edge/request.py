"""Request of an API Gateway proxy event: headers, query, body, source IP address and time."""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from chalicelib.core.errors import FieldError, ServiceError, validation_error

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,128}")
_IDEMPOTENCY_KEY: Final = re.compile(r"[\x20-\x7e]{1,255}")
_UTF8: Final = frozenset({"utf-8", "utf8"})


@dataclass(frozen=True)
class Request:
    """One request as API Gateway delivers it."""

    event: Mapping[str, Any]

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
    def params(self) -> Mapping[str, str]:
        """Return the path parameters, not percent-decoded: ids consist of unreserved characters."""
        return self.event.get("pathParameters") or {}

    @property
    def source_ip(self) -> str:
        """Return the peer's IP address from the gateway, never from a header."""
        return str((self._context.get("identity") or {}).get("sourceIp") or "")

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

    def query(self) -> dict[str, str]:
        """Return the query parameters; raises `validation_error` for a repeated one."""
        several: Mapping[str, list[str]] = self.event.get("multiValueQueryStringParameters") or {}
        twice = [name for name, values in several.items() if len(values) > 1]
        if twice:
            raise validation_error(f"/query/{twice[0]}", "is given more than once", "repeated")
        return {name: values[0] if values else "" for name, values in several.items()}

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
    def _context(self) -> Mapping[str, Any]:
        return self.event.get("requestContext") or {}
