"""Hosts that the ports of this machine answer to.

A page whose own name resolves to this machine is refused (decision 58).
"""

import ipaddress
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

_LOOPBACK: Final = ("127.0.0.1", "localhost")


class OwnHosts:
    """Names of this machine, and those at which its service is reached from elsewhere."""

    def __init__(self, public: Iterable[str] = (), *, takes_addresses: bool = False) -> None:
        """Admit the loopback names and `public`, host names or IP addresses without a port.

        `takes_addresses` admits any IP address: a page can make its own name resolve to this
        machine, but not an address.
        """
        self.public = tuple(dict.fromkeys(name.lower() for name in public if name))
        self.names = tuple(dict.fromkeys((*_LOOPBACK, *self.public)))
        self._takes_addresses = takes_addresses

    @property
    def refusal(self) -> str:
        """Return the text for a request to another host."""
        return (
            f"This port answers to {' and '.join(self.names)} only. "
            "PLATEN_BASE_URL and PLATEN_FILES_HOST name further hosts.\n"
        )

    def has(self, header: str | None) -> bool:
        """Tell whether a Host header names one of the hosts, at any port: one may be forwarded."""
        try:
            parts = urlsplit(f"//{header or ''}")
            _ = parts.port
        except ValueError:
            return False
        if parts.netloc != header or "@" in parts.netloc:
            return False
        name = parts.hostname or ""
        return name in self.names or (self._takes_addresses and _is_address(name))


LOOPBACK_HOSTS: Final = OwnHosts()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
