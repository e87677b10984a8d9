"""Keys: how one comes into the console, what it allows there, and what happens when it ends."""

import pytest

from chalicelib.core.ids import WorkspaceId
from infra.local.running_stack import RunningStack
from tests.builders.stack.tenants import Tenants
from tests.integration.console.conftest import draft
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration

STORED = "sessionStorage.getItem('platen.key')"


def test_pasted_key_opens_the_playground(person: Person, stack: RunningStack) -> None:
    person.browser.open("/console")

    person.paste_key(stack.test_key)

    person.sees_page()
    person.reads("demo", within=".key-card")
    person.reads("TEST", within=".key-card")
    assert person.browser.value("location.pathname") == "/console/playground"
    # The secret part is nowhere in the page.
    assert stack.test_key not in person.browser.value("document.documentElement.outerHTML")


def test_link_of_make_run_brings_the_key_and_forgets_it(
    person: Person, stack: RunningStack
) -> None:
    person.browser.call("Page.navigate", url="about:blank")

    person.browser.open(f"/console#key={stack.test_key}")

    person.sees_page()
    assert person.browser.value("location.hash") == ""
    assert person.browser.value(STORED) == stack.test_key
    assert all("plt_test_" not in each["url"] for each in person.browser.requests)


@pytest.mark.parametrize("key", ["hello", "plt_test_", "Bearer plt_test_x_y", "<img src=x>"])
def test_what_is_no_key_is_not_sent(person: Person, key: str) -> None:
    person.browser.open("/console")

    person.paste_key(key)

    person.reads("This is not an API key of Platen", within="[role=alert]")
    assert person.sent("GET", "/account") == []


def test_wrong_key_shows_the_problem_of_the_service(person: Person, stack: RunningStack) -> None:
    person.browser.open("/console")

    person.paste_key(stack.test_key[:-4] + "0000")

    person.reads("API key is not valid", within="[role=alert]")
    person.reads("req_", within="[role=alert]")
    assert person.browser.value(STORED) is None


def test_key_that_ends_in_mid_work_keeps_what_was_written(
    person: Person, stack: RunningStack, tenants: Tenants
) -> None:
    keys = tenants.operator.manage_keys
    new = keys.create(
        WorkspaceId(stack.workspace), mode="test", scopes=["render:write", "account:read"]
    )
    person.enter("/playground", key=new.text, draft=draft("<h1>My work</h1>"))
    person.sees_page()
    keys.revoke(new.key.id)

    person.press("Render")

    person.reads("This key no longer works", within=".door")
    person.paste_key(stack.test_key)
    person.sees_page()
    written = "document.querySelector('.editor').shadowRoot.querySelector('.cm-content').innerText"
    assert person.browser.wait_for(f"{written}.includes('My work')")


def test_what_the_scopes_do_not_allow_is_not_offered(
    person: Person, stack: RunningStack, tenants: Tenants
) -> None:
    scopes = ["renders:read", "account:read"]
    workspace = WorkspaceId(stack.workspace)
    new = tenants.operator.manage_keys.create(workspace, mode="test", scopes=scopes)

    person.enter("/renders", key=new.text)

    person.reads("demo", within=".key-card")
    views = "document.querySelectorAll('.rail > ul:not(.rail-foot) a')"
    rail = f"[...{views}].map((each) => each.innerText)"
    assert person.browser.value(rail) == ["Renders", "Batches", "Usage"]
    person.press("demo")
    person.reads("renders:read", within="dialog[open]")


def test_live_key_is_marked_and_renders_only_on_demand(person: Person, stack: RunningStack) -> None:
    person.enter("/playground", key=stack.live_key, draft=draft("<h1>Costs money</h1>"))

    person.reads("LIVE", within=".key-card")
    person.reads("each one is billed", within=".preview")
    assert person.browser.value("document.querySelector('.shell.live') !== null")
    assert person.sent("POST", "/renders") == []
    person.press("Render, billed")
    person.sees_page()
    assert len(person.sent("POST", "/renders")) == 1


def test_signing_out_forgets_key_and_draft(person: Person) -> None:
    person.enter("/playground", draft=draft("<h1>Secret</h1>"))
    person.sees_page()

    person.press("demo")
    person.press("Sign out")

    person.reads("Open the console", within=".door")
    assert person.browser.value("sessionStorage.length") == 0
