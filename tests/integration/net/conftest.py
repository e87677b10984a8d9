"""A site on loopback, a browser proxy that may reach it alone, and trusted certificates."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.adapters.net import transport
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.engine.browser.proxy.server import ProxyPort, ProxyServer
from tests.builders.pages.certificates import Certificates, certificates
from tests.builders.pages.web_site import Site, SitePage, running_site

PAGES = {"/": SitePage("home"), "/twice//?a=b": SitePage("twice"), "/post": SitePage("posted")}


@pytest.fixture
def here() -> Iterator[Site]:
    with running_site(PAGES) as running:
        yield running


@pytest.fixture
def proxies(here: Site) -> Iterator[ProxyServer]:
    proxies = ProxyServer(GuardedEgress(allow=here.egress_allow, own_hosts=frozenset()))
    yield proxies
    proxies.close()


@pytest.fixture
def proxy(proxies: ProxyServer) -> ProxyPort:
    return proxies.new_port()


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Certificates]:
    """Certificates for 127.0.0.1 whose authority is trusted."""
    made = certificates(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.ca_file))
    transport._tls_context.cache_clear()
    yield made
    transport._tls_context.cache_clear()
