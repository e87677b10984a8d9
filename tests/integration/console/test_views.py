"""All views: barriers, windows of all widths, bytes of the first load, pictures."""

import json
from typing import Final

import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.integration.console.conftest import draft
from tests.integration.console.examples import example
from tests.integration.console.looks import look_at
from tests.integration.console.person import PAGE_IS_DRAWN, Person

pytestmark = pytest.mark.integration

MAX_FIRST_BYTES = 600_000
LETTER: Final = example("letter")
EDITED = "document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content') != null"
SHOWN = {
    "playground": EDITED,
    "preview": PAGE_IS_DRAWN,
    "problem": "document.querySelector('.preview [role=alert]') !== null",
    "options": "document.querySelector('.options') !== null",
    "explain": "document.querySelector('.stage-table') !== null",
    "renders": "document.querySelector('.row-link') !== null",
    "nothing": "document.querySelector('.empty') !== null",
    "render": PAGE_IS_DRAWN,
    "failure": "document.querySelector('.story [role=alert]') !== null",
}


@pytest.fixture(scope="module")
def addresses(stack: RunningStack) -> dict[str, str]:
    """Give the address of each view, with something to see."""
    with ApiClient(stack, stack.test_key) as client:
        made = client.http.post("/templates", json={"name": "Letter", "publish": True} | LETTER)
        source = {"type": "template", "template_id": made.json()["id"]}
        answer = client.http.post(
            "/renders",
            json={
                "input": source,
                "data": LETTER["datasets"][0]["data"],
                "reference": "order-4711",
                "metadata": {"customer": "Ada"},
            },
        )
        kept = answer.raise_for_status().json()["id"]
        broken = {"strict_undefined": True}
        failed = client.render("{{ x.y }}", data={}, output=broken).json()["render_id"]
    return {
        "playground": "/playground",
        "preview": "/playground?part=preview",
        "problem": "/playground?part=preview",
        "options": "/playground?part=inspector",
        "explain": "/playground?part=inspector&panel=explain",
        "renders": "/renders",
        "nothing": "/renders?reference=nothing-has-this",
        "render": f"/renders/{kept}",
        "failure": f"/renders/{failed}",
    }


@pytest.mark.parametrize("view", SHOWN)
def test_view_has_no_barrier(person: Person, addresses: dict[str, str], view: str) -> None:
    kept = draft("{% if %}" if view == "problem" else "<h1>Hello</h1>", "{}")
    if view == "preview":
        data = json.dumps(LETTER["datasets"][0]["data"], indent=2, ensure_ascii=False)
        sources = {"html": LETTER["html"], "css": LETTER.get("css", ""), "data": data}
        output = {"pdf": {"margin": LETTER["options"]["pdf"]["margin"]}}
        kept = json.dumps({"name": "Letter", "sources": sources, "output": output})

    look_at(person, view, addresses[view], SHOWN[view], draft=kept)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_door_has_no_barrier(person: Person, scheme: str) -> None:
    person.browser.open("/console", dark=scheme == "dark")
    person.paste_key("nonsense")
    person.reads("This is not an API key")

    assert person.barriers() == []


def test_first_view_is_small(person: Person) -> None:
    person.browser.call("Network.clearBrowserCache")
    person.browser.received_bytes.clear()

    person.enter("/playground", draft=draft(""))
    person.browser.wait_for(EDITED)
    person.browser.wait_for("document.querySelector('.options') !== null")

    assert 100_000 < sum(person.browser.received_bytes.values()) < MAX_FIRST_BYTES
