"""Other files than a PDF, their options, and the renderer."""

import pytest

from tests.builders.stack.api_client import ApiClient
from tests.integration.console.person import Person
from tests.integration.console.playground.hands import choose, draft, previewed, request_of

pytestmark = pytest.mark.integration

PICTURE = "document.querySelector('.picture')"
OPTIONS = {
    "pdf": {"margin": {"top": "30mm"}},
    "image": {"width": 300, "height": 200, "scale": 2},
}


@pytest.mark.parametrize("format_", ["png", "jpeg", "webp"])
def test_picture_is_drawn_with_its_options(person: Person, api: ApiClient, format_: str) -> None:
    person.enter("/playground", draft=draft(f"picture-{format_}", output=OPTIONS))
    person.sees_page()

    choose(person, "Format", format_)

    person.browser.wait_for(f"{PICTURE}?.naturalWidth === 600")
    person.reads("600 \N{MULTIPLICATION SIGN} 400 px", within=".pdf-bar")
    output = request_of(api, previewed(api, f"picture-{format_}"))["output"]
    assert (output["format"], output["image"]["width"]) == (format_, 300)
    person.press("100 %")
    person.browser.wait_for(f"{PICTURE}.clientWidth === 600")


def test_html_is_shown_as_text(person: Person) -> None:
    hostile = "<h1>Title</h1><script>window.attacked = 1</script><img src=x onerror='attacked=1'>"
    person.enter("/playground", draft=draft("text", hostile, format="html"))

    person.reads("<h1>Title</h1>", within=".file-text")


def test_options_follow_the_format(person: Person) -> None:
    person.enter("/playground", draft=draft("options"))
    person.reads("Page size", within=".options")

    choose(person, "Format", "png")

    person.reads("Clip selector", within=".options")
    assert "Page size" not in person.text(".options")


def test_xml_is_offered_beside_an_einvoice_alone(person: Person) -> None:
    formats = "[...document.querySelector('select[aria-label=Format]').options].map((o) => o.value)"
    person.enter("/playground", draft=draft("xml"))
    person.sees_page()
    assert "xml" not in person.browser.value(formats)

    person.browser.open("/console/playground?example=credit-note")
    person.reads("Your draft was replaced")
    choose(person, "Format", "xml")
    person.reads("CrossIndustryInvoice", within=".file-text")


def test_chosen_engine_makes_the_document(person: Person, api: ApiClient) -> None:
    engine = api.http.get("/engines").json()["data"][0]["id"]
    person.enter("/playground", draft=draft("engine"))
    person.sees_page()

    choose(person, "Engine", engine)
    person.type_first("<p>Again</p>")

    person.browser.wait_for("document.querySelector('.timing').innerText === 'Rendering'")
    person.browser.wait_for("document.querySelector('.timing').innerText !== 'Rendering'")
    assert request_of(api, previewed(api, "engine"))["engine"] == engine
