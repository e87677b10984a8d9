"""From a draft to a template, and from a template to a draft."""

from typing import Any

import pytest

from chalicelib.core.ids import WorkspaceId
from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenants
from tests.builders.waiting import eventually
from tests.integration.console.person import Person
from tests.integration.console.playground.hands import draft, previewed, request_of

pytestmark = pytest.mark.integration

TEXT = "document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')?.innerText"
SOURCES = {
    "html": "<h1>{{ name }}</h1>",
    "head": "<meta name=author content=Ada>",
    "css": "h1 { color: red }",
    "header": "<p>Head</p>",
    "data": '{"name": "Ada"}',
}


def _template(api: ApiClient, name: str, **members: Any) -> str:
    body = {"name": name, "html": "<h1>{{ name }}</h1>"} | members
    answer = api.http.post("/templates", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def _press_save_twice(person: Person) -> None:
    button = "document.querySelector('dialog[open] button[type=submit]')"
    person.browser.wait_for(f"{button} !== null && !{button}.disabled")
    person.browser.value(f"{{ const save = {button}; save.click(); save.click() }}")


def test_draft_becomes_one_template_with_its_data(person: Person, api: ApiClient) -> None:
    output = {
        "locale": "de-DE",
        "pdf": {
            "margin": {"top": "30mm"},
            "header": {"height": "20mm"},
            "footer": {"left": "Foot"},
        },
    }
    person.enter("/playground", draft=draft("Saved once", sources=SOURCES, output=output))

    person.press("Save as template")
    _press_save_twice(person)
    person.press("Open the template")

    saved = [
        each
        for each in api.http.get("/templates", params={"limit": 100}).json()["data"]
        if each["name"] == "Saved once"
    ]
    assert len(saved) == 1
    assert person.browser.value("location.pathname").endswith(f"/templates/{saved[0]['id']}")
    stored = api.http.get(f"/templates/{saved[0]['id']}/draft").json()
    content, options = stored["content"], stored["options"]
    assert {name: content[name] for name in ("html", "head", "css")} == {
        name: SOURCES[name] for name in ("html", "head", "css")
    }
    assert (content["header"]["html"], content["header"]["height"]) == ("<p>Head</p>", "20mm")
    assert content["footer"]["left"] == "Foot"
    assert (options["locale"], options["output_format"]) == ("de-DE", "pdf")
    assert options["pdf"]["margin"]["top"] == "30mm"
    datasets = f"/templates/{saved[0]['id']}/datasets"
    dataset = api.http.get(datasets).json()["data"][0]
    assert api.http.get(f"{datasets}/{dataset['id']}").json()["data"] == {"name": "Ada"}


def test_template_that_is_refused_says_why(person: Person, api: ApiClient) -> None:
    sources = {"html": "{% if %}", "data": "{}"}
    person.enter("/playground", draft=draft("Refused", sources=sources, output={"locale": 5}))

    person.press("Save as template")
    _press_save_twice(person)

    person.reads("/options/locale", within="dialog[open] [role=alert]")
    names = [each["name"] for each in api.http.get("/templates").json()["data"]]
    assert "Refused" not in names


def test_key_that_may_not_write_templates_is_not_offered_it(
    person: Person, stack: RunningStack, tenants: Tenants
) -> None:
    scopes = ["render:write", "account:read"]
    key = tenants.operator.manage_keys.create(
        WorkspaceId(stack.workspace), mode="test", scopes=scopes
    )
    person.enter("/playground", key=key.text, draft=draft("few rights"))

    person.sees_page()

    assert "Save as template" not in person.text(".topline")


def test_version_is_rendered_by_its_id_until_its_sources_change(
    person: Person, api: ApiClient
) -> None:
    datasets = [{"name": "One", "data": {"name": "Grace"}}]
    template = _template(api, "Stored", datasets=datasets, publish=True, css="h1 { color: red }")
    draft_of = {"content": {"html": "<h1>Later</h1>"}, "options": {}, "expected_revision": 1}
    api.http.put(f"/templates/{template}/draft", json=draft_of)
    person.enter(f"/playground?template={template}", draft=draft("mine"))

    unchanged = previewed(api, "Stored")
    assert (unchanged["template_id"], unchanged["template_version"]) == (template, 1)
    person.press("Data")
    person.browser.wait_for(f"{TEXT}.includes('Grace')")
    person.press("HTML")
    person.browser.wait_for(f"{TEXT}.startsWith('<h1>')")
    person.reads("Version 1 of a template")
    person.browser.wait_for("!location.search.includes('template')")

    person.type_first("<p>Mine</p>")

    eventually(
        lambda: request_of(api, previewed(api, "Stored"))["input"]["type"] == "html", pause_s=0.2
    )
    assert "Version 1" not in person.text(".sources")


def test_replaced_draft_comes_back(person: Person, api: ApiClient) -> None:
    template = _template(api, "Never published")
    person.enter(f"/playground?template={template}", draft=draft("mine", "<p>My words</p>"))
    person.browser.wait_for(f"{TEXT} === '<h1>{{{{ name }}}}</h1>'")
    unchanged = previewed(api, "Never published")
    assert (unchanged["template_id"], unchanged["template_version"]) == (template, None)

    person.press("Bring it back")

    person.browser.wait_for(f"{TEXT} === '<p>My words</p>'")


def test_unknown_template_is_told_and_leaves_the_draft(person: Person) -> None:
    person.enter(
        "/playground?template=tpl_01HZZZZZZZZZZZZZZZZZZZZZZZ", draft=draft("mine", "<p>Words</p>")
    )

    person.reads("not found", within=".preview [role=alert]")
    person.sees_page()
