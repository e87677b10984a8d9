"""What the browser asks its proxy for: read strictly, and written anew for the host."""

import re
from dataclasses import dataclass
from typing import Final, Self

from chalicelib.engine.outside import place_of

MOST_HEAD: Final = 262_144
_END: Final = b"\r\n\r\n"
_HOST: Final = r"""(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[^]\[:/?#@\\%<>^`{|}"]+))"""
_PORT: Final = r":(?P<port>[0-9]{1,5})"
_PLACE: Final = re.compile(_HOST + _PORT)
_PLAIN: Final = re.compile(rf"http://(?P<authority>{_HOST}(?:{_PORT})?)(?P<path>/[^#]*)?")
_LINE: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP/1\.1")
_HEADER: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\r\n\0]*)")
# They are about this connection, or are written anew.
_OURS: Final = re.compile(
    rb"host|connection|keep-alive|proxy-.*|te|trailer|upgrade|http2-settings", re.IGNORECASE
)


class Unreadable(Exception):  # noqa: N818 -- reads as the fact it tells
    """No request that the browser would send."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: `head` is to be passed on, `body` the size of what follows; or a tunnel."""

    host: str
    port: int
    address: str
    head: bytes | None = None
    body: int = 0

    @property
    def place(self) -> str:
        """Return host and port as they are written."""
        return place_of(self.host, self.port)

    @classmethod
    def read(cls, head: bytes) -> Self:
        """Read a head without its last line; raises Unreadable."""
        first, *headers = head.split(b"\r\n")
        line = _LINE.fullmatch(first)
        if line is None:
            raise Unreadable
        method, target = line[1], line[2].decode("ascii")
        tunnel = method == b"CONNECT"
        found = (_PLACE if tunnel else _PLAIN).fullmatch(target)
        if found is None:
            raise Unreadable
        host, port = found["six"] or found["name"], int(found["port"] or 80)
        if tunnel:
            return cls(host, port, f"https://{target}")
        authority, path = found["authority"], found["path"] or "/"
        kept, body = _kept(headers)
        written = (
            method + f" {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: keep-alive".encode(),
            *kept,
        )
        return cls(host, port, target, b"\r\n".join(written) + _END, body)


def split(read: bytes) -> tuple[bytes, bytes] | None:
    """Return the head and what follows it; None: it is not complete. Raises Unreadable."""
    head, end, rest = read.partition(_END)
    if len(head) > MOST_HEAD:
        raise Unreadable
    return (head, rest) if end else None


def _kept(headers: list[bytes]) -> tuple[list[bytes], int]:
    """Return the headers to pass on, and the size of what follows them."""
    named = [_named(header) for header in headers]
    if any(name == b"transfer-encoding" for name, _ in named):
        raise Unreadable
    own = {
        option.strip()
        for name, value in named
        if name == b"connection"
        for option in value.lower().split(b",")
    }
    kept = [
        header
        for header, (name, _) in zip(headers, named, strict=True)
        if name == b"content-length" or not (name in own or _OURS.fullmatch(name))
    ]
    sizes = [value.strip(b" \t") for name, value in named if name == b"content-length"]
    if not sizes:
        return kept, 0
    if len(sizes) > 1 or not re.fullmatch(rb"[0-9]{1,15}", sizes[0]):
        raise Unreadable
    return kept, int(sizes[0])


def _named(header: bytes) -> tuple[bytes, bytes]:
    found = _HEADER.fullmatch(header)
    if found is None:
        raise Unreadable
    return found[1].lower(), found[2]
