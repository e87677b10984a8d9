"""A site on loopback, and a way out of a browser's context that leads to it alone."""

from collections.abc import Iterator

import pytest

from chalicelib.adapters.net.egress import Egress
from chalicelib.engine.browser.proxy import Gate, Proxy
from tests.builders.web import Page, Site, site

PAGES = {"/": Page("home"), "/twice//?a=b": Page("twice"), "/post": Page("posted")}


@pytest.fixture
def here() -> Iterator[Site]:
    with site(PAGES) as running:
        yield running


@pytest.fixture
def proxies(here: Site) -> Iterator[Proxy]:
    proxies = Proxy(Egress(allow=here.allow, own_hosts=frozenset()))
    yield proxies
    proxies.close()


@pytest.fixture
def proxy(proxies: Proxy) -> Gate:
    return proxies.gate()
