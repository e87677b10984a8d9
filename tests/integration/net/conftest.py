"""A site on loopback, and a browser proxy that may reach it alone."""

from collections.abc import Iterator

import pytest

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.engine.browser.proxy.server import ProxyPort, ProxyServer
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
