"""Scripts that throw: each is told with its place, at most 20."""

from collections.abc import Iterator

import pytest

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from tests.builders.pages.real_browser import Render, render_with
from tests.builders.pages.web_site import Site, SitePage, running_site


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with running_site({"/a.js?key=secret": SitePage("\n nothing()", "text/javascript")}) as web:
        yield web


def failures_of(outcome: RenderOutcome) -> list[tuple[str, str | None]]:
    """Return what was thrown, and the places."""
    found = [each for each in outcome.trace.warnings if each.code == "script_failed"]
    return [
        (each.message.partition(" threw ")[2].partition(". What")[0], each.detail) for each in found
    ]


@pytest.mark.parametrize(
    ("script", "thrown"),
    [
        ("nothing()", ("ReferenceError: nothing is not defined", "line 2, column 1")),
        ("throw 'text'", ("text", "line 2, column 1")),
        ("throw {}", ("Object", "line 2, column 1")),
        ("throw null", ("Uncaught", "line 2, column 1")),
        ("  x = ;", ("SyntaxError: Unexpected token ';'", "line 2, column 7")),
        ("Promise.reject(new Error('late'))", ("Error: late", "line 2, column 16")),
        (
            "onload = () => { nothing() }",
            ("ReferenceError: nothing is not defined", "line 2, column 18"),
        ),
        ("throw new Error(location)", ("Error: /", "line 2, column 7")),
        (
            "throw new Error('https://me:secret@a.test/?key=secret')",
            ("Error: https://a.test/?key=***", "line 2, column 7"),
        ),
    ],
)
def test_script_that_throws_is_told_with_its_place(
    render: Render, script: str, thrown: tuple[str, str]
) -> None:
    assert failures_of(render(f"<p>x<script>\n{script}</script>")) == [thrown]


def test_script_of_the_web_is_told_with_its_address(connected: Browser, web: Site) -> None:
    outcome = render_with(connected, f"<p>x<script src={web.url('/a.js?key=secret')}></script>")

    assert failures_of(outcome) == [
        ("ReferenceError: nothing is not defined", f"{web.url('/a.js')}?key=***, line 2, column 2")
    ]


def test_script_that_catches_is_not_told(render: Render) -> None:
    html = "<script>try { nothing() } catch {}; Promise.reject(1).catch(() => 0)</script>"

    assert render(html).trace.warnings == ()


def test_failure_is_told_once_and_at_most_twenty_are(render: Render) -> None:
    often = "<script>setInterval(() => { nothing() }, 1)</script>"
    many = "".join(f"<script>throw 'x{n}'</script>" for n in range(30))
    long = "<script>throw 'x'.repeat(1e6)</script>"

    assert len(failures_of(render(often, wait={"delay_ms": 100}))) == 1
    assert [text for text, _ in failures_of(render(many))] == [f"x{n}" for n in range(20)]
    assert len(failures_of(render(long))[0][0]) <= 300
