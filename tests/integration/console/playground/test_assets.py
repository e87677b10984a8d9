"""Files beside the document: dropped, told if they cannot be taken, named in the document."""

import pytest

from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually
from tests.integration.console.person import Person
from tests.integration.console.playground.hands import (
    draft,
    drop,
    previewed,
    renders,
    request_of,
)

pytestmark = pytest.mark.integration

LOGO = b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/>"
ROWS = "document.querySelectorAll('.asset-list li').length"


def test_dropped_picture_is_drawn_where_it_is_inserted(person: Person, api: ApiClient) -> None:
    person.enter("/playground", draft=draft("logo"))

    drop(person, [("my logo.svg", "image/svg+xml", LOGO + b"</svg>")])
    person.press("Insert")

    def drawn() -> bool:
        ended = [each for each in renders(api, "logo") if each["status"] == "succeeded"]
        return any(api.get(each["id"])["explain"]["bytes"]["image"] > 0 for each in ended)

    assert eventually(drawn, pause_s=0.2)
    person.press("HTML")
    person.browser.wait_for(
        "document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')?.innerText"
        ".includes('src=\"my%20logo.svg\"')"
    )


def test_large_file_becomes_an_upload(person: Person, api: ApiClient) -> None:
    person.enter("/playground", draft=draft("upload", "<link rel=stylesheet href=a.css>"))

    drop(person, [("a.css", "text/css", b"p { color: red }" * 10_000)])
    person.browser.wait_for(f"{ROWS} === 1")

    def uploaded() -> list[str]:
        requests = [request_of(api, each)["input"] for each in renders(api, "upload")]
        return [each["assets"][0]["upload_id"] for each in requests if each.get("assets")]

    assert eventually(uploaded, pause_s=0.2)[0].startswith("upl_")
    assert "p { color" not in person.browser.value("sessionStorage.getItem('platen.draft')")


def test_what_cannot_be_taken_is_told(person: Person) -> None:
    person.enter("/playground", draft=draft("refused"))
    many = [(f"{number}.txt", "text/plain", b"text") for number in range(51)]

    drop(person, [("empty.png", "image/png", b""), ("huge.bin", "", bytes(20_000_001)), *many])

    person.reads("empty.png is empty", within=".sources [role=alert]")
    person.reads("huge.bin has 20 MB: the files of a render have at most 20 MB together")
    person.reads("50.txt: a render has at most 50 files")
    assert person.browser.value(ROWS) == 50


def test_file_that_the_service_refuses_is_found_by_its_problem(person: Person) -> None:
    hostile = '"><img src=x onerror="attacked=1">/../a.png'
    person.enter("/playground", draft=draft("hostile"))

    drop(person, [("ok.png", "image/png", b"picture")])
    person.browser.wait_for(f"{ROWS} === 1")
    person.browser.value("document.querySelector('.asset-path').focus()")
    person.browser.value("document.querySelector('.asset-path').select()")
    person.browser.type_text(hostile)
    person.press("CSS")
    person.press("/input/assets/0/path")

    person.browser.wait_for("location.search.includes('tab=assets')")
    assert person.browser.value("document.querySelector('.asset-path').value") == hostile


def test_files_stay_in_the_tab_until_they_are_removed(person: Person, api: ApiClient) -> None:
    person.enter("/playground", draft=draft("stays"))
    drop(person, [("a.css", "text/css", b"p { color: red }"), ("b.css", "text/css", b"p { }")])
    person.browser.wait_for(f"{ROWS} === 2")

    person.browser.open("/console/playground?tab=assets")
    person.browser.wait_for(f"{ROWS} === 2")
    person.press("Remove")
    person.browser.wait_for(f"{ROWS} === 1")
    person.browser.open("/console/playground?tab=assets")

    person.browser.wait_for(f"{ROWS} === 1")
    named = {"path": "b.css", "content_type": "text/css"}
    eventually(
        lambda: (
            [
                {name: asset[name] for name in named}
                for asset in request_of(api, previewed(api, "stays"))["input"].get("assets", [])
            ]
            == [named]
        ),
        pause_s=0.2,
    )
