"""Content wider than the printed page: told by its place and by how much."""

import base64
import io
import re
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image

from chalicelib.engine.browser.output import clipped_content
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import NoTemplates, egress_to, web_page_task
from tests.builders.pages.real_browser import Render
from tests.builders.pages.web_site import Site, SitePage, running_site

WIDE = "<div style='width: 3000px'>x</div>"
WORD = "x" * 900


def png() -> str:
    file = io.BytesIO()
    Image.new("RGB", (9, 9), "red").save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def places(render: Render, html: str, **output: Any) -> list[str | None]:
    warnings = render(html, **output).trace.warnings
    assert {each.code for each in warnings} <= {"content_clipped"}
    return [each.detail for each in warnings]


@pytest.mark.parametrize(
    ("html", "place"),
    [
        (WIDE, "body > div"),
        (f"<body style='overflow-x: hidden'>{WIDE}", "body > div"),
        (f"<body style='background: silver; opacity: 0.5'>{WIDE}", "body > div"),
        ("<div class='a b c' style='width: 3000px'>x</div>", "body > div.a.b"),
        (f"<section id=s>{WIDE}</section>", "section#s > div"),
        ("<p>x</p><p id='1 a' style='width: 3000px'>x", r"p#\31 \ a"),
        (f"<p>x</p><p>{WORD}</p>", "body > p:nth-of-type(2)"),
        (f"<p>x <b>{WORD}</b></p>", "p > b"),
        (f"<table id=t><tr>{f'<td>{WORD[:40]}</td>' * 9}</table>", "table#t"),
        (f"<img src='{png()}' width=3000 height=9>", "body > img"),
        ("<p>x</p><div style='position: absolute; left: 2500px'>x</div>", "body > div"),
        (f"<html dir=rtl><p>x{WIDE}", "body > div"),
        (f"<p style='break-after: page'></p>{WIDE}", "body > div"),
        ("<style>@media print { p { width: 3000px } }</style><p>x", "body > p"),
        (f'<script>document.write("{WIDE}")</script>', "body > div"),
    ],
)
def test_wide_content_is_told_by_its_place(render: Render, html: str, place: str) -> None:
    assert places(render, html) == [place]


@pytest.mark.parametrize(
    "html",
    [
        "<p>x",
        "<body style='margin: 0'><div style='width: 1077px'>fits when it is made smaller",
        "<style>@media screen { p { width: 3000px } }</style><p>x",
        f"<div style='overflow: hidden'>{WIDE}</div>",
        f"<div style='overflow: hidden'>{WIDE}</div><div style='width: 1060px'>x</div>",
        f"<html dir=rtl><p>{'x ' * 900}",
        f"<p style='visibility: hidden'>{WORD}",
        f"<img src='{png()}' width=90 height=9>",
    ],
)
def test_content_that_is_not_cut_is_not_told(render: Render, html: str) -> None:
    assert places(render, html) == []


@pytest.mark.parametrize(
    ("pdf", "css", "millimetres"),
    [
        # 190 mm of content are 1077 pixels when everything is made smaller by a third.
        ({}, "", 3000 * 25.4 / 96 / 1.5 - 190),
        ({"scale": 0.5}, "", 3000 * 25.4 / 96 / 3 - 190),
        ({"scale": 1.5}, "", 3000 * 25.4 / 96 - 190),
        ({"landscape": True, "margin": {"left": "0mm"}}, "", 3000 * 25.4 / 96 / 1.5 - 287),
        ({"header": {"enabled": True, "left": "h"}}, "", 3000 * 25.4 / 96 / 1.5 - 190),
        ({"tagged": False}, "@page { margin: 30mm }", 3000 * 25.4 / 96 / 1.5 - 150),
        ({}, "@page { size: A5; margin: 0 }", 3000 * 25.4 / 96 / 1.5 - 148),
    ],
)
def test_amount_is_that_on_the_paper(
    render: Render, pdf: dict[str, Any], css: str, millimetres: float
) -> None:
    html = f"<style>{css}</style><body style='margin: 0'>{WIDE}"

    (warning,) = render(html, pdf=pdf).trace.warnings

    told = re.search(r"reaches ([\d.]+) mm", warning.message)
    assert told is not None
    assert float(told[1]) == pytest.approx(millimetres, abs=1)


def test_layout_is_that_of_the_printed_medium(render: Render) -> None:
    html = "<style>@media screen { p { width: 3000px } }</style><p>x"

    assert places(render, html, media="screen") == ["body > p"]


def test_at_most_twenty_places_are_told(render: Render) -> None:
    assert len(places(render, WIDE * 30)) == clipped_content.MAX_CLIPPED == 20


def test_what_stands_in_wide_content_is_told_with_it(render: Render) -> None:
    html = f"<div id=a style='width: 2000px'>{WIDE}<p>x</p></div><p>x</p>"

    assert places(render, html) == ["div#a"]


def test_other_formats_are_drawn_before_the_layout_changes(render: Render) -> None:
    html = f"<style>@media print {{ body {{ background: red }} }}</style>{WIDE}"
    alone = render(html, format="png").files[0].content

    outcome = render(html, formats=["pdf", "png"])

    assert {file.format: file.content for file in outcome.files}["png"] == alone
    assert [each.code for each in outcome.trace.warnings] == ["content_clipped"]


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    pages = {"/": SitePage(f"<html dir=rtl>x{WIDE}"), "/ltr": SitePage("<p dir=rtl>x")}
    with running_site(pages) as web:
        yield web


@pytest.mark.parametrize(("path", "found"), [("/", ["body > div"]), ("/ltr", [])])
def test_visited_page_that_runs_out_at_the_left_is_told(
    connected: Browser, web: Site, path: str, found: list[str]
) -> None:
    parts = PipelineServices(connected, NoTemplates(), egress_to(web))

    warnings = run_page_job(*web_page_task(web.url(path)), parts).trace.warnings

    assert [each.detail for each in warnings if each.code == "content_clipped"] == found
