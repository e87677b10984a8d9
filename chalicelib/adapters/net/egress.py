"""Guarded egress: the only way to reach a host that a tenant can name (decision 15)."""

import socket
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from ipaddress import ip_address
from threading import Thread
from typing import TYPE_CHECKING, Final, Unpack

from chalicelib.core import egress_policy
from chalicelib.core.egress_policy import (
    DEFAULT_PORTS,
    EgressPolicy,
    IpAddress,
    host_and_port,
    ip_literal,
    normalized_host,
)
from chalicelib.engine.ports import (
    FetchResponse,
    HostRefusedError,
    HostUnreachableError,
)

if TYPE_CHECKING:
    from chalicelib.adapters.net.http import HttpClient, RequestOptions

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
    """Egress of the service, and port of the engine.

    The addresses of a host are looked up once, all of them are checked, and one of them is
    dialled. So a name that resolves to another address later (DNS rebinding) gains nothing.
    """

    def __init__(
        self, *, allow: str, own_hosts: frozenset[str], resolve: Resolver = _system_lookup
    ) -> None:
        """Follow the rules of `allow` and `own_hosts` (EgressPolicy); raises ValueError."""
        self._rules = EgressPolicy(allow=allow, own_hosts=own_hosts)
        self._resolve = resolve

    def dial(
        self, host: str, port: int, *, timeout_s: float, exempt_only: bool = False
    ) -> socket.socket:
        """Connect to a host of the web; as `connect`, with the ports of the web."""
        ports = egress_policy.ALLOWED_TCP_PORTS
        return self.connect(host, port, timeout_s=timeout_s, ports=ports, exempt_only=exempt_only)

    def connect(
        self,
        host: str,
        port: int,
        *,
        timeout_s: float,
        ports: Collection[int],
        exempt_only: bool = False,
    ) -> socket.socket:
        """Connect to a host after all its addresses were checked.

        `ports` are those that may be reached, beside those of exemptions. With `exempt_only` only
        exempted addresses are allowed, not all public ones. `timeout_s` bounds lookup and
        connecting together. Raises HostRefusedError or HostUnreachableError.
        """
        deadline = time.monotonic() + timeout_s
        addresses = self._checked_addresses(
            (host, port), timeout_s=timeout_s, ports=ports, exempt_only=exempt_only
        )
        connection = _connect_to_first(addresses[:_MAX_DIALLED], port, deadline)
        if connection is None:
            raise HostUnreachableError(
                f"{host_and_port(host, port)} could not be connected to: nothing listens there, "
                "or a firewall is in the way"
            )
        # The head of a request is small, and Nagle's algorithm would keep its rest back.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def refusal(self, url: str, *, timeout_s: float, https_only: bool = False) -> str | None:
        """Return why `fetch` would refuse a URL, after a lookup of its host; send it nothing.

        The result is None for a URL that may be reached, or whose host has no address. Redirects
        are not known.
        """
        # httpx is imported only where something is requested; it reads addresses as `fetch` does.
        import httpx  # noqa: PLC0415

        try:
            parsed = httpx.URL(url)
            host, port = parsed.raw_host.decode(), parsed.port or DEFAULT_PORTS[parsed.scheme]
            self._checked_addresses(
                (host, port),
                timeout_s=timeout_s,
                ports=egress_policy.ALLOWED_TCP_PORTS,
                exempt_only=https_only and parsed.scheme == "http",
            )
        except HostRefusedError as refused:
            return str(refused)
        except (httpx.InvalidURL, KeyError, HostUnreachableError):
            return None
        return None

    def client(self) -> "HttpClient":
        """Return a client that keeps connections until it is closed; for one thread."""
        # httpx is imported only where something is requested.
        from chalicelib.adapters.net.http import HttpClient  # noqa: PLC0415

        return HttpClient(self.connect)

    def request(self, method: str, url: str, **options: Unpack["RequestOptions"]) -> FetchResponse:
        """Send one request over a connection of its own (HttpClient.request)."""
        with self.client() as client:
            return client.request(method, url, **options)

    def fetch(
        self, url: str, *, max_bytes: int, timeout_s: float, https_only: bool = False
    ) -> FetchResponse:
        """Get an http or https URL; each redirect is checked again, and only 2xx is returned.

        Raises HostRefusedError or HostUnreachableError.
        """
        with self.client() as client:
            return client.fetch(
                url, max_bytes=max_bytes, timeout_s=timeout_s, https_only=https_only
            )

    def _checked_addresses(
        self,
        destination: tuple[str, int],
        *,
        timeout_s: float,
        ports: Collection[int],
        exempt_only: bool,
    ) -> Sequence[IpAddress]:
        """Return the addresses of a host; raises HostRefusedError or HostUnreachableError."""
        host, port = destination
        refusal = self._rules.host_refusal(host, port, ports)
        if refusal:
            raise HostRefusedError(refusal)
        addresses = self._host_addresses(normalized_host(host), port, timeout_s)
        # One private address refuses the name: any of them could be dialled (decision 15).
        refusal = self._rules.address_refusal(
            destination, addresses, ports, exempt_only=exempt_only
        )
        if refusal:
            raise HostRefusedError(refusal)
        return addresses

    def _host_addresses(self, host: str, port: int, timeout_s: float) -> Sequence[IpAddress]:
        literal = ip_literal(host)
        if literal is not None:
            return [literal]
        try:
            addresses = [ip_address(text) for text in self._lookup(host, port, timeout_s)]
        except TimeoutError as error:
            message = f"{host} could not be looked up in time: its name servers are slow"
            raise HostUnreachableError(message) from error
        except (OSError, ValueError) as error:
            raise HostUnreachableError(f"{host} has no address") from error
        if not addresses:
            raise HostUnreachableError(f"{host} has no address")
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


def _connect_to_first(
    addresses: Sequence[IpAddress], port: int, deadline: float
) -> socket.socket | None:
    """Return a connection to the first address that answers before the deadline, or None."""
    for left_to_try, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
        remaining_s = deadline - time.monotonic()
        if left_to_try > 1:
            remaining_s = min(remaining_s / left_to_try, _ADDRESS_TIMEOUT_S)
        try:
            return socket.create_connection((str(address), port), max(remaining_s, 0.001))
        except OSError:
            continue
    return None
