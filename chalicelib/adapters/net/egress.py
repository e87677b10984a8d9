"""The one outbound door: whatever a tenant can name is reached through it, or not at all."""

import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING, Final

from chalicelib.engine.outside import AddressRefused, Fetched, Unreachable, place_of

if TYPE_CHECKING:
    from chalicelib.adapters.net.addresses import Address, Exemption

_LONGEST_NAME: Final = 253
# A route that leads nowhere, as IPv6 often has none, does not cost a whole time-out.
_NEXT_AFTER_S: Final = 2.0

# The addresses of a host as text; raises OSError where it has none.
type Resolve = Callable[[str, int], Sequence[str]]


def _resolve(host: str, port: int) -> Sequence[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


class Egress:
    """The engine's Outside.

    A host's addresses are looked up once, all of them are checked, and one of those is dialled: a
    name that leads elsewhere a moment later gains nothing.
    """

    def __init__(
        self, *, allow: str, own_hosts: frozenset[str], resolve: Resolve = _resolve
    ) -> None:
        """Let through what is public, and `allow`: a comma-separated list of `CIDR:port`.

        `own_hosts` are the service's own names, which are refused like private addresses. Raises
        ValueError for an `allow` that cannot be read.
        """
        self._exemptions = _exemptions(allow) if allow else ()
        self._own_hosts = frozenset(_plain(host) for host in own_hosts)
        self._resolve = resolve

    def dial(
        self, host: str, port: int, *, timeout_s: float, exempt_only: bool = False
    ) -> socket.socket:
        """Connect to a host after all its addresses were checked.

        `exempt_only`: what is merely public is refused as well.
        """
        ends = time.monotonic() + timeout_s
        addresses = self._checked(host, port, timeout_s, exempt_only=exempt_only)
        for left_to_try, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
            patience = ends - time.monotonic()
            if left_to_try > 1:
                patience = min(patience / left_to_try, _NEXT_AFTER_S)
            try:
                connection = socket.create_connection((address, port), max(patience, 0.001))
            except OSError:
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        raise Unreachable(f"{place_of(host, port)} could not be connected to")

    def fetch(
        self, url: str, *, most_bytes: int, timeout_s: float, secure: bool = False
    ) -> Fetched:
        """Get an http or https address, redirects checked again; 2xx only."""
        # No render needs it that fetches nothing.
        from chalicelib.adapters.net import http  # noqa: PLC0415

        ends = time.monotonic() + timeout_s
        return http.get(url, self.dial, most_bytes=most_bytes, ends=ends, secure=secure)

    def _checked(
        self, host: str, port: int, timeout_s: float, *, exempt_only: bool
    ) -> Sequence[str]:
        from ipaddress import ip_address  # noqa: PLC0415

        from chalicelib.adapters.net.addresses import PORTS  # noqa: PLC0415

        if len(host) > _LONGEST_NAME:
            raise AddressRefused(f"a host's name has at most {_LONGEST_NAME} characters")
        place = place_of(host, port)
        if port not in PORTS and all(port != exemption.port for exemption in self._exemptions):
            ports = ", ".join(map(str, PORTS))
            raise AddressRefused(f"{place} is refused: only ports {ports} may be reached")
        addresses = self._addresses(host, port, timeout_s)
        own = _plain(host) in self._own_hosts or not self._own_hosts.isdisjoint(addresses)
        public = port in PORTS and not own and not exempt_only
        for address in map(ip_address, addresses):
            if not self._may_reach(address, port, public=public):
                why = "it is a private or internal address"
                if exempt_only:
                    why = "plain http is not taken here, use https"
                raise AddressRefused(f"{place} is refused: {why}")
        return addresses

    def _may_reach(self, address: "Address", port: int, *, public: bool) -> bool:
        from chalicelib.adapters.net.addresses import is_public  # noqa: PLC0415

        if public and is_public(address):
            return True
        return any(exemption.names(address, port) for exemption in self._exemptions)

    def _addresses(self, host: str, port: int, timeout_s: float) -> Sequence[str]:
        """Look a host up; the system's own look-up knows no end."""
        found: Future[Sequence[str]] = Future()

        def look_up() -> None:
            try:
                found.set_result(self._resolve(host, port))
            except (OSError, ValueError) as error:
                found.set_exception(error)

        Thread(target=look_up, name="look-up", daemon=True).start()
        try:
            addresses = found.result(timeout_s)
        except (OSError, ValueError) as error:
            raise Unreachable(f"{host} has no address") from error
        if not addresses:
            raise Unreachable(f"{host} has no address")
        return addresses


def _exemptions(allow: str) -> "tuple[Exemption, ...]":
    from chalicelib.adapters.net.addresses import Exemption  # noqa: PLC0415

    try:
        return tuple(Exemption.parse(entry) for entry in allow.split(",") if entry.strip())
    except ValueError as error:
        raise ValueError(f"PLATEN_EGRESS_ALLOW: {error}") from error


def _plain(host: str) -> str:
    return host.lower().rstrip(".")
