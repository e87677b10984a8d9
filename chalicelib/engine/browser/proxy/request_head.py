"""What the browser asks its proxy for: read strictly, and written anew for the host."""

import re
from dataclasses import dataclass
from typing import Final, Self

from chalicelib.engine.ports import host_and_port

MAX_HEAD_BYTES: Final = 262_144
_HEAD_END: Final = b"\r\n\r\n"
_HOST: Final = r"""(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[^]\[:/?#@\\%<>^`{|}"]+))"""
_PORT: Final = r":(?P<port>[0-9]{1,5})"
_HOST_PORT: Final = re.compile(_HOST + _PORT)
_ABSOLUTE_HTTP_URL: Final = re.compile(
    rf"http://(?P<authority>{_HOST}(?:{_PORT})?)(?P<path>/[^#]*)?"
)
_REQUEST_LINE: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP/1\.1")
_HEADER: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\r\n\0]*)")
# They are about this connection, or are written anew.
_HOP_BY_HOP: Final = re.compile(
    rb"host|connection|keep-alive|proxy-.*|te|trailer|upgrade|http2-settings", re.IGNORECASE
)


class UnreadableRequest(Exception):  # noqa: N818 -- reads as the fact it tells
    """No request that the browser would send."""


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """A request: `head` is to be passed on, `body` the size of what follows; or a tunnel."""

    host: str
    port: int
    url: str
    head: bytes | None = None
    body_bytes: int = 0

    @property
    def host_and_port(self) -> str:
        """Return host and port as they are written."""
        return host_and_port(self.host, self.port)

    @classmethod
    def parse(cls, head: bytes) -> Self:
        """Read a head without its last line; raises Unreadable."""
        first, *headers = head.split(b"\r\n")
        line = _REQUEST_LINE.fullmatch(first)
        if line is None:
            raise UnreadableRequest
        method, target = line[1], line[2].decode("ascii")
        tunnel = method == b"CONNECT"
        found = (_HOST_PORT if tunnel else _ABSOLUTE_HTTP_URL).fullmatch(target)
        if found is None:
            raise UnreadableRequest
        host, port = found["six"] or found["name"], int(found["port"] or 80)
        if tunnel:
            return cls(host, port, f"https://{target}")
        authority, path = found["authority"], found["path"] or "/"
        kept, body = _forwarded_headers(headers)
        written = (
            method + f" {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: keep-alive".encode(),
            *kept,
        )
        return cls(host, port, target, b"\r\n".join(written) + _HEAD_END, body)


def split_head(data: bytes) -> tuple[bytes, bytes] | None:
    """Return the head and what follows it; None: it is not complete. Raises Unreadable."""
    head, end, rest = data.partition(_HEAD_END)
    if len(head) > MAX_HEAD_BYTES:
        raise UnreadableRequest
    return (head, rest) if end else None


def _forwarded_headers(headers: list[bytes]) -> tuple[list[bytes], int]:
    """Return the headers to pass on, and the size of what follows them."""
    named = [_name_and_value(header) for header in headers]
    if any(name == b"transfer-encoding" for name, _ in named):
        raise UnreadableRequest
    own = {
        option.strip()
        for name, value in named
        if name == b"connection"
        for option in value.lower().split(b",")
    }
    kept = [
        header
        for header, (name, _) in zip(headers, named, strict=True)
        if name == b"content-length" or not (name in own or _HOP_BY_HOP.fullmatch(name))
    ]
    sizes = [value.strip(b" \t") for name, value in named if name == b"content-length"]
    if not sizes:
        return kept, 0
    if len(sizes) > 1 or not re.fullmatch(rb"[0-9]{1,15}", sizes[0]):
        raise UnreadableRequest
    return kept, int(sizes[0])


def _name_and_value(header: bytes) -> tuple[bytes, bytes]:
    found = _HEADER.fullmatch(header)
    if found is None:
        raise UnreadableRequest
    return found[1].lower(), found[2]
