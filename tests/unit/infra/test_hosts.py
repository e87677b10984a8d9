"""Hosts that a port answers to: its own, and where it listens for others also addresses."""

from typing import Final

import pytest

from infra.local.access.hosts import LOOPBACK_HOSTS, OwnHosts
from infra.local.server import Address, WsgiServer

EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 -- what an operator may ask for


@pytest.mark.parametrize("header", ["127.0.0.1", "127.0.0.1:8700", "LOCALHOST:1", "localhost:"])
def test_loopback_answers_to_its_names(header: str) -> None:
    assert LOOPBACK_HOSTS.has(header)


@pytest.mark.parametrize(
    "header",
    [None, "", "page.example", "127.0.0.1.page.example", "localhost:x", "10.0.0.7", "[::1]"],
)
def test_loopback_answers_to_no_other(header: str | None) -> None:
    assert not LOOPBACK_HOSTS.has(header)


@pytest.mark.parametrize("header", ["192.168.1.5:8700", "[fe80::1]:8700", "[::1]", "localhost"])
def test_open_port_answers_to_addresses(header: str) -> None:
    # A page can make its own name resolve to this machine, but it has no address for a name.
    assert Address(EVERYWHERE).hosts().has(header)


@pytest.mark.parametrize("header", ["page.example", "page.example:8700", "1.2.3.4.example", "[::1"])
def test_open_port_answers_to_no_other_name(header: str) -> None:
    assert not Address(EVERYWHERE).hosts().has(header)


def test_public_hosts_are_added() -> None:
    hosts = Address(EVERYWHERE).hosts(["Docs.Example.com", "2001:db8::1"])

    assert isinstance(hosts, OwnHosts)
    assert hosts.names == ("127.0.0.1", "localhost", "docs.example.com", "2001:db8::1")
    assert hosts.has("docs.example.com")
    assert hosts.has("[2001:db8::1]:8700")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:"),
        (EVERYWHERE, "http://127.0.0.1:"),
        ("::1", "http://[::1]:"),
        ("::", "http://127.0.0.1:"),
    ],
)
def test_url_names_an_address_that_leads_there(host: str, url: str) -> None:
    server = WsgiServer(threads=1, address=Address(host))
    try:
        assert server.url.startswith(url)
    finally:
        server.close()


def test_taken_port_is_an_error() -> None:
    server = WsgiServer(threads=1)
    try:
        with pytest.raises(OSError, match="in use"):
            WsgiServer(threads=1, address=Address(port=int(server.url.rpartition(":")[2])))
    finally:
        server.close()
