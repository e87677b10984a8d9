"""The proxy alone: nothing of a page is intercepted here, and all that it asks for is counted."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.adapters.net.egress import Egress
from chalicelib.engine.browser.authorities import install
from chalicelib.engine.browser.installation import locate
from chalicelib.engine.browser.lifecycle import Browser
from chalicelib.engine.browser.page import Page
from chalicelib.engine.browser.traffic import Traffic
from chalicelib.engine.deadline import Deadline
from tests.builders.certificates import certificates
from tests.builders.web import Page as Shown
from tests.builders.web import Site, site
from tests.integration.engine.conftest import folder, new_browser

_LOOK_S = 0.3


@pytest.fixture(scope="module")
def here() -> Iterator[Site]:
    with site({"/x": Shown("x"), "/page": Shown("<img src=/x>"), "/y": Shown("y")}) as running:
        yield running


@pytest.fixture(scope="module")
def browser(here: Site) -> Iterator[Browser]:
    egress = Egress(allow=here.allow, own_hosts=frozenset())
    browser = new_browser(outside=egress)
    yield browser
    browser.close()


def show(browser: Browser, html: str, seconds: float = _LOOK_S) -> Traffic:
    """Show a document whose requests nobody looks at."""

    def work(page: Page) -> Traffic:
        page._tab.send("Fetch.disable").result(10)
        frame = page._tab.spare.frame
        page._tab.send("Page.setDocumentContent", frameId=frame, html=html).result(10)
        time.sleep(seconds)
        assert page._tab.spare.gate._traffic is not None
        return page._tab.spare.gate._traffic

    return browser.use(work, Deadline.after(30))


def test_what_is_allowed_is_reached_and_counted(browser: Browser, here: Site) -> None:
    here.asked.clear()

    traffic = show(
        browser,
        f"<img src={here.url('/x')}><iframe src={here.url('/page')}></iframe>"
        f"<img src=http://10.0.0.1/z><img src=https://nowhere.invalid/>",
        seconds=2,
    )

    assert {"/x", "/page"} <= set(here.paths)
    assert traffic.received > 300
    assert list(traffic.refused) == ["10.0.0.1:443"] or list(traffic.refused) == ["10.0.0.1:80"]
    assert list(traffic.unreachable) == ["nowhere.invalid:443"]


@pytest.mark.parametrize("trusted", [False, True])
def test_pages_trust_whom_all_else_trusts(tmp_path: Path, *, trusted: bool) -> None:
    ours = certificates(tmp_path)
    with site({"/x": Shown("x")}, ours.server) as secured:
        egress = Egress(allow=secured.allow, own_hosts=frozenset())
        browser = new_browser(outside=egress, authorities=ours.authority if trusted else None)
        show(browser, f"<img src={secured.url('/x')}>", seconds=3)
        show(browser, f"<img src={secured.url('/x')}>", seconds=1)
        browser.close()

    assert secured.paths == (["/x", "/x"] if trusted else [])


def test_authorities_that_are_not_there_are_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    installation = locate(
        folder("PLATEN_CHROMIUM_DIR", "chromium"), folder("PLATEN_FONTS_DIR", "fonts")
    )

    for _ in range(2):
        install(tmp_path / "absent.pem", installation, tmp_path)

    assert len(caplog.records) == 1
    assert "SSL_CERT_FILE" in caplog.text


def test_between_documents_nothing_goes_through(browser: Browser, here: Site) -> None:
    show(
        browser,
        f"<script>setInterval(() => fetch('{here.url('/x')}', {{mode: 'no-cors'}}), 20)</script>",
    )
    time.sleep(0.3)
    here.asked.clear()
    time.sleep(1)

    assert here.asked == []


def test_the_browser_itself_says_nothing_to_anybody(browser: Browser) -> None:
    traffic = show(browser, "<p>quiet", seconds=3)

    assert (traffic.received, traffic.sent) == (0, 0)
    assert traffic.refused == {}
    assert traffic.unreachable == {}
