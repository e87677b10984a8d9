"""Egress policy: the schemes, ports, hosts and IP addresses that may be reached.

Checks of requests and egress share them (decision 15). The refused networks are an explicit list,
because `ipaddress.is_global` changes between versions of Python.
"""

import contextlib
import re
import socket
from collections.abc import Collection, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, NamedTuple, Self

# The ports of the web; other ports are reached only by code that names them.
ALLOWED_TCP_PORTS: Final = (80, 443, 8080, 8443)
# Submission of mail with STARTTLS.
SUBMISSION_PORTS: Final = (587, 2525)
SFTP_PORTS: Final = (22,)
# The schemes of the web, with the port of a URL that names none.
DEFAULT_PORTS: Final[Mapping[str, int]] = {"http": 80, "https": 443}
WEB_PREFIXES: Final = ("http://", "https://")

_MAX_NAME_CHARS: Final = 253
# A DNS name in ASCII. IPv4 addresses match as well; `ip_literal` tells them apart.
_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_PORT_COUNT: Final = 1 << 16

_REFUSED_V4: Final = (
    "0.0.0.0/8",  # this network
    "10.0.0.0/8",  # private
    "100.64.0.0/10",  # behind a carrier's NAT; a provider's metadata at 100.100.100.200
    "127.0.0.0/8",  # this machine
    "168.63.129.16/32",  # a provider's metadata
    "169.254.0.0/16",  # link-local; metadata, credentials and time of AWS
    "172.16.0.0/12",  # private
    "192.0.0.0/24",  # protocol assignments
    "192.0.2.0/24",  # documentation
    "192.31.196.0/24",  # AS112
    "192.52.193.0/24",  # AMT relays
    "192.88.99.0/24",  # 6to4 relays
    "192.168.0.0/16",  # private
    "192.175.48.0/24",  # AS112
    "198.18.0.0/15",  # benchmarks
    "198.51.100.0/24",  # documentation
    "203.0.113.0/24",  # documentation
    "224.0.0.0/4",  # multicast
    "240.0.0.0/4",  # reserved; broadcast
)
# Only 2000::/3 of IPv6 is allocated. An address that embeds an IPv4 address (IPv4-mapped, NAT64,
# 6to4, Teredo) is always refused: an IPv4 machine is reached by its IPv4 address.
_REFUSED_V6: Final = (
    "::/3",  # unspecified, loopback, IPv4-mapped, NAT64 (64:ff9b::/96), discard-only
    "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID
    "2001:db8::/32",  # documentation
    "2002::/16",  # 6to4
    "2620:4f:8000::/48",  # AS112
    "3fff::/20",  # documentation
    "4000::/2",  # not given out; segment routing at 5f00::/16
    "8000::/1",  # not given out; private (fc00::/7; metadata of AWS), link-local, multicast
)
_REFUSED_NETWORKS: Final = tuple(ip_network(cidr) for cidr in (*_REFUSED_V4, *_REFUSED_V6))
# ISATAP (RFC 5214 6.1): the 32 bits before the embedded IPv4 address; two of them are flags.
_ISATAP: Final = 0x0000_5EFE
_ISATAP_MASK: Final = 0xFCFF_FFFF

# Only unambiguous forms: no netmask, no leading zero, no name.
_EXEMPTION: Final = re.compile(
    r"(?P<cidr>[0-9A-Fa-f:.]+(?P<length>/(?:0|[1-9][0-9]{0,2}))?):(?P<port>[1-9][0-9]{0,4})"
)
_BRACKETS: Final = re.compile(r"\[([^\[\]]+)\]")

type IpAddress = IPv4Address | IPv6Address


def is_public(address: IpAddress) -> bool:
    """Tell whether an address is public: outside all refused networks."""
    if isinstance(address, IPv6Address):
        is_isatap = (int(address) >> 32) & _ISATAP_MASK == _ISATAP
        if is_isatap or address.scope_id is not None:
            return False
    return not any(address in network for network in _REFUSED_NETWORKS)


def is_address_of_this_machine(address: IpAddress) -> bool:
    """Tell whether this machine has the address: the kernel then uses it as the source too."""
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    # Connecting a UDP socket sends nothing. It fails without a route, and then nothing can be
    # reached either.
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((str(address), 1))
        return ip_address(probe.getsockname()[0]) == address
    return False


def ip_literal(host: str) -> IpAddress | None:
    """Return the IP address that a host is, in any form browsers read (127.1, 0x7f000001)."""
    with contextlib.suppress(ValueError):
        return ip_address(host)
    with contextlib.suppress(OSError):
        return IPv4Address(socket.inet_aton(host))
    return None


class EgressExemption(NamedTuple):
    """Network and port that may be reached although the rules refuse them."""

    network: IPv4Network | IPv6Network
    port: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `CIDR:port`, an IPv6 network with or without brackets; raises ValueError.

        A network that spans public and refused addresses (10.0.0.0/7) is taken for a typing error.
        """
        plain = _BRACKETS.sub(r"\1", text.strip(), count=1)
        match = _EXEMPTION.fullmatch(plain)
        if match is None or int(match["port"]) >= _PORT_COUNT:
            raise ValueError(f"{text!r} is not CIDR:port, as 10.20.0.0/16:443 is")
        try:
            network = ip_network(match["cidr"])
        except ValueError as error:
            raise ValueError(f"{text!r} is not CIDR:port: {error}") from error
        # Without brackets and length, "::1:443" could be an address alone.
        is_bare = plain == text.strip() and not match["length"]
        if is_bare and isinstance(network, IPv6Network):
            raise ValueError(f"{text!r} is not CIDR:port: write an IPv6 address in brackets")
        if any(_spans_beyond(network, refused) for refused in _REFUSED_NETWORKS):
            raise ValueError(f"{text!r} is not CIDR:port of one network: it spans several kinds")
        return cls(network, int(match["port"]))

    def covers(self, address: IpAddress, port: int) -> bool:
        """Tell whether this exemption applies to an address and port."""
        return port == self.port and address in self.network


class EgressPolicy:
    """Rules of one deployment: public addresses, the operator's exemptions, the own hosts."""

    def __init__(self, *, allow: str, own_hosts: Collection[str]) -> None:
        """Allow public addresses, and those of `allow`: a comma-separated list of `CIDR:port`.

        `own_hosts` are the service's own names, which are refused like private addresses. Raises
        ValueError for an `allow` or an own host that cannot be parsed.
        """
        self._exemptions = _parse_exemptions(allow)
        self._own_hosts = frozenset(map(_valid_own_host, own_hosts))

    def host_refusal(self, host: str, port: int, ports: Collection[int]) -> str | None:
        """Return why a host and port are refused before any lookup, or None.

        `ports` are those that may be reached without an exemption.
        """
        if not is_host(normalized_host(host)):
            return "a host is a name of at most 253 characters (xn--…), or an address"
        if port in ports or any(port == exemption.port for exemption in self._exemptions):
            return None
        return _refusal(host, port, _port_reason(ports))

    def literal_refusal(self, host: str, port: int, ports: Collection[int]) -> str | None:
        """Return why a host and port are refused that need no lookup, or None.

        An own host, an IP address and localhost are refused as after a lookup.
        """
        literal = entered_address(host)
        if literal is None and normalized_host(host) in self._own_hosts:
            return _refusal(host, port, "it is a host of this service")
        addresses = [literal] if literal else []
        return self.host_refusal(host, port, ports) or self.address_refusal(
            (host, port), addresses, ports, exempt_only=False
        )

    def is_exempt_literal(self, host: str, port: int) -> bool:
        """Tell whether a host, an address or localhost, is exempted with this port."""
        literal = entered_address(host)
        return literal is not None and any(
            exemption.covers(literal, port) for exemption in self._exemptions
        )

    def address_refusal(
        self,
        destination: tuple[str, int],
        addresses: Sequence[IpAddress],
        ports: Collection[int],
        *,
        exempt_only: bool,
    ) -> str | None:
        """Return why a host is refused that has these addresses, or None.

        One forbidden address refuses the whole host. With `exempt_only` only exempted addresses
        are allowed, not all public ones. The text reveals no IP address.
        """
        host, port = destination
        is_own = not self._own_hosts.isdisjoint({normalized_host(host), *map(str, addresses)})
        for address in addresses:
            if any(exemption.covers(address, port) for exemption in self._exemptions):
                continue
            if port not in ports:
                return _refusal(host, port, _port_reason(ports))
            if is_own or not is_public(address) or is_address_of_this_machine(address):
                reason = "it is a private or internal address, only public ones may be reached"
                return _refusal(host, port, reason)
            if exempt_only:
                return _refusal(host, port, "plain http is not taken here, use https")
        return None


def admission_advice(host: str, port: int) -> str:
    """Return the end of a refusal: what admits an address that is not public; empty for others."""
    address = entered_address(host)
    if address is None or is_public(address):
        return ""
    network = f"{host_and_port(f'{address}/{address.max_prefixlen}', port)}"
    return f"; on a machine of your own, PLATEN_EGRESS_ALLOW={network} admits it"


def entered_address(host: str) -> IpAddress | None:
    """Return the address that a host names without a lookup (localhost: RFC 6761 6.3), or None."""
    plain = normalized_host(host)
    if plain == "localhost" or plain.endswith(".localhost"):
        return IPv4Address("127.0.0.1")
    return ip_literal(plain)


def host_and_port(host: str, port: int) -> str:
    """Return `host:port`; an IPv6 address is put in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def normalized_host(host: str) -> str:
    """Return a host in lower case and without the final dot."""
    return host.lower().removesuffix(".")


def _refusal(host: str, port: int, reason: str) -> str:
    return f"{host_and_port(normalized_host(host), port)} is refused: {reason}"


def _port_reason(ports: Collection[int]) -> str:
    return f"only ports {', '.join(map(str, sorted(ports)))} may be reached"


def _parse_exemptions(allow: str) -> tuple[EgressExemption, ...]:
    try:
        return tuple(EgressExemption.parse(entry) for entry in allow.split(",") if entry.strip())
    except ValueError as error:
        raise ValueError(f"PLATEN_EGRESS_ALLOW: {error}") from error


def _valid_own_host(host: str) -> str:
    """Return a host in its normal form, also an IP address."""
    plain = normalized_host(host)
    if not is_host(plain):
        raise ValueError(f"{host!r} is no host; a name with other letters is written as xn--…")
    return str(ip_literal(plain) or plain)


def is_host(plain: str) -> bool:
    """Tell whether a host in its normal form is a name or an address."""
    if ":" in plain:
        return ip_literal(plain) is not None
    return len(plain) <= _MAX_NAME_CHARS and _NAME.fullmatch(plain) is not None


def _spans_beyond(network: IPv4Network | IPv6Network, refused: IPv4Network | IPv6Network) -> bool:
    """Tell whether `network` contains the refused network and more."""
    return network.overlaps(refused) and network.prefixlen < refused.prefixlen
