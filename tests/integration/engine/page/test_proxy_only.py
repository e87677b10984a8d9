"""The proxy without interception of requests: every connection is checked and counted."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.engine.browser.chromium.authorities import install
from chalicelib.engine.browser.chromium.installation import locate_browser
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.browser.proxy.budget import TrafficBudget
from chalicelib.engine.deadline import Deadline
from tests.builders.pages.certificates import certificates
from tests.builders.pages.real_browser import folder, new_browser
from tests.builders.pages.switched_egress import SwitchedEgress
from tests.builders.pages.web_site import Site, running_site
from tests.builders.pages.web_site import SitePage as Shown
from tests.builders.waiting import PATIENCE_S, eventually

_LOOK_S = 0.3


@pytest.fixture(scope="module")
def here() -> Iterator[Site]:
    with running_site(
        {"/x": Shown("x"), "/page": Shown("<img src=/x>"), "/y": Shown("y")}
    ) as running:
        yield running


@pytest.fixture
def browser(browser: Browser, egress: SwitchedEgress, here: Site) -> Iterator[Browser]:
    with egress.through(GuardedEgress(allow=here.egress_allow, own_hosts=frozenset())):
        yield browser


type Look = Callable[[TrafficBudget], bool]


def show(
    browser: Browser, html: str, seconds: float = _LOOK_S, until: Look = lambda _: True
) -> TrafficBudget:
    """Show a document without interception of its requests, and return its traffic.

    It is shown for some seconds, and until its traffic is as it shall be.
    """

    def work(page: BrowserPage) -> TrafficBudget:
        page._tab.send("Fetch.disable").result(PATIENCE_S)
        frame = page._tab.prepared_page.frame
        page._tab.send("Page.setDocumentContent", frameId=frame, html=html).result(PATIENCE_S)
        traffic = page._tab.prepared_page.proxy_port._traffic
        assert traffic is not None
        time.sleep(seconds)
        eventually(lambda: until(traffic))
        return traffic

    return browser.use(work, Deadline.after(2 * PATIENCE_S))


def test_allowed_requests_succeed_and_are_counted(browser: Browser, here: Site) -> None:
    here.requests.clear()

    traffic = show(
        browser,
        f"<img src={here.url('/x')}><iframe src={here.url('/page')}></iframe>"
        f"<img src=http://10.0.0.1/z><img src=https://nowhere.invalid/>",
        until=lambda traffic: (
            {"/x", "/page"} <= set(here.paths)
            and traffic.received_bytes > 300
            and bool(traffic.refused_hosts and traffic.unreachable_hosts)
        ),
    )

    assert list(traffic.refused_hosts) == ["10.0.0.1:443"] or list(traffic.refused_hosts) == [
        "10.0.0.1:80"
    ]
    assert list(traffic.unreachable_hosts) == ["nowhere.invalid:443"]


@pytest.mark.parametrize("trusted", [False, True])
def test_pages_trust_the_configured_ca_bundle(tmp_path: Path, *, trusted: bool) -> None:
    ours = certificates(tmp_path)
    with running_site({"/x": Shown("x")}, ours.server) as secured:
        egress = GuardedEgress(allow=secured.egress_allow, own_hosts=frozenset())
        browser = new_browser(egress=egress, ca_bundle=ours.ca_file if trusted else None)
        for count in (1, 2):
            show(
                browser,
                f"<img src={secured.url('/x')}>",
                seconds=0 if trusted else 2,
                until=lambda _: not trusted or len(secured.paths) == count,  # noqa: B023
            )
        browser.close()

    assert secured.paths == (["/x", "/x"] if trusted else [])


def test_missing_ca_bundle_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    installation = locate_browser(
        folder("PLATEN_CHROMIUM_DIR", "chromium"), folder("PLATEN_FONTS_DIR", "fonts")
    )

    for _ in range(2):
        install(tmp_path / "absent.pem", installation, tmp_path)

    assert len(caplog.records) == 1
    assert "SSL_CERT_FILE" in caplog.text


def test_proxy_is_closed_between_documents(browser: Browser, here: Site) -> None:
    show(
        browser,
        f"<script>setInterval(() => fetch('{here.url('/x')}', {{mode: 'no-cors'}}), 20)</script>",
    )

    def is_quiet() -> bool:
        here.requests.clear()
        time.sleep(1)
        return here.requests == []

    # Requests that were on their way may still arrive.
    eventually(is_quiet)


def test_browser_makes_no_requests_by_itself(browser: Browser) -> None:
    traffic = show(browser, "<p>quiet", seconds=3)

    assert (traffic.received_bytes, traffic.sent_bytes) == (0, 0)
    assert traffic.refused_hosts == {}
    assert traffic.unreachable_hosts == {}
