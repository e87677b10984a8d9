"""Comparing two versions: what is shown, ways to look, hostile texts, what goes wrong."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.integration.console.looks import look_at
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration

ATTACK: Final = "<script>window.attacked = 1</script><img src=x onerror='window.attacked = 1'>"
STYLE: Final = (
    "<style>body { font: 15px/1.5 sans-serif } td { padding: 6px 48px 6px 0 } "
    "h1 { color: %s } .next { break-before: page }</style>"
)
TABLE: Final = "<table><tr><td>Hosting, March 2026<td>49.00 EUR%s</table><p>%s</p>"
TERMS: Final = "<h2 class=next>Terms</h2><p>Payable within 30 days without deduction.</p>"
OLD: Final = (
    STYLE % "#222"
    + "<h1>Invoice 2026-0042</h1>"
    + TABLE % ("", "Total 49.00 EUR")
    + TERMS
    + "<h2 class=next>Notes</h2><p>Thank you for your order.</p>"
)
NEW: Final = (
    STYLE % "#0a5"
    + "<h1>Invoice 2026-0042</h1>"
    + TABLE % ("<tr><td>Support, 2 hours<td>180.00 EUR", "Total 229.00 EUR")
    + TERMS
    + "<h2 class=next>Notes</h2><p>Thank you for your second order.</p>"
    + "<h2 class=next>Appendix</h2><p>Data processing of {{ n }}.</p>"
)
SHOWN: Final = "document.querySelector('.cmp-picture')?.naturalWidth > 0"
CURRENT: Final = "document.querySelector('.cmp-page[aria-current=true]')?.innerText ?? ''"


@pytest.fixture
def client(stack: RunningStack) -> Iterator[ApiClient]:
    with ApiClient(stack, stack.test_key) as running:
        yield running


@pytest.fixture(scope="module", autouse=True)
def warm_tools(stack: RunningStack) -> None:
    """Compare once: under load the first comparison may take longer than a request has."""
    with ApiClient(stack, stack.test_key) as client:
        path = f"/templates/{changed_template(client)}/compare"
        answers = (client.http.post(path, json={"from": 1, "to": "draft"}) for _ in range(10))
        assert any(answer.status_code == 200 for answer in answers)


def template(client: ApiClient, name: str = "Invoice", html: str = OLD, **fields: Any) -> str:
    body = {"name": name, "html": html, "publish": True} | fields
    answer = client.http.post("/templates", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def change(client: ApiClient, id_: str, html: str = NEW) -> None:
    assert client.http.put(f"/templates/{id_}/draft", json={"html": html}).status_code == 200


def changed_template(client: ApiClient) -> str:
    datasets = [{"name": each, "data": {"n": each}} for each in ("Acme", "Krone")]
    id_ = template(client, datasets=datasets)
    change(client, id_)
    return id_


def sees(person: Person, expression: str) -> None:
    person.browser.wait_for(expression)


def count_compared(person: Person, id_: str) -> int:
    return len(person.sent("POST", f"/templates/{id_}/compare"))


def choose(person: Person, label: str, value: str) -> None:
    """Choose an option of the list with a label, as somebody does."""
    person.browser.value(
        "{ const field = [...document.querySelectorAll('.cmp-field')].find((each) => "
        f"each.innerText.startsWith({json.dumps(label)})).querySelector('select'); "
        f"field.value = {json.dumps(value)}; "
        "field.dispatchEvent(new Event('change', { bubbles: true })); }"
    )


def test_first_changed_page_is_shown_beside_its_old_one(person: Person, client: ApiClient) -> None:
    id_ = changed_template(client)

    person.enter(f"/templates/{id_}/compare")

    sees(person, "document.querySelectorAll('.cmp-picture').length === 2")
    sees(person, SHOWN)
    assert "Page 1" in person.browser.value(CURRENT)
    assert person.text(".cmp-summary") == "3 of 4 pages changed"
    assert "Total 229.00 EUR" in person.text(".cmp-texts")
    assert person.browser.value("document.title").startswith("Compare Invoice")
    query = {"template_id": id_}
    assert client.http.get("/renders", params=query).json()["data"] == []


def test_change_of_a_text_leads_to_its_page(person: Person, client: ApiClient) -> None:
    id_ = changed_template(client)
    person.enter(f"/templates/{id_}/compare?from=live&to=draft")
    person.reads("Thank you for your second order.", within=".cmp-texts")

    person.browser.value(
        "[...document.querySelectorAll('.cmp-text')].find((each) => "
        "each.innerText.includes('second order')).click()"
    )

    sees(person, f"{CURRENT}.includes('Page 3')")
    assert "page=3" in person.browser.value("location.search")


def test_page_of_one_version_only_is_shown_alone(person: Person, client: ApiClient) -> None:
    id_ = changed_template(client)

    person.enter(f"/templates/{id_}/compare?page=4")

    person.reads("This page is in Draft only")
    sees(person, SHOWN)
    assert person.browser.value("document.querySelectorAll('.cmp-picture').length") == 1
    assert "New page" in person.browser.value(CURRENT)


def test_list_has_changed_pages_first_or_alone(person: Person, client: ApiClient) -> None:
    id_ = changed_template(client)
    pages = "[...document.querySelectorAll('.cmp-page > :first-child')].map((one) => one.innerText)"
    person.enter(f"/templates/{id_}/compare")
    sees(person, f"{pages}.length === 4")

    person.press("Changed")
    sees(person, f"{pages}.length === 3")
    person.press("Changed first")
    sees(person, f"{pages}.length === 4")

    shown = person.browser.value(pages)
    assert (shown[0], shown[-1]) == ("Page 4", "Page 2")
    assert "changed=first" in person.browser.value("location.search")


def test_next_change_passes_pages_without_changes(person: Person, client: ApiClient) -> None:
    id_ = changed_template(client)
    person.enter(f"/templates/{id_}/compare")
    sees(person, SHOWN)

    person.press("Next change")

    sees(person, f"{CURRENT}.includes('Page 3')")


def test_overlay_shows_the_changes(person: Person, client: ApiClient) -> None:
    id_ = changed_template(client)
    person.enter(f"/templates/{id_}/compare")
    sees(person, SHOWN)

    person.press("Overlay")

    person.reads("was there before", within=".cmp-legend")
    sees(person, SHOWN)
    blue = person.browser.value(
        "(() => { const picture = document.querySelector('.cmp-picture'); "
        "const canvas = document.createElement('canvas'); canvas.width = picture.naturalWidth; "
        "canvas.height = picture.naturalHeight; const pen = canvas.getContext('2d'); "
        "pen.drawImage(picture, 0, 0); "
        "const { data } = pen.getImageData(0, 0, canvas.width, canvas.height); "
        "let count = 0; for (let n = 0; n < data.length; n += 4) "
        "count += data[n] === 11 && data[n + 1] === 94 && data[n + 2] === 199; "
        "return count; })()"
    )
    assert blue > 100
    assert "has another colour" in person.text(".cmp-legend")


def test_slider_is_moved_by_keys(person: Person, client: ApiClient) -> None:
    id_ = changed_template(client)
    person.enter(f"/templates/{id_}/compare?mode=slider")
    sees(person, SHOWN)
    clip = "document.querySelector('.cmp-before').style.clipPath"
    assert "50%" in person.browser.value(clip)

    person.browser.value("document.querySelector('.cmp-range').focus()")
    for kind in ("keyDown", "keyUp"):
        person.browser.call(
            "Input.dispatchKeyEvent", type=kind, key="End", code="End", windowsVirtualKeyCode=35
        )

    sees(person, f"{clip}.includes('inset(0px 0%') || {clip} === 'inset(0px)'")
    said = person.browser.value("document.querySelector('.cmp-range').ariaValueText")
    assert said == "100 % Live (version 1), 0 % Draft"


def test_versions_and_data_are_chosen_and_in_the_address(person: Person, client: ApiClient) -> None:
    id_ = changed_template(client)
    assert client.http.post(f"/templates/{id_}/publish", json={"note": "Green"}).status_code == 201
    other = client.http.get(f"/templates/{id_}/datasets").json()["data"][1]["id"]
    person.enter(f"/templates/{id_}/compare?from=1&to=2")
    sees(person, SHOWN)

    person.reads("Data processing of Acme.", within=".cmp-texts")
    choose(person, "Data", other)
    person.reads("Data processing of Krone.", within=".cmp-texts")
    assert f"dataset={other}" in person.browser.value("location.search")
    person.press("Swap")
    person.reads("Removed", within=".cmp-texts")

    assert "from=2&to=1" in person.browser.value("location.search")
    assert "Version 2: Green" in person.text(".cmp-choice")
    assert count_compared(person, id_) == 3
    person.browser.value("history.back()")
    sees(person, "location.search.includes('from=1&to=2')")
    person.reads("Added", within=".cmp-texts")


def test_same_versions_say_so(person: Person, client: ApiClient) -> None:
    id_ = template(client)

    person.enter(f"/templates/{id_}/compare?from=1&to=live")

    person.reads("Both versions look the same")
    person.reads("No text has changed.")


def test_hostile_texts_are_shown_as_texts(person: Person, client: ApiClient) -> None:
    escaped = ATTACK.replace("<", "&lt;")
    datasets = [{"name": ATTACK[:100], "data": {}}]
    id_ = template(client, name=ATTACK, html=f"<p>old {escaped}", datasets=datasets)
    change(client, id_, f"<p>new {escaped}<p>{escaped}")
    assert client.http.post(f"/templates/{id_}/publish", json={"note": ATTACK}).status_code == 201

    person.enter(f"/templates/{id_}/compare?from=1&to=2")

    person.reads("<script>window.attacked", within="h1")
    person.reads("<script>window.attacked", within=".cmp-texts")
    person.reads("<script>window.attacked", within=".cmp-choice")
    sees(person, SHOWN)


def test_failing_version_says_which_one_and_why(person: Person, client: ApiClient) -> None:
    id_ = template(client)
    options = {"strict_undefined": True}
    body = {"html": "<p>{{ missing.name }}", "options": options}
    assert client.http.put(f"/templates/{id_}/draft", json=body).status_code == 200

    person.enter(f"/templates/{id_}/compare")

    person.reads("to (the draft)", within="[role=alert]")
    person.reads("template_runtime_error", within="[role=alert]")


def test_wrong_address_shows_the_problem(person: Person, client: ApiClient) -> None:
    id_ = template(client)
    person.enter(f"/templates/{id_}/compare?from=99&to=1")
    person.reads("version_not_found", within="[role=alert]")
    person.enter("/templates/tpl_01M7Z1HM8GTX278DM4WH5PWBJK/compare")
    person.reads("template_not_found", within="[role=alert]")


def test_template_without_a_version_asks_for_one(person: Person, client: ApiClient) -> None:
    id_ = template(client, publish=False)

    person.enter(f"/templates/{id_}/compare")

    person.reads("There is one version only", within=".empty")
    assert count_compared(person, id_) == 0


def test_live_key_compares_published_versions(
    person: Person, stack: RunningStack, client: ApiClient
) -> None:
    id_ = changed_template(client)
    assert client.http.post(f"/templates/{id_}/publish").status_code == 201

    person.enter(f"/templates/{id_}/compare", key=stack.live_key)

    sees(person, SHOWN)
    assert person.text(".cmp-sheets").split("\n") == ["Version 1", "Live (version 2)"]
    assert count_compared(person, id_) == 1


def test_expired_pictures_are_made_again(person: Person, client: ApiClient) -> None:
    id_ = changed_template(client)
    person.enter(f"/templates/{id_}/compare")
    sees(person, SHOWN)
    person.browser.call("Network.enable")
    person.browser.call("Network.setBlockedURLs", urls=["*comparison-*"])
    try:
        person.press("Overlay")
        person.reads("The pictures are kept for an hour", within="[role=alert]")
    finally:
        person.browser.call("Network.setBlockedURLs", urls=[])

    person.press("Compare again")

    sees(person, SHOWN)
    assert count_compared(person, id_) == 2


@pytest.mark.parametrize("view", ["side", "overlay", "slider", "page", "same", "empty", "failure"])
def test_view_has_no_barrier(person: Person, client: ApiClient, view: str) -> None:
    shown, search = SHOWN, f"?mode={view}"
    if view == "empty":
        id_, search = template(client, publish=False), ""
        shown = "document.querySelector('.empty') !== null"
    elif view == "failure":
        id_, search = template(client), "?from=99&to=1"
        shown = "document.querySelector('[role=alert]') !== null"
    else:
        id_ = changed_template(client)
        search = {"page": "?page=4&changed=only", "same": "?from=1&to=1"}.get(view, search)

    look_at(person, f"compare-{view}", f"/templates/{id_}/compare{search}", shown)
