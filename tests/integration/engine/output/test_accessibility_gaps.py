"""Findings about content that is visible but not tagged for screen readers."""

import base64

import pytest

from chalicelib.engine.job import RenderOutcome
from tests.builders.pages.real_browser import Render

GIF = (
    "data:image/gif;base64,"
    + base64.b64encode(
        b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,"
        b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
    ).decode()
)
DRAWING = "<svg width=20 height=20><path d='M0 0H9V9'/></svg>"
NAMED = f"<img alt=Logo width=20 src='{GIF}'"
REPORT = {"accessibility_report": True}


def findings_of(outcome: RenderOutcome) -> list[tuple[str, int]]:
    (request,) = outcome.validation_requests
    assert {finding.rule for finding in request.own_findings} <= {"PLT-UNTAGGED-CONTENT"}
    return [(finding.location, finding.count) for finding in request.own_findings]


@pytest.mark.parametrize(
    ("html", "places"),
    [
        (f"<p class='a b c d'>{DRAWING}{DRAWING}</p>", [("p.a.b.c > svg", 2)]),
        (DRAWING.replace("<path", "<title>Umsatz</title><path"), [("svg", 1)]),
        (
            f"<table id=t>{f'<tr><td>{DRAWING}' * 300}</table>",
            [("#t > tbody > tr > td > svg", 300)],
        ),
        (f"<a href='https://example.com'>{DRAWING}</a>", [("a > svg", 1)]),
        ("<p style='filter: blur(1px)'>Text <b style='filter: blur(1px)'>b</b>", [("p", 1)]),
        (NAMED + " style='filter: grayscale(1)'>", [("img", 1)]),
        ("<iframe srcdoc='<p>x'></iframe>", [("iframe", 1)]),
        ("<select><option>Rot</select>", [("select", 1)]),
        ("<style>p::after { content: '12 kg' }</style><p>x", [("p::after", 1)]),
        ("<style>p::before { content: counter(a) }</style><p>x", [("p::before", 1)]),
    ],
)
def test_untagged_content_is_reported_with_its_location(
    render: Render, html: str, places: list[tuple[str, int]]
) -> None:
    assert findings_of(render(html, pdf={"pdfua": True})) == places


@pytest.mark.parametrize(
    "html",
    [
        "<p style='border: 1px solid; background: linear-gradient(red, blue)'>x<hr>",
        f"<p style='background: url({GIF}); border: 3px solid; border-image: url({GIF}) 1'>x",
        DRAWING.replace("<svg", "<svg role=img aria-label=N"),
        DRAWING.replace("<svg", "<svg aria-hidden=true"),
        f"<a href='https://example.com'>{DRAWING} Verweis</a>",
        f"<div role=img aria-label=N>{DRAWING}</div><div style='display: none'>{DRAWING}</div>",
        "<svg width=0 height=0><symbol id=a><path d='M0 0H9V9'/></symbol></svg>",
        "<svg width=90 height=20><text y=15>Inhalt</text></svg>",
        NAMED + " style='filter: none; opacity: .5'><img alt='' style='filter: blur(1px)'>",
        "<div style='filter: blur(1px); height: 9px; background: red'></div>",
        "<p aria-hidden=true style='filter: blur(1px)'>x<iframe srcdoc=x></iframe>",
        "<style>p::before { content: '\\2022 ' } p::after { content: 'x' / '' }</style><p>x",
        f"<style>p::before {{ content: url({GIF}) }} q {{ color: red }}</style><p>x<q>y</q>",
        "<ul><li>x</ul><ol><li>x</ol><details><summary>s</summary>d</details><input value=x>",
    ],
)
def test_decorative_or_readable_content_is_not_reported(render: Render, html: str) -> None:
    assert findings_of(render(html, pdf={"pdfua": True})) == []


@pytest.mark.parametrize(
    ("html", "places"),
    [
        (f"<form><input name=id><p>{DRAWING}</form>", [("form > p > svg", 1)]),
        (f"<form><input name=closest><p>{DRAWING}</form>", [("form > p > svg", 1)]),
        (f"<img alt=x name=querySelectorAll src='{GIF}'>{DRAWING}", [("svg", 1)]),
        (f"<img alt=x name=body src='{GIF}'>{DRAWING}", [("svg", 1)]),
        (f"<p class='{'x' * 9000}'>{DRAWING}", [(f"p.{'x' * 498}", 1)]),
        (
            f"<script>Map.prototype.set = document.querySelectorAll = 7</script>{DRAWING}",
            [("svg", 1)],
        ),
    ],
)
def test_element_names_that_shadow_dom_properties_do_no_harm(
    render: Render, html: str, places: list[tuple[str, int]]
) -> None:
    assert findings_of(render(html, pdf=REPORT)) == places


def test_findings_are_limited_to_what_a_report_holds(render: Render) -> None:
    rows = "".join(f"<p id=p{number}>{DRAWING}" for number in range(300))

    assert len(findings_of(render(rows, pdf=REPORT))) == 100


def test_no_report_without_pdfua_or_accessibility_report(render: Render) -> None:
    assert render(DRAWING).validation_requests == ()
