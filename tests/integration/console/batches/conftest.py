"""Templates and batches of a running stack, and files that somebody chooses."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually
from tests.integration.console.person import Person

LETTER: Final = (
    "<title>A letter</title><h1>Dear {{ name }}</h1><p>{{ address.city }}</p><p>{{ total|money }}"
)
STRICT: Final = {"strict_undefined": True}


class Batches:
    """Templates and batches of one key."""

    def __init__(self, client: ApiClient) -> None:
        """Send with this client."""
        self.http = client.http

    def template(self, name: str, html: str = LETTER, **fields: Any) -> str:
        """Publish a template, and return its id."""
        body = {"name": name, "html": html, "options": STRICT, "publish": True} | fields
        return str(self._sent("/templates", body)["id"])

    def create(self, template: str, items: list[dict[str, Any]], **fields: Any) -> str:
        """Create a batch, and return its id."""
        return str(self._sent("/batches", {"template_id": template, "items": items} | fields)["id"])

    def get(self, batch: str) -> dict[str, Any]:
        """Return a batch."""
        answer = self.http.get(f"/batches/{batch}").raise_for_status()
        shown: dict[str, Any] = answer.json()
        return shown

    def ended(self, batch: str) -> dict[str, Any]:
        """Return a batch once it has ended."""
        return eventually(
            lambda: shown if (shown := self.get(batch))["completed_at"] else None, pause_s=0.2
        )

    def of_template(self, template: str) -> list[dict[str, Any]]:
        """Return the batches of a template, newest first."""
        answer = self.http.get("/batches", params={"template_id": template}).raise_for_status()
        shown: list[dict[str, Any]] = answer.json()["data"]
        return shown

    def items(self, batch: str) -> list[dict[str, Any]]:
        """Return the first 100 items of a batch."""
        answer = self.http.get(f"/batches/{batch}/items?limit=100").raise_for_status()
        shown: list[dict[str, Any]] = answer.json()["data"]
        return shown

    def _sent(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self.http.post(path, json=body)
        assert answer.is_success, answer.text
        made: dict[str, Any] = answer.json()
        return made


@pytest.fixture(scope="session")
def batches(stack: RunningStack) -> Iterator[Batches]:
    """Give templates and batches of the stack's test key."""
    with ApiClient(stack, stack.test_key) as client:
        yield Batches(client)


@pytest.fixture(scope="session")
def letter(batches: Batches) -> str:
    """Give the id of a template that takes `name`, `address.city` and `total`."""
    return batches.template("Letter")


def choose(person: Person, name: str, content: str | bytes) -> None:
    """Choose a file of the items of a new batch."""
    content = content if isinstance(content, bytes) else content.encode()
    person.browser.wait_for("document.querySelector('.drop input') !== null")
    person.browser.value(
        "{ const box = document.querySelector('.drop input'); const files = new DataTransfer();"
        f"files.items.add(new File([new Uint8Array({list(content)})], {json.dumps(name)}));"
        "box.files = files.files; box.dispatchEvent(new Event('change', { bubbles: true })) }"
    )


def start(person: Person) -> str:
    """Press the button that starts a batch, and return the id of what is then shown."""
    person.press_button_that_begins("Start batch")
    address = "location.pathname.match(/\\/batches\\/(bat_\\w+)$/)?.[1]"
    return str(person.browser.wait_for(address))
