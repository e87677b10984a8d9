"""Warnings at their lines and on the page, margins, and letters of fonts."""

import json

import pytest

from tests.integration.console.person import Person
from tests.integration.console.playground.hands import draft, point_to

pytestmark = pytest.mark.integration

DOCUMENT = (
    "<!doctype html>\n<h1>Title</h1>\n<p>{{ who }} is here</p>\n"
    "<div id=wide>\n<p style='width: 400mm; background: red'>Much too wide</p></div>\n"
    "<style>p { color: black }</style><a href='#nowhere'>Lost</a>\n"
    "<img src='gone.png'>\n<script>throw Error('broken')</script>"
)
ACTIVE = "document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-activeLine')?.innerText"
# Top of the first mark, as a share of the sheet, and its width.
MARK = """(() => {
  const mark = document.querySelector('.page-mark')?.getBoundingClientRect();
  const sheet = document.querySelector('.sheets .sheet')?.getBoundingClientRect();
  return mark && sheet ? [(mark.top - sheet.top) / sheet.height, mark.width] : null;
})()"""


@pytest.fixture
def reader(person: Person) -> Person:
    """Give somebody before a document with many faults."""
    person.enter("/playground?panel=warnings&tab=css", draft=draft("faults", DOCUMENT))
    person.sees_page()
    return person


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("div#wide > p", "<p style='width: 400mm; background: red'>Much too wide</p></div>"),
        ("body > p", "<p>{{ who }} is here</p>"),
        ("#nowhere", "<style>p { color: black }</style><a href='#nowhere'>Lost</a>"),
        ("/gone.png", "<img src='gone.png'>"),
        ("line 8, column ", "<script>throw Error('broken')</script>"),
    ],
)
def test_warning_leads_to_its_line(reader: Person, place: str, line: str) -> None:
    found = (
        "[...document.querySelectorAll('.remark .link')].find((each) => "
        f"each.innerText.startsWith({json.dumps(place)}))"
    )
    reader.browser.wait_for(f"{found} !== undefined")
    reader.browser.value(f"{found}.click()")

    reader.browser.wait_for(f"{ACTIVE} === {json.dumps(line)}")


def test_place_of_a_warning_is_shown_on_the_page(reader: Person) -> None:
    point_to(reader, "{{ who }}")
    higher, narrow = reader.browser.wait_for(MARK)

    point_to(reader, "div#wide")
    reader.browser.wait_for(f"{MARK}?.[0] > {higher}")

    assert 0 < higher < 0.2
    assert 0 < narrow < 200
    reader.browser.value(
        "document.querySelector('.remarks').dispatchEvent(new PointerEvent('pointerout', "
        "{ bubbles: true, relatedTarget: document.body }))"
    )
    reader.browser.wait_for("document.querySelector('.page-mark') === null")


def test_margins_are_those_of_the_options(person: Person) -> None:
    output = {"pdf": {"margin": {"top": "50mm"}}}
    lines = "[...document.querySelectorAll('.margin-line')].map((each) => each.innerText)"
    person.enter("/playground", draft=draft("margins", output=output))
    person.sees_page()

    person.browser.wait_for(f"{lines}.join() === '50mm,10mm,10mm,10mm'")

    # A document that has margins of its own is not measured.
    person.type_first("<style>@page { margin: 1cm }</style>")
    person.browser.wait_for(f"{lines}.length === 0")


def test_fonts_are_shown_with_letters_of_the_document(person: Person) -> None:
    document = "<p style='font-family: Lato'>Letters</p><p style='font-family: Inter'>Others</p>"
    person.enter("/playground?panel=explain", draft=draft("fonts", document))

    person.reads("Lato", within=".inspector")
    person.browser.wait_for("document.querySelectorAll('.font-sample canvas').length === 2")
    ink = person.browser.value(
        "[...document.querySelectorAll('.font-sample canvas')].map((each) => each.getContext('2d')"
        ".getImageData(0, 0, each.width, each.height).data.some((value) => value < 90))"
    )
    assert ink == [True, True]


def test_head_comes_before_the_css_and_keeps_its_lines(person: Person) -> None:
    sources = {
        "head": "<meta name=a>\n<!-- {{ head }} -->\n",
        "css": "/* {{ css }} */",
        "data": "{}",
    }
    person.enter("/playground?panel=warnings&tab=data", draft=draft("head", sources=sources))

    for text, tab, line in (
        ("for head,", "head", "<!-- {{ head }} -->"),
        ("for css,", "css", "/* {{ css }} */"),
    ):
        person.reads(text, within=".inspector")
        person.browser.value(
            "[...document.querySelectorAll('.remark')].find((each) => "
            f"each.innerText.includes('{text}')).querySelector('.link').click()"
        )
        person.browser.wait_for(f"location.search.includes('tab={tab}')")
        person.browser.wait_for(f"{ACTIVE} === {json.dumps(line)}")
