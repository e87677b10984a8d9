"""Templates: list, drafts edited against others, datasets, publishing, versions, trash."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.core.ids import WorkspaceId
from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenants
from tests.builders.waiting import eventually
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration

ATTACK = "<script>window.attacked = 1</script><img src=x onerror='window.attacked = 1'>"
HTML = "<h1>Invoice for {{ name }}</h1>"
ADA = {"name": "Ada", "data": {"name": "Ada"}}
BEN = {"name": "Ben", "data": {"name": "Ben"}}
NAMES = "[...document.querySelectorAll('.tile-link')].map((each) => each.innerText)"


@pytest.fixture
def client(stack: RunningStack) -> Iterator[ApiClient]:
    with ApiClient(stack, stack.test_key) as running:
        yield running


def make(client: ApiClient, name: str = "Invoice", **fields: Any) -> str:
    answer = client.http.post("/templates", json={"name": name, "html": HTML} | fields)
    answer.raise_for_status()
    return str(answer.json()["id"])


def template(client: ApiClient, template_id: str) -> dict[str, Any]:
    found: dict[str, Any] = client.http.get(f"/templates/{template_id}").json()
    return found


def draft_of(client: ApiClient, template_id: str) -> dict[str, Any]:
    found: dict[str, Any] = client.http.get(f"/templates/{template_id}/draft").json()
    return found


def key_with(stack: RunningStack, tenants: Tenants, **fields: Any) -> str:
    keys = tenants.operator.manage_keys
    return keys.create(WorkspaceId(stack.workspace), **({"mode": "test"} | fields)).text


def choose_menu(person: Person, item: str) -> None:
    person.press("More")
    person.press(item)


def test_search_is_in_the_address_and_shows_first_pages(person: Person, client: ApiClient) -> None:
    shown = make(client, "Zebra order", datasets=[ADA], publish=True)
    make(client, "Other thing")

    person.enter("/templates")
    person.browser.wait_for(f"{NAMES}.includes('Other thing')")
    person.browser.value("document.querySelector('.tile-search').focus()")
    person.browser.type_text("zebra")

    person.browser.wait_for(f"{NAMES}.join() === 'Zebra order'")
    assert person.browser.value("location.search") == "?q=zebra"
    picture = "document.querySelector('.tile img')"
    person.browser.wait_for(f"{picture}?.naturalWidth === 480 || {picture}?.naturalWidth === 479")
    person.reads("live v1", within=".tile")
    person.enter(f"/templates?q={shown.lower()}")
    person.browser.wait_for(f"{NAMES}.join() === 'Zebra order'")
    person.enter("/templates?q=nothing-has-this")
    person.reads("No template matches")
    person.press("Clear the search")
    person.browser.wait_for(f"{NAMES}.length > 1")


def test_hostile_names_are_texts(person: Person, client: ApiClient) -> None:
    dataset = {"name": ATTACK[:120], "data": {"name": ATTACK}}
    hostile = make(client, ATTACK[:120], description=ATTACK, datasets=[dataset], publish=True)

    person.enter("/templates")
    person.browser.wait_for(f"{NAMES}.some((each) => each.includes('window.attacked'))")
    person.enter(f"/templates/{hostile}?panel=versions&tab=data")
    person.reads("window.attacked", within="h1")
    person.reads("window.attacked", within=".source-bar")
    person.press("Publish")
    person.reads("Passed", within=".runs")
    person.reads("window.attacked", within=".run-text")


def test_new_template_opens_with_a_page(person: Person, client: ApiClient) -> None:
    person.enter("/templates")
    person.press("New template")
    person.browser.wait_for("document.activeElement.maxLength === 120")
    person.browser.type_text("Brand new")
    # A mouse sends two clicks where one is meant.
    submit = "document.querySelector('dialog[open] [type=submit]')"
    person.browser.value(f"{submit}.click(), {submit}.click()")

    person.sees_page()
    person.reads("Brand new", within="h1")
    rows = client.http.get("/templates", params={"q": "brand new"}).json()["data"]
    assert [row["name"] for row in rows] == ["Brand new"]


def test_draft_is_previewed_while_it_is_written_and_saved(
    person: Person, client: ApiClient
) -> None:
    edited = make(client, datasets=[ADA])
    person.enter(f"/templates/{edited}")
    person.sees_page()
    before = len(person.sent("POST", "/renders"))

    person.type_first("<p>Mine</p>")

    person.reads("unsaved changes", within=".strip")
    eventually(lambda: len(person.sent("POST", "/renders")) > before)
    person.press("Save draft")
    person.reads("draft r2", within=".strip")
    saved = draft_of(client, edited)
    assert (saved["revision"], saved["content"]["html"]) == (2, f"<p>Mine</p>{HTML}")
    person.browser.wait_for("!document.querySelector('.strip').innerText.includes('unsaved')")
    # What was made for the eye is no render of the list.
    assert client.http.get("/renders", params={"template_id": edited}).json()["data"] == []


def test_what_is_written_outlives_a_reload(person: Person, client: ApiClient) -> None:
    edited = make(client)
    person.enter(f"/templates/{edited}")
    person.type_first("<p>Kept</p>")
    person.reads("unsaved changes", within=".strip")

    person.browser.open(f"/console/templates/{edited}")

    person.reads("unsaved changes", within=".strip")
    person.press("Discard changes")
    person.browser.wait_for("!document.querySelector('.strip').innerText.includes('unsaved')")
    assert draft_of(client, edited)["revision"] == 1


def conflicting(person: Person, client: ApiClient) -> str:
    edited = make(client)
    person.enter(f"/templates/{edited}")
    person.type_first("<p>Mine</p>")
    person.reads("unsaved changes", within=".strip")
    # Another tab has saved what it began from the same revision.
    theirs = {"html": f"{HTML}<p>Theirs</p>", "css": "p {}", "revision": 1}
    client.http.put(f"/templates/{edited}/draft", json=theirs).raise_for_status()
    person.press("Save draft")
    person.reads("Somebody has changed this draft meanwhile")
    return edited


def test_conflicting_drafts_are_shown_beside_each_other_and_mine_wins(
    person: Person, client: ApiClient
) -> None:
    edited = conflicting(person, client)
    sides = (
        "[...document.querySelector('.wide-pane .editor')?.shadowRoot?"
        ".querySelectorAll('.cm-content') ?? []].map((each) => each.innerText).join('|')"
    )
    person.browser.wait_for(f"{sides}.includes('Theirs') && {sides}.includes('Mine')")
    assert draft_of(client, edited)["content"]["html"] == f"{HTML}<p>Theirs</p>"

    person.press("Save mine over theirs")

    person.reads("draft r3", within=".strip")
    saved = draft_of(client, edited)
    assert (saved["revision"], saved["content"]["html"]) == (3, f"<p>Mine</p>{HTML}")


def test_conflicting_draft_takes_a_change_of_the_other(person: Person, client: ApiClient) -> None:
    edited = conflicting(person, client)
    arrow = (
        "document.querySelector('.wide-pane .editor')?.shadowRoot"
        "?.querySelector('.cm-merge-revert button')"
    )
    person.browser.wait_for(f"{arrow} != null")
    person.browser.value(
        f"{arrow}.dispatchEvent(new MouseEvent('mousedown', {{ bubbles: true, cancelable: true }}))"
    )

    person.press("Save mine over theirs")

    person.reads("draft r3", within=".strip")
    assert draft_of(client, edited)["content"]["html"] == f"{HTML}<p>Theirs</p>"


def test_conflicting_draft_is_dropped(person: Person, client: ApiClient) -> None:
    edited = conflicting(person, client)

    person.press("Take theirs, drop mine")

    person.browser.wait_for("document.querySelector('.wide-pane') === null")
    person.browser.wait_for("!document.querySelector('.strip').innerText.includes('unsaved')")
    assert draft_of(client, edited)["revision"] == 2


def test_source_that_is_no_json_is_named_and_not_saved(person: Person, client: ApiClient) -> None:
    edited = make(client)
    person.enter(f"/templates/{edited}?tab=schema")

    person.type_first("{ oops")

    person.reads("Schema, line 1: not JSON", within=".fault")
    save = "[...document.querySelectorAll('button')].find((b) => b.innerText === 'Save draft')"
    assert person.browser.value(f"{save}.disabled") is True


def test_schema_is_inferred_from_datasets(person: Person, client: ApiClient) -> None:
    edited = make(client, datasets=[ADA, BEN])
    person.enter(f"/templates/{edited}?tab=schema")

    person.press("Infer from datasets")
    person.press("Save draft")

    person.reads("draft r2", within=".strip")
    schema = draft_of(client, edited)["schema"]
    assert (schema["required"], schema["properties"]["name"]["type"]) == (["name"], "string")


def test_option_is_set_and_removed(person: Person, client: ApiClient) -> None:
    edited = make(client, options={"pdf": {"page_size": "A5"}}, header="<b>Head</b>")
    person.enter(f"/templates/{edited}")
    field = "document.querySelector('#option-pdf\\\\.landscape select, #option-landscape select')"
    person.browser.wait_for("document.querySelector('.options') !== null")
    find = "document.querySelector('.options-find input')"
    person.browser.value(f"{find}.focus()")
    person.browser.type_text("landscape")
    person.browser.wait_for(f"{field} !== null")
    setter = "Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set"
    person.browser.value(
        f"(({setter}).call({field}, 'true'), "
        f"{field}.dispatchEvent(new Event('change', {{ bubbles: true }})))"
    )

    person.press("Save draft")

    person.reads("draft r2", within=".strip")
    saved = draft_of(client, edited)
    pdf = {name: value for name, value in saved["options"]["pdf"].items() if value is not None}
    assert (pdf["page_size"], pdf["landscape"]) == ("A5", True)
    assert saved["content"]["header"] == "<b>Head</b>"


def test_datasets_are_made_changed_and_deleted(person: Person, client: ApiClient) -> None:
    edited = make(client, datasets=[ADA, BEN])
    path = f"/templates/{edited}/datasets"
    ben = client.http.get(path).json()["data"][1]["id"]
    person.enter(f"/templates/{edited}?tab=data&dataset={ben}")
    content = "document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')"
    person.browser.wait_for(f"{content}?.innerText.includes('Ben')")

    person.press("Make default")
    eventually(lambda: client.http.get(f"{path}/{ben}").json()["is_default"])
    person.type_first(" ")
    person.press("Save dataset")
    person.press("New dataset")
    eventually(lambda: len(client.http.get(path).json()["data"]) == 3)
    person.browser.wait_for("location.search.includes('dataset=ds_')")
    assert client.http.get(path).json()["data"][2]["name"] == "Dataset 3"

    person.browser.wait_for(
        f"!location.search.includes('{ben}') "
        "&& document.querySelector('.source-bar input')?.value === 'Dataset 3'"
    )
    person.press("Delete dataset")
    person.browser.wait_for("document.querySelector('dialog[open]') !== null")
    assert len(client.http.get(path).json()["data"]) == 3
    person.browser.value("document.querySelector('dialog[open] .danger').click()")
    eventually(lambda: len(client.http.get(path).json()["data"]) == 2)


def test_publishing_shows_each_dataset_first(person: Person, client: ApiClient) -> None:
    edited = make(client, datasets=[ADA, BEN])
    person.enter(f"/templates/{edited}?panel=versions")
    person.type_first("<p>New</p>")

    person.press("Publish")
    person.reads("Publish version 1", within="dialog[open]")
    drawn = "document.querySelectorAll('.runs canvas[data-drawn]').length"
    person.browser.wait_for(f"{drawn} === 2")
    person.browser.value("document.querySelector('dialog[open] textarea').focus()")
    person.browser.type_text("First one")
    submit = "document.querySelector('dialog[open] [type=submit]')"
    person.browser.value(f"{submit}.click(), {submit}.click()")

    person.reads("Version 1 is live", within="dialog[open]")
    found = template(client, edited)
    assert (found["live_version"]["number"], found["live_version"]["note"]) == (1, "First one")
    # What was not saved yet was saved before.
    source = client.http.get(f"/templates/{edited}/versions/1").json()["content"]["html"]
    assert source == f"<p>New</p>{HTML}"
    person.reads("live v1", within=".strip")
    person.reads("First one", within=".versions")


def test_failing_dataset_keeps_the_button_off(person: Person, client: ApiClient) -> None:
    edited = make(
        client,
        html="{{ 1 // n }}",
        datasets=[{"name": "Good", "data": {"n": 1}}, {"name": "Bad", "data": {"n": 0}}],
    )
    person.enter(f"/templates/{edited}")

    person.press("Publish")

    person.reads("A dataset fails", within="dialog[open]")
    person.reads("template_runtime_error", within=".runs")
    person.reads("Passed", within=".runs")
    assert person.browser.value("document.querySelector('dialog[open] [type=submit]').disabled")
    assert template(client, edited)["live_version"] is None


def test_version_is_compared_and_rolled_back(person: Person, client: ApiClient) -> None:
    edited = make(client, datasets=[ADA], publish=True)
    changed = {"html": "<h2>Second</h2>"}
    client.http.put(f"/templates/{edited}/draft", json=changed).raise_for_status()
    client.http.post(f"/templates/{edited}/publish", json={"note": "2nd"}).raise_for_status()
    person.enter(f"/templates/{edited}?panel=versions")
    person.reads("2nd", within=".versions")
    compare = (
        "[...document.querySelectorAll('.versions a')].map((each) => each.getAttribute('href'))"
    )
    assert f"/console/templates/{edited}/compare?from=1&to=2" in person.browser.value(compare)

    person.browser.value("document.querySelectorAll('.versions .is-live button')[0].click()")
    sides = (
        "[...document.querySelector('.wide-pane .editor')?.shadowRoot?"
        ".querySelectorAll('.cm-content') ?? []].map((each) => each.innerText).join('|')"
    )
    person.browser.wait_for(f"{sides}.includes('Invoice for') && {sides}.includes('Second')")
    assert "from=1" in person.browser.value("location.search")
    person.press("Back to the editor")
    person.press("Roll back to this")
    person.press("Publish version 1 again")

    person.reads("live v3", within=".strip")
    assert client.http.get(f"/templates/{edited}/versions/3").json()["rollback_of"] == 1


def test_locked_template_cannot_be_written_until_it_is_unlocked(
    person: Person, client: ApiClient
) -> None:
    locked = make(client)
    person.enter(f"/templates/{locked}")
    choose_menu(person, "Lock")
    person.reads("locked", within=".strip")
    person.reads("Unlock it to edit", within=".sources")
    assert template(client, locked)["locked"] is True

    content = "document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')"
    person.browser.wait_for(f"{content}?.innerText.includes('Invoice for')")
    person.type_first("<p>No</p>")
    assert "<p>No</p>" not in person.browser.value(f"{content}.innerText")
    choose_menu(person, "Unlock")
    person.browser.wait_for("!document.querySelector('.strip').innerText.includes('locked')")
    person.type_first("<p>Yes</p>")
    person.press("Save draft")
    person.reads("draft r2", within=".strip")


def test_deleted_template_is_restored_from_the_trash(person: Person, client: ApiClient) -> None:
    gone = make(client, "To be deleted")
    person.enter(f"/templates/{gone}")
    choose_menu(person, "Delete")
    person.browser.wait_for("document.querySelector('dialog[open]') !== null")
    assert template(client, gone)["deleted_at"] is None
    person.browser.value("document.querySelector('dialog[open] .danger').click()")

    person.browser.wait_for("location.search === '?deleted=true'")
    person.browser.wait_for(f"{NAMES}.includes('To be deleted')")
    assert template(client, gone)["code"] == "template_deleted"
    person.enter(f"/templates/{gone}")
    person.reads("is in the trash")
    person.press("Restore")
    person.reads("To be deleted", within="h1")
    assert template(client, gone)["deleted_at"] is None


def test_key_without_write_is_offered_nothing_to_write(
    person: Person, client: ApiClient, stack: RunningStack, tenants: Tenants
) -> None:
    read = make(client, datasets=[ADA], publish=True)
    key = key_with(stack, tenants, scopes=["templates:read", "account:read"])

    person.enter("/templates", key=key)
    person.browser.wait_for(f"{NAMES}.length > 0")
    assert "New template" not in person.text("body")
    person.enter(f"/templates/{read}?panel=versions&tab=data", key=key)
    person.reads("This key can read templates, but not change them", within=".sources")
    person.reads("This key cannot render", within=".preview")
    person.reads("Version 1", within=".versions")
    shown = person.text("body")
    for words in ("Save draft", "Publish", "New dataset", "Roll back"):
        assert words not in shown


def test_restricted_key_sees_its_templates_only(
    person: Person, client: ApiClient, stack: RunningStack, tenants: Tenants
) -> None:
    own, other = make(client, "Own"), make(client, "Foreign")
    key = key_with(stack, tenants, templates=[own])

    person.enter("/templates", key=key)
    person.browser.wait_for(f"{NAMES}.join() === 'Own'")
    person.browser.wait_for("!document.body.innerText.includes('New template')")
    person.enter(f"/templates/{other}", key=key)
    person.reads("template_not_allowed_for_key", within="[role=alert]")
    person.enter(f"/templates/{own}", key=key)
    person.type_first("<p>Mine</p>")
    person.press("Save draft")
    person.reads("draft r2", within=".strip")


def test_live_key_renders_nothing_by_itself(
    person: Person, client: ApiClient, stack: RunningStack, tenants: Tenants
) -> None:
    edited = make(client, datasets=[ADA])
    person.enter(f"/templates/{edited}", key=key_with(stack, tenants, mode="live"))
    person.reads("Previews need a test key", within=".preview")

    person.press("Publish")
    person.reads("A live key does not render drafts here", within="dialog[open]")
    person.press("Publish version 1")

    person.reads("Version 1 is live", within="dialog[open]")
    assert person.sent("POST", "/renders") == []


def test_canvas_has_a_scene_and_links_to_where_it_is_drawn(
    person: Person, client: ApiClient
) -> None:
    scene = {"width": 400, "height": 200, "background": "#ffffff", "layers": []}
    canvas = make(
        client,
        "Card",
        type="image_canvas",
        html=None,
        scene=scene,
        options={"output_format": "png"},
        datasets=[{"name": "One", "data": {}}],
    )
    person.enter(f"/templates/{canvas}")
    person.browser.wait_for("document.querySelector('.preview img')?.naturalWidth === 400")

    person.press("More")

    links = "[...document.querySelectorAll('[role=menuitem]')].map((e) => e.getAttribute('href'))"
    person.browser.wait_for(f"{links}.length > 0")
    assert f"/console/templates/{canvas}/scene" in person.browser.value(links)
    assert f"/console/playground?template={canvas}" in person.browser.value(links)
