"""The one outbound door: whatever a tenant can name is reached through it, or not at all."""

import re
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import cached_property
from threading import Thread
from typing import TYPE_CHECKING, Final

from chalicelib.engine.ports import (
    DestinationRefusedError,
    DestinationUnreachableError,
    FetchResponse,
    host_and_port,
)

if TYPE_CHECKING:
    from chalicelib.adapters.net.ip_addresses import EgressExemption, IpAddress

_MAX_NAME_CHARS: Final = 253
# As it goes to a name server; IPv4 addresses look alike.
_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
# Who names hundreds of addresses does not have them all knocked at.
_MAX_DIALLED: Final = 8
# A route that leads nowhere, as IPv6 often has none, does not cost a whole time-out.
_ADDRESS_TIMEOUT_S: Final = 2.0

# The addresses of a host as text; raises OSError where it has none.
type Resolver = Callable[[str, int], Sequence[str]]


def _system_lookup(host: str, port: int) -> Sequence[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


class GuardedEgress:
    """The engine's Outside.

    A host's addresses are looked up once, all of them are checked, and one of those is dialled: a
    name that leads elsewhere a moment later gains nothing.
    """

    def __init__(
        self, *, allow: str, own_hosts: frozenset[str], resolve: Resolver = _system_lookup
    ) -> None:
        """Let through what is public, and `allow`: a comma-separated list of `CIDR:port`.

        `own_hosts` are the service's own names, which are refused like private addresses. Raises
        ValueError for an `allow` or an own host that cannot be read.
        """
        self._exemptions = _parse_exemptions(allow) if allow else ()
        self._own_names = [_valid_own_host(host) for host in own_hosts]
        self._resolve = resolve

    def dial(
        self, host: str, port: int, *, timeout_s: float, exempt_only: bool = False
    ) -> socket.socket:
        """Connect to a host after all its addresses were checked.

        `exempt_only`: what is merely public is refused as well.
        """
        ends = time.monotonic() + timeout_s
        checked = self._checked_addresses(host, port, timeout_s, exempt_only=exempt_only)
        addresses = checked[:_MAX_DIALLED]
        for left_to_try, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
            patience = ends - time.monotonic()
            if left_to_try > 1:
                patience = min(patience / left_to_try, _ADDRESS_TIMEOUT_S)
            try:
                connection = socket.create_connection((address, port), max(patience, 0.001))
            except OSError:
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        raise DestinationUnreachableError(f"{host_and_port(host, port)} could not be connected to")

    def fetch(
        self, url: str, *, max_bytes: int, timeout_s: float, https_only: bool = False
    ) -> FetchResponse:
        """Get an http or https address, redirects checked again; 2xx only."""
        # No render needs it that fetches nothing.
        from chalicelib.adapters.net import http  # noqa: PLC0415

        ends = time.monotonic() + timeout_s
        return http.get(url, self.dial, max_bytes=max_bytes, deadline=ends, https_only=https_only)

    @cached_property
    def _own_hosts(self) -> frozenset[str]:
        """Return the service's own names, addresses among them in the one form they have."""
        from chalicelib.adapters.net.ip_addresses import ip_literal  # noqa: PLC0415

        return frozenset(str(ip_literal(host) or host) for host in self._own_names)

    def _checked_addresses(
        self, host: str, port: int, timeout_s: float, *, exempt_only: bool
    ) -> Sequence[str]:
        from chalicelib.adapters.net.ip_addresses import ALLOWED_TCP_PORTS  # noqa: PLC0415

        host = _normalized_host(host)
        if not _is_host(host):
            raise DestinationRefusedError(
                "a host is a name of at most 253 characters (xn--…), or an address"
            )
        place = host_and_port(host, port)
        if port not in ALLOWED_TCP_PORTS and all(
            port != exemption.port for exemption in self._exemptions
        ):
            raise DestinationRefusedError(f"{place} is refused: {_port_refusal()}")
        addresses = self._host_addresses(host, port, timeout_s)
        own = not self._own_hosts.isdisjoint({host, *map(str, addresses)})
        for address in addresses:
            objection = self._refusal_reason(address, port, own=own, exempt_only=exempt_only)
            if objection:
                raise DestinationRefusedError(f"{place} is refused: {objection}")
        return [str(address) for address in addresses]

    def _refusal_reason(
        self, address: "IpAddress", port: int, *, own: bool, exempt_only: bool
    ) -> str | None:
        """Say why an address may not be reached; what is told names no address."""
        from chalicelib.adapters.net import ip_addresses  # noqa: PLC0415

        if any(exemption.covers(address, port) for exemption in self._exemptions):
            return None
        if port not in ip_addresses.ALLOWED_TCP_PORTS:
            return _port_refusal()
        if (
            own
            or not ip_addresses.is_public(address)
            or ip_addresses.is_address_of_this_machine(address)
        ):
            return "it is a private or internal address, only public ones may be reached"
        if exempt_only:
            return "plain http is not taken here, use https"
        return None

    def _host_addresses(self, host: str, port: int, timeout_s: float) -> "Sequence[IpAddress]":
        from ipaddress import ip_address  # noqa: PLC0415

        from chalicelib.adapters.net.ip_addresses import ip_literal  # noqa: PLC0415

        written = ip_literal(host)
        if written is not None:
            return [written]
        try:
            addresses = [ip_address(text) for text in self._lookup(host, port, timeout_s)]
        except (OSError, ValueError) as error:
            raise DestinationUnreachableError(f"{host} has no address") from error
        if not addresses:
            raise DestinationUnreachableError(f"{host} has no address")
        return addresses

    def _lookup(self, host: str, port: int, timeout_s: float) -> Sequence[str]:
        """Look a name up; the system's own look-up knows no end."""
        found: Future[Sequence[str]] = Future()

        def look_up() -> None:
            try:
                found.set_result(self._resolve(host, port))
            except (OSError, ValueError) as error:
                found.set_exception(error)

        Thread(target=look_up, name="look-up", daemon=True).start()
        return found.result(timeout_s)


def _parse_exemptions(allow: str) -> "tuple[EgressExemption, ...]":
    from chalicelib.adapters.net.ip_addresses import EgressExemption  # noqa: PLC0415

    try:
        return tuple(EgressExemption.parse(entry) for entry in allow.split(",") if entry.strip())
    except ValueError as error:
        raise ValueError(f"PLATEN_EGRESS_ALLOW: {error}") from error


def _valid_own_host(host: str) -> str:
    plain = _normalized_host(host)
    if not _is_host(plain):
        raise ValueError(f"{host!r} is no host; a name with other letters is written as xn--…")
    return plain


def _is_host(plain: str) -> bool:
    if ":" not in plain:
        return len(plain) <= _MAX_NAME_CHARS and _NAME.fullmatch(plain) is not None
    from chalicelib.adapters.net.ip_addresses import ip_literal  # noqa: PLC0415

    return ip_literal(plain) is not None


def _port_refusal() -> str:
    from chalicelib.adapters.net.ip_addresses import ALLOWED_TCP_PORTS  # noqa: PLC0415

    return f"only ports {', '.join(map(str, ALLOWED_TCP_PORTS))} may be reached"


def _normalized_host(host: str) -> str:
    return host.lower().removesuffix(".")
