"""The engine's way out of this machine: one door, which bootstrap hands in.

Nothing of the engine opens a connection by itself.
"""

import socket
from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

PORTS: Final = (80, 443, 8080, 8443)


class AddressRefused(Exception):  # noqa: N818 -- reads as the fact it tells
    """The address is private or internal, or has a scheme or port that is refused.

    Its text may be shown to the caller: it names no address that a name has led to.
    """


class Unreachable(Exception):  # noqa: N818 -- reads as the fact it tells
    """What was asked did not answer, or not as it should; its text may be shown to the caller."""


def place_of(host: str, port: int) -> str:
    """Return how a host and port are written."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class Fetched(NamedTuple):
    """An answer; `url` is where the redirects have led to, header names are in lower case."""

    url: str
    status: int
    headers: Mapping[str, str]
    content: bytes


class Outside(Protocol):
    """The door."""

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        """Connect to a host after all its addresses were checked.

        Raises AddressRefused or Unreachable.
        """
        ...

    def fetch(
        self, url: str, *, most_bytes: int, timeout_s: float, secure: bool = False
    ) -> Fetched:
        """Get an http or https address, redirects checked again; 2xx only.

        `secure`: plain http only to what the operator has named. Raises AddressRefused or
        Unreachable, also for what is larger or takes longer.
        """
        ...


class Nowhere:
    """A door that is shut."""

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        """Refuse."""
        del timeout_s
        raise AddressRefused(f"{place_of(host, port)} is refused: nothing may be reached from here")

    def fetch(
        self, url: str, *, most_bytes: int, timeout_s: float, secure: bool = False
    ) -> Fetched:
        """Refuse."""
        del most_bytes, timeout_s, secure
        raise AddressRefused(f"{url} is refused: nothing may be reached from here")
