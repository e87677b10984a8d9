"""Links that lead nowhere in the PDF: told by their URL, once, at most 20."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import NoTemplates, egress_to, web_page_task
from tests.builders.pages.real_browser import Render
from tests.builders.pages.web_site import Site, SitePage, running_site


def broken(render: Render, html: str, **output: Any) -> list[str | None]:
    warnings = render(html, **output).trace.warnings
    return [each.detail for each in warnings if each.code == "link_broken"]


@pytest.mark.parametrize(
    "html",
    [
        "<a href='#x'>x</a><p id=x>",
        "<a href='#Überblick'>x</a><a href='#%C3%9Cberblick'>x</a><p id=Überblick>",
        "<a href='#old'>x</a><a name=old></a>",
        "<a href='#'>x</a><a href='#top'>x</a><a href=''>x</a><a href='/#'>x</a>",
        "<a href='/#x'>x</a><a href='./#x'>x</a><p id=x>",
        "<a href='https://example.com/a?b#c'>x</a><a href='mailto:a@example.com'>x</a>",
        "<a href='//example.com/x'>x</a><a href='javascript:void(0)'>x</a>",
        "<base href='https://example.com/a/'><a href='b'>x</a><a href='#gone'>x</a>",
        "<a href='#gone' hidden>x</a>",
        "<style>@media print { nav { display: none } }</style><nav><a href='#gone'>x</a></nav>",
        "<a href='#x:~:text=word'>x</a><p id=x>",
        "<a>no link</a>",
    ],
)
def test_sound_links_are_not_told(render: Render, html: str) -> None:
    assert broken(render, html) == []


@pytest.mark.parametrize(
    ("html", "urls"),
    [
        ("<a href='#gone'>x</a>", ["#gone"]),
        ("<a href='/#gone'>x</a><a href='#gone'>y</a><a href='#gone'>z</a>", ["/#gone", "#gone"]),
        ("<a href='page.html'>x</a><a href='/a/b'>x</a>", ["page.html", "/a/b"]),
        ("<a href='?token=secret'>x</a>", ["?token=***"]),
        ("<a href='page.html#x'>x</a><p id=x>", ["page.html#x"]),
        ("<map name=m><area href='#gone' shape=rect coords='0,0,9,9'></map>", []),
        ("<form id=f><input name=links></form><img name=URL><a href='#gone'>x</a>", ["#gone"]),
        ("<script>document.write('<a href=#gone>x</a>')</script>", ["#gone"]),
        ("<a href='#100%'>x</a>", ["#100%"]),
    ],
)
def test_broken_links_are_told_by_their_url(render: Render, html: str, urls: list[str]) -> None:
    assert broken(render, html) == urls


def test_warnings_name_the_text_and_what_to_do(render: Render) -> None:
    (missing, relative) = render(
        "<a href='#a'>See <b>below</b></a><a href=b.html></a>"
    ).trace.warnings

    assert "“See below”" in missing.message
    assert "id" in missing.message
    assert "<base" in relative.message


def test_links_of_pictures_are_not_told(render: Render) -> None:
    assert broken(render, "<a href='#gone'>x</a>", formats=["png"]) == []
    assert broken(render, "<a href='#gone'>x</a>", formats=["png", "pdf"]) == ["#gone"]


@pytest.mark.breadth
def test_many_and_long_links_are_cut(render: Render) -> None:
    many = "".join(f"<a href='#{n}'>x</a> " for n in range(500))
    names = "".join(f"<a name=n{n}></a>" for n in range(10_000))

    assert broken(render, names + many) == [f"#{n}" for n in range(20)]
    (url,) = broken(render, f"<a href='#{'a' * 64_000}'>{'b' * 64_000}</a>")
    assert url is not None
    assert len(url) < 300


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    page = SitePage("<a href='/b'>b</a><a href='c?d'>c</a><a href='/#gone'>x</a>")
    with running_site({"/": page}) as web:
        yield web


def test_relative_links_of_a_visited_page_lead_on(connected: Browser, web: Site) -> None:
    parts = PipelineServices(connected, NoTemplates(), egress_to(web))

    warnings = run_page_job(*web_page_task(web.url("/")), parts).trace.warnings

    assert [each.detail for each in warnings if each.code == "link_broken"] == ["/#gone"]
