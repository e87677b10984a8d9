"""Drafts of a scene: conflicts, refusals, what stays in the tab, what a key may do."""

import json
from collections.abc import Callable
from typing import Final

import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenants
from tests.integration.console.person import Person
from tests.integration.console.scene.conftest import Canvas, box, scene_of

pytestmark = pytest.mark.integration

Make = Callable[..., Canvas]
MINE: Final = box("rect", 11, 10, 50, 50)
THEIRS: Final = box("ellipse", 300, 300, 50, 50)
KEPT: Final = "Object.keys(sessionStorage).filter((name) => name.startsWith('platen.scene')).length"


def conflicting(make: Make) -> Canvas:
    """Return a canvas whose draft somebody else has changed while it was drawn."""
    canvas = make(scene_of(box("rect", 10, 10, 50, 50)))
    hands = canvas.open()
    hands.click(hands.place(30, 30))
    hands.key("ArrowRight")
    canvas.put(scene_of(THEIRS), options={"output_format": "pdf", "locale": "de"})
    hands.key("s", "ctrl")
    canvas.person.reads("The draft was changed elsewhere")
    return canvas


def test_conflict_is_ended_by_taking_theirs(make: Make, person: Person) -> None:
    canvas = conflicting(make)
    assert canvas.layers() == [THEIRS]

    person.press("Show revision 2")
    person.reads("draft r2", within=".scene-state")
    assert person.browser.value("document.querySelectorAll('.layer.ellipse').length") == 1

    person.press("Undo")
    canvas.save()
    assert canvas.layers() == [MINE]


def test_conflict_is_ended_by_keeping_mine(make: Make, person: Person) -> None:
    canvas = conflicting(make)

    person.press("Save mine over it")

    person.reads("draft r3", within=".scene-state")
    draft = canvas.draft()
    assert draft["content"]["scene"] == scene_of(MINE)
    assert draft["options"]["locale"] == "de"


def test_options_and_schema_of_the_draft_stay(make: Make) -> None:
    canvas = make(scene_of(box("rect", 10, 10, 50, 50)))
    schema = {"type": "object", "properties": {"customer": {"type": "string"}}}
    canvas.put(scene_of(box("rect", 10, 10, 50, 50)), schema=schema, options={"locale": "fr"})
    hands = canvas.open()

    hands.click(hands.place(30, 30))
    options = "[...document.querySelectorAll('datalist option')].map((each) => each.value)"
    canvas.person.browser.wait_for(f"{options}.includes('name')")
    paths = {"customer", "name", "order.total", "order.items.0.title"}
    assert set(canvas.person.browser.value(options)) == paths
    hands.key("ArrowRight")
    canvas.save()

    draft = canvas.draft()
    assert (draft["schema"], draft["options"]) == (schema, {"locale": "fr"})


def test_refused_field_is_named_at_its_layer(make: Make, person: Person) -> None:
    group = box("group", 0, 0, 0, 0, layers=[box("rect", 10, 10, 50, 50, fill="#ff0000")])
    canvas = make(scene_of(box("text", 300, 300, 90, 40, text="x"), group))
    hands = canvas.open()

    canvas.select(1, 0)
    hands.fill("fill", "nonsense")
    hands.key("s", "ctrl")
    pointer = "/content/scene/layers/1/layers/0/fill"
    person.reads(pointer)
    person.browser.value("document.querySelector('.surface').focus()")
    hands.key("Escape")
    person.press(pointer)

    person.browser.wait_for("document.activeElement.value === 'nonsense'")
    faulty = "document.querySelector('.scene-props .prop.faulty')"
    assert person.browser.value(f"{faulty}.dataset.field") == "fill"
    assert person.browser.value("document.querySelectorAll('.layer.faulty').length") == 1
    assert canvas.draft()["revision"] == 1
    hands.fill("fill", "#00ff00")
    canvas.save()
    assert person.browser.value(f"{faulty} === null")


def test_changes_outlive_a_reload_and_are_asked_about(make: Make, person: Person) -> None:
    canvas = make(scene_of(box("rect", 10, 10, 50, 50)))
    hands = canvas.open()
    hands.click(hands.place(30, 30))
    hands.key("ArrowRight")
    person.browser.dialogs.clear()

    canvas.open()
    assert person.browser.dialogs == ["beforeunload"]
    person.reads("Not saved", within=".scene-state")

    person.press("Renders")
    person.reads("The scene is not saved", within="dialog[open]")
    person.press("Stay")
    person.press("Renders")
    person.press("Leave")
    # The view stays while the next one is loaded.
    person.reads("Renders", within="h1")
    person.browser.value("history.back()")
    person.reads("Not saved", within=".scene-state")
    canvas.save()
    assert canvas.layers() == [MINE]
    person.browser.wait_for(f"{KEPT} === 0")


def test_kept_changes_of_an_older_draft_are_a_conflict(make: Make, person: Person) -> None:
    canvas = make(scene_of(box("rect", 10, 10, 50, 50)))
    hands = canvas.open()
    hands.click(hands.place(30, 30))
    hands.key("ArrowRight")
    canvas.put(scene_of(THEIRS))

    canvas.open()

    person.reads("It is at revision 2; this scene was made from revision 1.")
    assert canvas.layers() == [THEIRS]
    person.press("Save mine over it")
    person.reads("draft r3", within=".scene-state")
    assert canvas.layers() == [MINE]


def test_signing_out_leaves_nothing(make: Make, person: Person) -> None:
    canvas = make(scene_of(box("rect", 10, 10, 50, 50)))
    hands = canvas.open()
    hands.click(hands.place(30, 30))
    hands.key("ArrowRight")
    person.browser.wait_for(f"{KEPT} === 1")

    person.browser.value("document.querySelector('.key-card > button').click()")
    person.press("Sign out")

    person.browser.wait_for("document.querySelector('#key') !== null")
    assert person.browser.value("Object.keys(sessionStorage)") == []


def test_reader_may_look_and_change_nothing(
    make: Make, person: Person, tenants: Tenants, stack: RunningStack
) -> None:
    reader = _reader_key(tenants, stack)
    canvas = make(scene_of(box("rect", 10, 10, 50, 50)))
    hands = canvas.open(key=reader)

    person.reads("scope templates:write", within=".scene-notes")
    hands.drag(hands.place(30, 30), hands.place(200, 200))
    hands.key("Delete")

    assert person.text(".scene-state") == "draft r1"
    assert not person.browser.value("document.body.innerText.includes('Ctrl S')")
    person.browser.value("sessionStorage.clear()")


def test_locked_template_cannot_be_saved(make: Make, person: Person) -> None:
    canvas = make(scene_of(box("rect", 10, 10, 50, 50)))
    canvas.client.http.post(f"/templates/{canvas.id}/lock").raise_for_status()

    canvas.open()

    person.reads("The template is locked", within=".scene-notes")


def test_new_template_begins_with_an_empty_page(person: Person, stack: RunningStack) -> None:
    person.enter("/templates/new-scene")
    person.browser.wait_for("document.querySelector('.new-scene input') !== null")
    person.browser.value("document.querySelector('.new-scene input').focus()")
    person.browser.type_text("<b>Badge</b>")
    person.press("Badge")
    person.browser.value(
        "{ const form = document.querySelector('.new-scene');"
        " form.requestSubmit(); form.requestSubmit(); }"
    )

    person.reads("An empty page.")
    assert person.text("h1") == "<b>Badge</b>"
    template = person.browser.value("location.pathname").split("/")[-2]
    with ApiClient(stack, stack.test_key) as client:
        scene = client.http.get(f"/templates/{template}/draft").json()["content"]["scene"]
        named = client.http.get("/templates", params={"q": "<b>Badge</b>"}).json()["data"]
    assert (scene["width"], scene["height"], scene["layers"]) == (325, 204, [])
    assert [each["id"] for each in named] == [template]


def test_draft_without_a_scene_gets_one(make: Make, person: Person) -> None:
    canvas = make(None)
    canvas.open()

    person.press("Add a text")
    canvas.save()

    scene = canvas.draft()["content"]["scene"]
    assert (scene["width"], len(scene["layers"])) == (1200, 1)


def test_html_template_has_no_scene(person: Person, stack: RunningStack) -> None:
    with ApiClient(stack, stack.test_key) as client:
        made = client.http.post("/templates", json={"name": "Letter", "html": "<p>"}).json()

    person.enter(f"/templates/{made['id']}/scene")

    person.reads("Letter is an HTML template")


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        ({"width": "wide", "height": 1, "layers": []}, "The width and the height"),
        ({"width": 9, "height": 9, "layers": [{"type": "video"}]}, "layers[0] has no type"),
        ({"width": 9, "height": 9, "layers": "none"}, "layers is no array"),
        (
            {"width": 9, "height": 9, "layers": [{"type": "text", "layers": "no"}]},
            "layers[0] has layers in it",
        ),
    ],
)
def test_broken_scene_is_named(make: Make, person: Person, scene: object, words: str) -> None:
    canvas = make(scene_of())
    answered = json.dumps({"content": {"scene": scene}})
    script = (
        "{ const real = fetch; window.fetch = async (request) => {"
        " const answer = await real(request);"
        " if (!request.url.endsWith('/draft')) return answer;"
        f" return Response.json({{ ...await answer.json(), ...{answered} }}); }}; }}"
    )
    identifier = person.browser.call("Page.addScriptToEvaluateOnNewDocument", source=script)
    try:
        person.enter(canvas.path)
        person.reads("This scene cannot be shown")
        person.reads(words)
    finally:
        person.browser.call("Page.removeScriptToEvaluateOnNewDocument", **identifier)


def _reader_key(tenants: Tenants, stack: RunningStack) -> str:
    """Return a test key of the stack's workspace that may read templates only."""
    with ApiClient(stack, stack.test_key) as client:
        workspace = client.http.get("/account").json()["workspace"]["id"]
    scopes = ["templates:read", "account:read"]
    return tenants.operator.manage_keys.create(workspace, mode="test", scopes=scopes).text
