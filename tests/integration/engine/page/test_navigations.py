"""Navigations that an HTML document begins by itself: stopped, and told with their address."""

import io

import pypdf
import pytest

from chalicelib.core.errors import RenderFailure
from tests.builders.pages.real_browser import Render

BEFORE_AND_AFTER = "<p>before</p><script>{}</script><p>after</p>"


def warnings_of(html: str, render: Render) -> list[tuple[str, str | None]]:
    return [(each.code, each.detail) for each in render(html).trace.warnings]


@pytest.mark.parametrize(
    ("script", "address"),
    [
        ("location = 'https://example.com/next?x=1'", "https://example.com/next?x=***"),
        ("location.replace('/next.html')", "/next.html"),
        ("location.reload()", "/"),
        ("history.back()", "/"),
        ("location = 'file:///etc/passwd'", "file:///etc/passwd"),
        ("location = 'mailto:a@example.com'", "mailto:a@example.com"),
        ("location = 'data:text/html,other'", "data:text/html,other"),
        ("location = 'https://user:secret@example.com/'", "https://example.com/"),
        ("onload = () => location = 'https://example.com/'", "https://example.com/"),
    ],
)
def test_navigation_by_script_is_told_by_its_address(
    render: Render, script: str, address: str
) -> None:
    found = warnings_of(BEFORE_AND_AFTER.format(script), render)

    assert found == [("navigation_stopped", address)]


def test_the_rest_of_the_document_is_not_read(render: Render) -> None:
    html = BEFORE_AND_AFTER.format("location = 'https://example.com/'")

    outcome = render(html)

    text = pypdf.PdfReader(io.BytesIO(outcome.files[0].content)).pages[0].extract_text()
    assert text.split() == ["before"]
    assert "may be missing" in outcome.trace.warnings[0].message


def test_meta_refresh_is_told(render: Render) -> None:
    html = "<meta http-equiv=refresh content='0;url=https://example.com/m'><p>x"

    assert warnings_of(html, render) == [("navigation_stopped", "https://example.com/m")]


@pytest.mark.parametrize(
    "html",
    [
        "<meta http-equiv=refresh content='300;url=https://example.com/m'><p>x",
        BEFORE_AND_AFTER.format("location = '#after'"),
        BEFORE_AND_AFTER.format("location = 'javascript:1'"),
        BEFORE_AND_AFTER.format("history.pushState(0, '', '/other'); location.hash = 'x'"),
    ],
)
def test_document_that_stays_is_not_told(render: Render, html: str) -> None:
    assert warnings_of(html, render) == []


def test_at_most_twenty_navigations_are_told(render: Render) -> None:
    script = "for (let n = 0; n < 50; n++) { location = 'foo:' + n }"

    found = warnings_of(BEFORE_AND_AFTER.format(script), render)

    assert len(found) == 20


def test_strict_assets_refuse_a_navigation(render: Render) -> None:
    html = BEFORE_AND_AFTER.format("location = 'https://example.com/'")

    with pytest.raises(RenderFailure) as failure:
        render(html, asset_policy="strict")

    assert failure.value.code == "url_not_allowed"
    assert "https://example.com/" in failure.value.detail
