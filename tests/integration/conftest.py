"""One real browser and one process of templates for all tests of a session."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.pages.certificates import Certificates, certificates
from tests.builders.pages.real_browser import WORKSPACE, Render, new_browser, render_with
from tests.builders.pages.switched_egress import SwitchedEgress
from tests.builders.pages.web_site import Site

# Hosts of sites at https: that the browser trusts, besides 127.0.0.1.
_CERTIFIED_NAMES = ("own.test", "www.own.test", "shop.test")


@pytest.fixture(scope="session")
def egress() -> SwitchedEgress:
    """Give the browser's only way to the network; every test finds it closed."""
    return SwitchedEgress()


@pytest.fixture(scope="session")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Give the certificate of sites that the browser trusts."""
    return certificates(tmp_path_factory.mktemp("tls"), names=_CERTIFIED_NAMES)


@pytest.fixture(scope="session")
def browser(egress: SwitchedEgress, certified: Certificates) -> Iterator[Browser]:
    browser = new_browser(egress=egress, ca_bundle=certified.ca_file)
    yield browser
    browser.close()


@pytest.fixture
def connected(browser: Browser, egress: SwitchedEgress, web: Site) -> Iterator[Browser]:
    """Give the browser while its egress leads to the `web` site of the module."""
    with egress.to(web):
        yield browser


@pytest.fixture
def render(browser: Browser) -> Render:
    """Give what renders a document after others of the same workspace, as in production."""

    def render(
        html: str, *, seconds: float = 60, test: bool = False, **output: Any
    ) -> RenderOutcome:
        return render_with(browser, html, seconds=seconds, test=test, lane=WORKSPACE, **output)

    return render


@pytest.fixture(scope="session")
def templates() -> Iterator[TemplateWorker]:
    worker = TemplateWorker()
    yield worker
    worker.close()
