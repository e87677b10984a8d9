"""Guarded egress: the only way to reach a host that a tenant can name (decision 15)."""

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
# A DNS name in ASCII. IPv4 addresses match as well; `ip_literal` tells them apart.
_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
# A name with hundreds of addresses must not make the service dial them all.
_MAX_DIALLED: Final = 8
# An address without a route (often IPv6) must not use up the whole timeout.
_ADDRESS_TIMEOUT_S: Final = 2.0

# Returns the IP addresses of a host as text; raises OSError for a host without any.
type Resolver = Callable[[str, int], Sequence[str]]


def _system_lookup(host: str, port: int) -> Sequence[str]:
    results = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(socket_address[0]) for *_, socket_address in results))


class GuardedEgress:
    """Egress port of the engine.

    The addresses of a host are looked up once, all of them are checked, and one of them is
    dialled. So a name that resolves to another address later (DNS rebinding) gains nothing.
    """

    def __init__(
        self, *, allow: str, own_hosts: frozenset[str], resolve: Resolver = _system_lookup
    ) -> None:
        """Allow public addresses, and those of `allow`: a comma-separated list of `CIDR:port`.

        `own_hosts` are the service's own names, which are refused like private addresses. Raises
        ValueError for an `allow` or an own host that cannot be parsed.
        """
        self._exemptions = _parse_exemptions(allow) if allow else ()
        self._own_names = [_valid_own_host(host) for host in own_hosts]
        self._resolve = resolve

    def dial(
        self, host: str, port: int, *, timeout_s: float, exempt_only: bool = False
    ) -> socket.socket:
        """Connect to a host after all its addresses were checked.

        With `exempt_only` only exempted addresses are allowed, not all public ones. Raises
        DestinationRefusedError or DestinationUnreachableError.
        """
        deadline = time.monotonic() + timeout_s
        checked = self._checked_addresses(host, port, timeout_s, exempt_only=exempt_only)
        addresses = checked[:_MAX_DIALLED]
        for left_to_try, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
            remaining_s = deadline - time.monotonic()
            if left_to_try > 1:
                remaining_s = min(remaining_s / left_to_try, _ADDRESS_TIMEOUT_S)
            try:
                connection = socket.create_connection((address, port), max(remaining_s, 0.001))
            except OSError:
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        raise DestinationUnreachableError(f"{host_and_port(host, port)} could not be connected to")

    def fetch(
        self, url: str, *, max_bytes: int, timeout_s: float, https_only: bool = False
    ) -> FetchResponse:
        """Get an http or https URL; each redirect is checked again, and only 2xx is returned.

        Raises DestinationRefusedError or DestinationUnreachableError.
        """
        # httpx is imported only for renders that fetch something.
        from chalicelib.adapters.net import http  # noqa: PLC0415

        deadline = time.monotonic() + timeout_s
        return http.get(
            url, self.dial, max_bytes=max_bytes, deadline=deadline, https_only=https_only
        )

    @cached_property
    def _own_hosts(self) -> frozenset[str]:
        """Return the service's own hosts, IP addresses among them in their normal form."""
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
        destination = host_and_port(host, port)
        if port not in ALLOWED_TCP_PORTS and all(
            port != exemption.port for exemption in self._exemptions
        ):
            raise DestinationRefusedError(f"{destination} is refused: {_port_refusal()}")
        addresses = self._host_addresses(host, port, timeout_s)
        is_own = not self._own_hosts.isdisjoint({host, *map(str, addresses)})
        # One forbidden address refuses the whole name (decision 15).
        for address in addresses:
            reason = self._refusal_reason(address, port, is_own=is_own, exempt_only=exempt_only)
            if reason:
                raise DestinationRefusedError(f"{destination} is refused: {reason}")
        return [str(address) for address in addresses]

    def _refusal_reason(
        self, address: "IpAddress", port: int, *, is_own: bool, exempt_only: bool
    ) -> str | None:
        """Return why an address may not be reached, or None; the text reveals no IP address."""
        from chalicelib.adapters.net import ip_addresses  # noqa: PLC0415

        if any(exemption.covers(address, port) for exemption in self._exemptions):
            return None
        if port not in ip_addresses.ALLOWED_TCP_PORTS:
            return _port_refusal()
        if (
            is_own
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

        literal = ip_literal(host)
        if literal is not None:
            return [literal]
        try:
            addresses = [ip_address(text) for text in self._lookup(host, port, timeout_s)]
        except (OSError, ValueError) as error:
            raise DestinationUnreachableError(f"{host} has no address") from error
        if not addresses:
            raise DestinationUnreachableError(f"{host} has no address")
        return addresses

    def _lookup(self, host: str, port: int, timeout_s: float) -> Sequence[str]:
        """Resolve a name within a timeout, in a thread: getaddrinfo itself takes none."""
        addresses: Future[Sequence[str]] = Future()

        def look_up() -> None:
            try:
                addresses.set_result(self._resolve(host, port))
            except (OSError, ValueError) as error:
                addresses.set_exception(error)

        Thread(target=look_up, name="look-up", daemon=True).start()
        return addresses.result(timeout_s)


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
