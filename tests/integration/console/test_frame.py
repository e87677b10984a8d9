"""The frame of all views: palette, keys, the bar of narrow windows, limits and outages."""

from collections.abc import Iterator

import pytest

from chalicelib.core.ids import WorkspaceId
from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenants
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration

ATTACK = "<img src=x onerror='window.attacked = 1'>"
CONTROL = 2
PATH = "location.pathname"
FIELD_HAS_FOCUS = "document.activeElement?.hasAttribute('cmdk-input') ?? false"


@pytest.fixture
def client(stack: RunningStack) -> Iterator[ApiClient]:
    with ApiClient(stack, stack.test_key) as running:
        yield running


def open_palette(person: Person) -> None:
    person.browser.wait_for("document.querySelector('.topline') !== null")
    person.strike("k", modifiers=CONTROL)
    person.browser.wait_for(FIELD_HAS_FOCUS)


def test_palette_goes_to_a_view_and_back(person: Person) -> None:
    person.enter("/playground")
    open_palette(person)

    person.browser.type_text("rend")
    person.reads("Renders", within="dialog[open] [cmdk-item][aria-selected=true]")
    person.strike("Enter")

    person.browser.wait_for(f"{PATH} === '/console/renders'")
    person.browser.value("history.back()")
    person.browser.wait_for(f"{PATH} === '/console/playground'")


def test_palette_opens_an_id(person: Person, client: ApiClient) -> None:
    render = client.render(reference="by its id").json()["id"]
    person.enter("/renders")
    open_palette(person)

    person.browser.type_text(f" {render} ")
    person.reads(render, within="dialog[open] [cmdk-item][aria-selected=true]")
    person.strike("Enter")

    person.reads("by its id", within="h1")
    assert person.browser.value(PATH) == f"/console/renders/{render}"


def test_palette_finds_templates_by_their_names(person: Person, client: ApiClient) -> None:
    name = f"Reminder {ATTACK}"
    made = client.http.post("/templates", json={"name": name, "html": "<p>x"}).json()["id"]
    person.enter("/renders")
    open_palette(person)

    person.browser.type_text("reMINDER <img")
    person.reads(name, within="dialog[open] [cmdk-item][aria-selected=true]")
    person.strike("Enter")

    person.browser.wait_for(f"{PATH} === '/console/templates/{made}'")


@pytest.mark.parametrize("kind", ["template", "endpoint", "batch"])
def test_palette_opens_ids_of_all_kinds(person: Person, client: ApiClient, kind: str) -> None:
    template = {"name": "Letter", "html": "<p>x", "publish": True}
    made = client.http.post("/templates", json=template).json()["id"]
    bodies = {
        "endpoint": ("/webhook-endpoints", {"url": "https://example.com/hook"}),
        "batch": ("/batches", {"template_id": made, "items": [{"data": {}}]}),
    }
    if kind in bodies:
        path, body = bodies[kind]
        made = client.http.post(path, json=body).raise_for_status().json()["id"]
    places = {"template": "templates", "endpoint": "deliveries/webhooks", "batch": "batches"}
    person.enter("/renders")
    open_palette(person)

    person.browser.type_text(made)
    person.reads(made, within="dialog[open] [cmdk-item][aria-selected=true]")
    person.strike("Enter")

    person.browser.wait_for(f"{PATH} === '/console/{places[kind]}/{made}'")


def test_render_leads_to_its_template_and_back(person: Person, client: ApiClient) -> None:
    template = {"name": "Receipt of a render", "html": "<p>x", "publish": True}
    made = client.http.post("/templates", json=template).json()["id"]
    source = {"type": "template", "template_id": made}
    render = client.http.post("/renders", json={"input": source, "data": {}}).json()["id"]
    person.enter(f"/renders/{render}")
    person.browser.wait_for(f"document.querySelector('.facts a[href$={made}]') !== null")
    person.browser.value("window.stayed = true")

    person.press(made)

    person.reads("Receipt of a render", within="h1")
    assert person.browser.value("window.stayed") is True
    person.browser.value("history.back()")
    person.browser.wait_for(f"{PATH} === '/console/renders/{render}'")


@pytest.mark.parametrize(
    "words",
    ["no such thing", "xyz_0", "rnd_<img src=x onerror='window.attacked=1'>", "__proto___a"],
)
def test_palette_says_what_it_does_not_know(person: Person, words: str) -> None:
    person.enter("/renders")
    open_palette(person)

    person.browser.type_text(words)

    person.reads("Nothing has these words", within="dialog[open]")
    assert person.barriers() == []


def test_palette_offers_what_the_key_may_open(
    person: Person, stack: RunningStack, tenants: Tenants
) -> None:
    scopes = ["renders:read", "account:read"]
    workspace = WorkspaceId(stack.workspace)
    new = tenants.operator.manage_keys.create(workspace, mode="test", scopes=scopes)
    person.enter("/renders", key=new.text)
    person.reads("demo", within=".key-card")
    open_palette(person)

    person.browser.type_text("playground")

    person.reads("Nothing has these words", within="dialog[open]")


def test_keys_are_listed_except_while_somebody_writes(person: Person) -> None:
    person.enter("/renders")
    person.browser.wait_for("document.querySelector('[role=search] input') !== null")

    person.strike("/")
    person.browser.wait_for("document.activeElement?.matches('[role=search] input') ?? false")
    person.strike("?")
    assert person.browser.value("document.querySelector('dialog[open]')") is None
    person.browser.value("document.activeElement.blur()")
    person.strike("?")

    person.reads("Next and previous row of a list", within="dialog[open]")
    assert person.barriers() == []


def test_limit_is_told_and_waited_for(person: Person, tenants: Tenants) -> None:
    workspace = tenants.create("Busy", "free").workspace
    new = tenants.operator.manage_keys.create(workspace, mode="test", scopes=["renders:read"])
    with tenants.new_client(workspace, "test") as busy:
        while busy.http.get("/renders").status_code != 429:
            pass

    person.enter("/renders", key=new.text)

    person.reads("The console tries again in", within=".notice")
    person.reads("No renders yet")
    person.browser.wait_for("document.querySelector('.notice').innerText === ''")


def test_outage_is_told_and_ends_by_itself(person: Person, client: ApiClient) -> None:
    client.render(reference="after the outage").raise_for_status()
    person.enter("/renders")
    person.reads("after the outage")
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    person.browser.call("Network.emulateNetworkConditions", offline=True, **network)

    person.press("Failed")
    person.reads("The service does not answer", within=".notice")
    assert person.browser.value("document.querySelector('h1').innerText") == "Renders"
    person.browser.call("Network.emulateNetworkConditions", offline=False, **network)

    person.browser.wait_for("document.querySelector('.notice').innerText === ''")
    person.press("Failed")
    person.reads("after the outage")
