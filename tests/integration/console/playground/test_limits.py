"""What people do that a playground must survive: megabytes, double clicks, no network, two tabs."""

import pytest

from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually
from tests.integration.console.person import Person
from tests.integration.console.playground.hands import draft, previewed, renders, without_network

pytestmark = pytest.mark.integration

SLOW = {"wait": {"delay_ms": 3000}}
RENDER = "document.querySelector('.topline > .primary')"


def _press_keys(person: Person) -> None:
    for kind in ("rawKeyDown", "keyUp"):
        person.browser.call(
            "Input.dispatchKeyEvent",
            type=kind,
            modifiers=2,
            key="Enter",
            code="Enter",
            windowsVirtualKeyCode=13,
        )


def test_five_megabytes_are_sent_and_the_answer_is_told(person: Person) -> None:
    person.enter("/playground", draft=draft("large"))
    person.sees_page()

    person.type_first("<p>" + "many words " * 455_000)

    person.reads("too large", within=".preview [role=alert]")
    # The page goes on: another tab opens, and its text can be written.
    person.press("CSS")
    person.type_first("p { color: red }")
    person.browser.wait_for(
        "document.querySelector('.editor').shadowRoot.querySelector('.cm-content').innerText"
        " === 'p { color: red }'"
    )


def test_two_clicks_make_one_render(person: Person, api: ApiClient) -> None:
    person.enter("/playground", draft=draft("twice", output=SLOW))
    person.sees_page()

    person.browser.wait_for(f"!{RENDER}.disabled")
    person.browser.value(f"{RENDER}.click(), {RENDER}.click()")
    person.press("Open the render")

    assert len(renders(api, "twice", previews=False)) == 1


def test_keys_render_once_and_typing_does_not_end_it(person: Person, api: ApiClient) -> None:
    person.enter("/playground", draft=draft("keys", output=SLOW))
    person.sees_page()
    person.type_first("<p>First</p>")
    person.browser.wait_for("document.querySelector('.timing').innerText !== 'Rendering'")

    _press_keys(person)
    eventually(lambda: renders(api, "keys", previews=False), pause_s=0.1)
    _press_keys(person)
    person.type_first("<p>Second</p>")

    person.reads("Open the render")
    # The preview of what was typed meanwhile comes after it.
    kept = renders(api, "keys", previews=False)
    assert [each["status"] for each in kept] == ["succeeded"]
    eventually(lambda: renders(api, "keys")[0]["created_at"] > kept[0]["created_at"], pause_s=0.1)


def test_preview_comes_when_the_network_is_back(person: Person, api: ApiClient) -> None:
    person.enter("/playground", draft=draft("away"))
    person.sees_page()
    first = previewed(api, "away")["id"]

    with without_network(person):
        person.type_first("<p>Written without a network</p>")
        person.reads("The service does not answer", within=".preview [role=alert]")
        assert person.browser.value("document.querySelector('.sheets canvas') !== null")

    person.browser.wait_for("document.querySelector('.preview [role=alert]') === null")
    eventually(lambda: previewed(api, "away")["id"] != first, pause_s=0.1)


def test_two_tabs_have_drafts_of_their_own(person: Person, api: ApiClient) -> None:
    person.enter("/playground", draft=draft("tab one"))
    person.sees_page()
    other = Person.beside(person)

    other.enter("/playground", draft=draft("tab two"))
    other.sees_page()
    other.type_first("<p>Two</p>")
    person.type_first("<p>One</p>")

    for tab, word in ((person, "One"), (other, "Two")):
        tab.browser.wait_for(f"sessionStorage.getItem('platen.draft').includes('<p>{word}</p>')")
        tab.browser.open("/console/playground")
        tab.browser.wait_for(
            "document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')?.innerText"
            f".startsWith('<p>{word}</p>')"
        )
    assert previewed(api, "tab one")["id"] != previewed(api, "tab two")["id"]
