"""Fake internet on loopback: one public site, and the canary at every forbidden destination.

No packet of these tests leaves the machine, whatever a page requests or a bug lets through.
"""

import secrets
import socket
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, override

import pytest

from chalicelib.adapters.net import transport
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core import egress_policy
from chalicelib.engine.ports import HostRefusedError, HostUnreachableError
from tests.builders.pages.certificates import certificates
from tests.builders.pages.web_site import SitePage, running_site
from tests.fakes.canary import Canary, CanaryHit
from tests.fakes.dns_server import DnsAnswers, DnsServer
from tests.integration.attacks.case import PUBLIC, Attack, Case, address_of
from tests.integration.attacks.url_forms import NETWORKS

# A public IP address of the service itself.
_OWN = "93.184.216.35"
_ZONE: Mapping[str, DnsAnswers] = {
    "public.test": [[f"A {PUBLIC}"]],
    "own.test": [[f"A {_OWN}"]],
    "metadata.test": [["A 169.254.169.254"]],
    "localhost": [["A 127.0.0.1"]],
    "a.localhost": [["A 127.0.0.1"]],
}
_CERTIFIED = ("public.test", "own.test", "metadata.test", "*.trap.test", "*.nip.test", "localhost")
_ADDRESSES = ("127.0.0.1", "::1", *(network.strip("[]") for network in NETWORKS))
_OWN_HOSTS = frozenset({"own.test"})
_CONNECT_S = 5.0
# The kinds of attacks that may use UDP.
_WITH_UDP = frozenset({"Streams", "Headers", "Hints"})


@dataclass(frozen=True)
class World:
    """The servers and names around the attacks."""

    attacks: Sequence[Attack]
    secret: str
    canary: Canary
    authority: Path
    zone: Mapping[str, DnsAnswers]
    sites: Mapping[int, int]

    def hits(self, attack: Attack) -> list[CanaryHit]:
        """Return the hits of an attack at the canary."""
        return [
            hit
            for hit in list(self.canary.hits)
            if hit.address == attack.ip or attack.slug in hit.received
        ]

    def connect(self, destination: tuple[str, int], timeout: float | None = None) -> socket.socket:
        """Connect to the loopback server that has this destination."""
        host, port = destination
        if ip_address(host).is_loopback:
            own = {self.canary.port, *self.sites.values()}
            return _connect((host, port if port in own else self.canary.port), timeout)
        found = self.sites.get(port) if host == PUBLIC else None
        return _connect(("127.0.0.1", found or self.canary.port), timeout)


@dataclass
class Guarded:
    """The product's own egress, and the hosts it has refused."""

    egress: GuardedEgress
    refused: list[str] = field(default_factory=list)

    def dial(self, host: str, port: int, **limits: Any) -> socket.socket:
        try:
            return self.egress.dial(host, port, **limits)
        except HostRefusedError:
            self.refused.append(host.lower())
            raise

    def fetch(self, url: str, **limits: Any) -> Any:
        return self.egress.fetch(url, **limits)

    def refusal(self, url: str, **limits: Any) -> str | None:
        return self.egress.refusal(url, **limits)


class OpenEgress(GuardedEgress):
    """Egress that refuses nothing; of several IP addresses it takes the forbidden one."""

    def __init__(self, world: World, names: DnsServer) -> None:
        super().__init__(allow="", own_hosts=frozenset())
        self._names = names
        self._world = world

    @override
    def connect(
        self,
        host: str,
        port: int,
        *,
        timeout_s: float,
        ports: Collection[int],
        exempt_only: bool = False,
    ) -> socket.socket:
        try:
            found = sorted(self._names.resolve(host, port), key=lambda address: address == PUBLIC)
            connection = self._world.connect((found[0], port), _CONNECT_S)
        except OSError as error:
            raise HostUnreachableError(host) from error
        return connection


def guarded(names: DnsServer) -> Guarded:
    """Return the product's egress in this world."""
    return Guarded(GuardedEgress(allow="", own_hosts=_OWN_HOSTS, resolve=names.resolve))


@contextmanager
def world_of(cases: Sequence[Case], folder: Path) -> Iterator[World]:
    """Build the world around some cases."""
    secret = f"secret{secrets.token_hex(8)}"
    own = [address_of(number) for number in range(len(cases))]
    datagrams = {own[n] for n, case in enumerate(cases) if case.kind in _WITH_UDP}
    with pytest.MonkeyPatch.context() as patch, _canary(own, datagrams, secret) as canary:
        file = folder / "secret.html"
        file.write_text(secret)
        file.chmod(0o644)
        attacks = [
            Attack(number, case, canary.port, str(file)) for number, case in enumerate(cases)
        ]
        made = certificates(folder, [*own, *_ADDRESSES], _CERTIFIED)
        canary.tls = made.server
        pages: dict[str, SitePage] = {}
        zone = dict(_ZONE)
        for attack in attacks:
            pages |= attack.filled(attack.case.pages)
            zone |= attack.filled(attack.case.names)
        with running_site(pages) as plain, running_site(pages, made.server) as secured:
            sites = {80: plain.port, 443: secured.port}
            world = World(attacks, secret, canary, made.ca_file, zone, sites)
            # Allow the canary's port, so that only its IP addresses are a reason to refuse.
            patch.setattr(
                egress_policy, "ALLOWED_TCP_PORTS", (*egress_policy.ALLOWED_TCP_PORTS, canary.port)
            )
            patch.setattr(socket, "create_connection", world.connect)
            patch.setenv("SSL_CERT_FILE", str(made.ca_file))
            transport._tls_context.cache_clear()
            yield world
    transport._tls_context.cache_clear()


_connect = socket.create_connection


@contextmanager
def _canary(own: Sequence[str], datagrams: set[str], secret: str) -> Iterator[Canary]:
    everywhere = [*own, "127.0.0.1", *(["::1"] if socket.has_dualstack_ipv6() else [])]
    with Canary(everywhere, datagrams, secret) as canary:
        yield canary
