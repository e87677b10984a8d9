"""Names of this machine: a page whose own name is made to resolve to it is refused."""

import ipaddress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class OwnNames:
    """Names that a port answers to, in lower case; `takes_addresses`: any IP address as well."""

    names: tuple[str, ...]
    takes_addresses: bool = False

    def with_host_of(self, *urls: str) -> "OwnNames":
        """Return these names with the hosts of URLs."""
        hosts = [host for url in urls if (host := urlsplit(url).hostname)]
        more = [f"[{host}]" if ":" in host else host for host in hosts]
        return OwnNames(tuple(dict.fromkeys((*self.names, *more))), self.takes_addresses)

    def include(self, header: str | None) -> bool:
        """Tell whether a Host header has one of these names, at any port: one may be forwarded."""
        host = (header or "").lower()
        name, port = _split(host)
        if port and not (port.isascii() and port.isdecimal()):
            return False
        return name in self.names or (self.takes_addresses and _is_address(name))

    @property
    def refusal(self) -> str:
        """Return the answer for other names."""
        names = f"{', '.join(self.names[:-1])} and {self.names[-1]}"
        return f"This port answers to {names} only.\n"


LOOPBACK: Final = OwnNames(("127.0.0.1", "localhost"))
REFUSAL: Final = LOOPBACK.refusal


def is_own_host(header: str | None) -> bool:
    """Tell whether a Host header names this machine by its loopback, at any port."""
    return LOOPBACK.include(header)


def _split(host: str) -> tuple[str, str]:
    if host.startswith("["):
        name, closing, rest = host.partition("]")
        return name + closing, rest.removeprefix(":")
    name, _, port = host.partition(":")
    return name, port


def _is_address(name: str) -> bool:
    is_bracketed = name.startswith("[") and name.endswith("]")
    try:
        address = ipaddress.ip_address(name[1:-1] if is_bracketed else name)
    except ValueError:
        return False
    return (address.version == 6) is is_bracketed  # noqa: PLR2004 -- as a URL has them
