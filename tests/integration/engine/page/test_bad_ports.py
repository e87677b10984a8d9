"""Requests that Chromium itself blocks: ports of other services, pictures from IP addresses."""

from collections.abc import Iterator

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import NoTemplates, Task, egress_to, task, web_page_task
from tests.builders.pages.web_site import Site, SitePage, running_site

PORTS = "80, 443, 8080, 8443"
STRICT = {"asset_policy": "strict"}


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with running_site(
        {"/to": SitePage(status=302, headers={"Location": "http://a.test:22/"})}
    ) as web:
        yield web


def render(connected: Browser, web: Site, each: Task) -> RenderOutcome:
    return run_page_job(*each, PipelineServices(connected, NoTemplates(), egress_to(web)))


def test_assets_at_bad_ports_give_warnings(connected: Browser, web: Site) -> None:
    ports = [0, 22, 81, 6000, 6667, 9999]
    html = "".join(f"<img src='https://a.test:{port}/'>" for port in ports)

    warnings = render(connected, web, task(html)).trace.warnings

    assert {warning.detail for warning in warnings} == {f"https://a.test:{port}/" for port in ports}
    assert all(f"only ports {PORTS} may be reached" in warning.message for warning in warnings)


@pytest.mark.parametrize("port", [22, 81])
def test_strict_assets_at_bad_ports_name_the_allowed_ports(
    connected: Browser, web: Site, port: int
) -> None:
    html = f"<img src='https://a.test:{port}/x.png'>"
    with pytest.raises(RenderFailure, match=PORTS) as failed:
        render(connected, web, task(html, STRICT))
    assert failed.value.code == "url_not_allowed"
    assert f"https://a.test:{port}/x.png" in str(failed.value)


@pytest.mark.parametrize("url", ["http://a.test:22/", "http://a.test:81/", "to"])
def test_pages_at_bad_ports_are_refused(connected: Browser, web: Site, url: str) -> None:
    with pytest.raises(RenderFailure, match=PORTS) as failed:
        render(connected, web, web_page_task(web.url("/to") if url == "to" else url))
    assert failed.value.code == "url_not_allowed"


@pytest.mark.parametrize("part", ["<img src='{0}'>", "<video src='{0}'></video>"])
def test_pictures_from_an_ip_address_over_http_give_a_warning(
    connected: Browser, web: Site, part: str
) -> None:
    html = part.format("http://93.184.215.14/x.png")

    (warning,) = render(connected, web, task(html)).trace.warnings
    with pytest.raises(RenderFailure, match="use https: or the name") as failed:
        render(connected, web, task(html, STRICT))

    assert (warning.code, warning.detail) == ("asset_failed", "http://93.184.215.14/x.png")
    assert failed.value.code == "url_not_allowed"
