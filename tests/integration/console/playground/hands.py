"""What somebody does in the playground, and what the service has afterwards."""

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually
from tests.integration.console.person import Person

BLANK = {"html": "", "head": "", "css": "", "header": "", "footer": "", "data": ""}


def draft(name: str, html: str = "<h1>Hello</h1>", **members: Any) -> str:
    """Return a stored draft, whose name is the reference of its renders."""
    sources = BLANK | {"html": html} | members.pop("sources", {})
    return json.dumps({"name": name, "sources": sources, "output": {}} | members)


def choose(person: Person, label: str, value: str) -> None:
    """Choose a value of a list."""
    found = f"document.querySelector('select[aria-label={json.dumps(label)}]')"
    person.browser.wait_for(f"[...{found}?.options ?? []].some((each) => each.value === '{value}')")
    person.browser.value(
        f"{{ const list = {found}; list.value = '{value}'; "
        "list.dispatchEvent(new Event('change', { bubbles: true })) }"
    )


def drop(person: Person, files: Sequence[tuple[str, str, bytes]]) -> None:
    """Drop files on the sources: name, media type and content of each."""
    given = [[name, kind, base64.b64encode(content).decode()] for name, kind, content in files]
    person.browser.wait_for("document.querySelector('.pane.sources') !== null")
    person.browser.value(
        f"{{ const all = new DataTransfer(); for (const [name, type, text] of {json.dumps(given)})"
        " all.items.add(new File([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], name, "
        "{ type })); document.querySelector('.pane.sources').dispatchEvent(new DragEvent('drop', "
        "{ bubbles: true, cancelable: true, dataTransfer: all })) }"
    )


def point_to(person: Person, text: str) -> None:
    """Bring the pointer to a warning that has a text."""
    found = (
        "[...document.querySelectorAll('.remark')].find((each) => "
        f"each.innerText.includes({json.dumps(text)}))"
    )
    person.browser.wait_for(f"{found} !== undefined")
    person.browser.value(
        f"{found}.dispatchEvent(new PointerEvent('pointerover', {{ bubbles: true }}))"
    )


@contextmanager
def without_network(person: Person) -> Iterator[None]:
    """Take the network away inside the block."""
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    person.browser.call("Network.emulateNetworkConditions", offline=True, **network)
    try:
        yield
    finally:
        person.browser.call("Network.emulateNetworkConditions", offline=False, **network)


def renders(api: ApiClient, reference: str, *, previews: bool = True) -> list[dict[str, Any]]:
    """Return the renders of a reference, the newest first: previews, or those that are kept."""
    answer = api.http.get("/renders", params={"reference": reference, "limit": 100})
    answer.raise_for_status()
    found: list[dict[str, Any]] = answer.json()["data"]
    return [each for each in found if ("console" in each["metadata"]) == previews]


def previewed(api: ApiClient, reference: str, *, failed: bool = False) -> dict[str, Any]:
    """Wait for a preview that has ended, and return the newest one."""
    ended = {"failed"} if failed else {"succeeded"}

    def look() -> list[dict[str, Any]]:
        return [each for each in renders(api, reference) if each["status"] in ended]

    return api.get(eventually(look, pause_s=0.1)[0]["id"])


def request_of(api: ApiClient, render: dict[str, Any]) -> dict[str, Any]:
    """Return what a render was asked for with."""
    answer = api.http.get(f"/renders/{render['id']}/logs")
    answer.raise_for_status()
    request: dict[str, Any] = answer.json()["request"]
    return request
