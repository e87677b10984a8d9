"""The guides in a real browser: search, the list of pages, windows of all widths, foreign hosts."""

import json

import pytest

from infra.local.paths import INSTALL_DIR
from tests.builders.pages.visitor import Visitor

pytestmark = pytest.mark.integration

SITE = INSTALL_DIR / "guides"
PAGES = sorted(
    path.relative_to(SITE).as_posix().removesuffix(".html")
    for path in SITE.rglob("*.html")
    if path.name not in {"404.html", "index.html"}
)
LINKS = "[...document.querySelectorAll('#found a')].map((link) => link.pathname + link.hash)"
IS_TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def test_code_in_tables_has_pipes_without_a_backslash() -> None:
    page = (SITE / "templates.html").read_text(encoding="utf-8")

    assert "<code>{{ rate|percent(1) }}</code>" in page
    assert r"\|" not in page


def test_a_heading_keeps_the_sign_at_its_end() -> None:
    page = (SITE / "quickstart" / "csharp.html").read_text(encoding="utf-8")

    assert page.count("Quickstart in C#<") >= 2


def search(page: Visitor, words: str) -> list[str]:
    """Type words into the search; return where its results lead."""
    page.value("document.querySelector('#search').focus()")
    page.type_text(words)
    page.wait_for("!document.querySelector('#found').hidden")
    found = page.value(LINKS)
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("idempotency", "/guides/renders#idempotency"),
        ("IDEMPOTENCY-KEY", "/guides/renders#idempotency"),
        ("idempotncy", "/guides/renders#idempotency"),
        ("map of the code", "/guides/map"),
        ("dead letters", "/guides/operating#dead-letters"),
    ],
)
@pytest.mark.parametrize("start", ["/guides", "/guides/renders", "/guides/migrate/gotenberg"])
def test_search_finds_a_section_and_leads_to_it(
    page: Visitor, words: str, first: str, start: str
) -> None:
    page.open(start)

    found = search(page, words)
    page.value("document.querySelector('#search').form.requestSubmit()")

    assert found[0] == first
    assert page.wait_for(f"location.pathname + location.hash === {json.dumps(first)}")
    page.wait_for(
        "document.readyState === 'complete' && document.querySelector('main h1') !== null"
    )


def test_search_says_when_it_finds_nothing(page: Visitor) -> None:
    page.open("/guides")

    assert search(page, "zzyzx qqqq") == []
    text = "document.querySelector('#found').innerText"
    assert page.value(text) == "No section has these words."


def test_index_is_loaded_for_a_search_only(page: Visitor) -> None:
    page.call("Network.clearBrowserCache")
    page.open("/guides/renders")
    assert not [each for each in page.requests if "search.json" in each["url"]]

    search(page, "render")

    assert [each for each in page.requests if "search.json" in each["url"]]


@pytest.mark.parametrize("width", [390, 1440])
def test_no_guide_scrolls_sideways(page: Visitor, width: int) -> None:
    for path in ("/guides", *(f"/guides/{name}" for name in PAGES)):
        page.open(path, width=width)
        assert not page.value(IS_TOO_WIDE), path
        broken = "[...document.images].filter((each) => !each.naturalWidth).map((each) => each.src)"
        assert page.value(broken) == [], path


def test_list_of_pages_is_a_menu_in_a_narrow_window(page: Visitor) -> None:
    shown = "document.querySelector('#pages').checkVisibility()"
    page.open("/guides/renders", width=1440)
    assert page.value(shown)

    page.open("/guides/renders", width=390)
    assert not page.value(shown)
    page.value("document.querySelector('.menu').click()")
    assert page.value(shown)

    page.value("document.querySelector('#pages a[href$=webhooks]').click()")
    assert page.wait_for("location.pathname === '/guides/webhooks'")


def test_guides_are_dark_where_the_visitor_likes_that(page: Visitor) -> None:
    def colours(*, dark: bool) -> set[str]:
        page.open("/guides/renders", dark=dark)
        shown = "document.body, document.querySelector('#pages'), document.querySelector('pre')"
        return set(
            page.value(
                f"[{shown}].map((each) => getComputedStyle(each))"
                ".flatMap((style) => [style.color, style.backgroundColor])"
            )
        ) - {"rgba(0, 0, 0, 0)"}

    assert not colours(dark=False) & colours(dark=True)


def test_pages_of_the_service_link_to_each_other(page: Visitor) -> None:
    for path in ("/docs", "/guides", "/guides/renders", "/errors", "/"):
        page.open(path)
        found = page.value("[...document.querySelectorAll('.bar nav a')].map((each) => each.text)")
        assert found == ["Reference", "Guides", "Console", "Errors"], path
