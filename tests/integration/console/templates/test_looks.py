"""Views of templates: barriers, windows of all widths, pictures."""

from typing import Any, Final

import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.integration.console.examples import example
from tests.integration.console.looks import look_at
from tests.integration.console.person import PAGE_IS_DRAWN, Person

pytestmark = pytest.mark.integration

PICTURE: Final = "document.querySelector('.tile img')?.naturalWidth > 100"
SHOWN: Final = {
    "templates": PICTURE,
    "templates-trash": "document.querySelector('.restore') !== null",
    "templates-nothing": "document.querySelector('.empty') !== null",
    "template": "document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')",
    "template-preview": PAGE_IS_DRAWN,
    "template-versions": "document.querySelector('.versions .is-live') !== null",
    "template-data": "document.querySelector('.source-bar select') !== null",
    "template-diff": "document.querySelector('.wide-pane .editor')?.shadowRoot?"
    ".querySelector('.cm-changedLine')",
    "template-locked": "document.querySelector('.pane-note') !== null",
    "template-deleted": "document.querySelector('.restore') !== null",
}


@pytest.fixture(scope="module")
def addresses(stack: RunningStack) -> dict[str, str]:
    """Give the address of each view, with something to see."""
    with ApiClient(stack, stack.test_key) as client:

        def make(name: str, **fields: Any) -> str:
            answer = client.http.post("/templates", json={"name": name} | fields)
            assert answer.status_code == 201, answer.text
            return str(answer.json()["id"])

        names = {
            "invoice": "Invoice",
            "letter": "Letter to customers",
            "event-ticket": "Ticket",
            "payslip": "Payslip",
            "certificate": "Certificate",
            "quarterly-report": "Quarterly report",
        }
        made = {name: make(title, **example(name), publish=True) for name, title in names.items()}
        shown = next(iter(made.values()))
        static = make("Terms, not published yet", html="<h1>Terms</h1>")
        draft = client.http.get(f"/templates/{shown}/draft").json()
        content = draft["content"] | {
            "css": (draft["content"]["css"] or "") + "\nh1 { color: red; }"
        }
        for note in ("Red headings, as marketing asked", "Smaller margins at the foot"):
            body = {"content": content, "options": draft["options"], "schema": draft["schema"]}
            client.http.put(f"/templates/{shown}/draft", json=body).raise_for_status()
            publish = client.http.post(f"/templates/{shown}/publish", json={"note": note})
            publish.raise_for_status()
        locked = make("Locked by legal", html="<h1>Do not touch</h1>")
        client.http.post(f"/templates/{locked}/lock").raise_for_status()
        gone = make("Old flyer", html="<h1>Gone</h1>")
        client.http.delete(f"/templates/{gone}").raise_for_status()
    assert static
    return {
        "templates": "/templates",
        "templates-trash": "/templates?deleted=true",
        "templates-nothing": "/templates?q=nothing-has-this",
        "template": f"/templates/{shown}",
        "template-preview": f"/templates/{shown}?part=preview",
        "template-versions": f"/templates/{shown}?panel=versions&part=inspector",
        "template-data": f"/templates/{shown}?tab=data",
        "template-diff": f"/templates/{shown}?from=1&to=2",
        "template-locked": f"/templates/{locked}",
        "template-deleted": f"/templates/{gone}",
    }


@pytest.mark.parametrize("view", SHOWN)
def test_view_has_no_barrier(person: Person, addresses: dict[str, str], view: str) -> None:
    look_at(person, view, addresses[view], f"Boolean({SHOWN[view]})")
