"""Storage destinations: created once, tested in steps, changed without their credentials."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest

from chalicelib.core.ids import WorkspaceId
from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenants
from tests.builders.storage.recording_store import RecordingStore
from tests.builders.storage.servers import ACCESS_KEY, SECRET_KEY, StorageServer
from tests.builders.waiting import eventually
from tests.integration.console.deliveries.conftest import listed, made
from tests.integration.console.deliveries.forms import (
    confirm,
    fill,
    kept_texts,
    markup,
    submit_twice,
)
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration


@pytest.fixture
def destination(client: ApiClient, store: RecordingStore) -> Iterator[dict[str, Any]]:
    yield made(client, "/storage-destinations", {"name": "Archive", **store.destination})
    store.status = HTTPStatus.OK


def test_double_click_creates_one_destination(
    person: Person, client: ApiClient, s3: StorageServer
) -> None:
    person.enter("/deliveries/storage")
    person.press("New destination")
    fill(person, "Name", "Bookkeeping")
    fill(person, "Region", "eu-central-1")
    fill(person, "Bucket", "archive")
    fill(person, "Endpoint", s3.url)
    fill(person, "Access key ID", ACCESS_KEY)
    fill(person, "Secret access key", SECRET_KEY)

    submit_twice(person)

    person.reads("Bookkeeping", within=".thing-head")
    assert SECRET_KEY not in markup(person) + kept_texts(person)
    found = listed(client, "/storage-destinations")
    (created,) = [each for each in found if each["name"] == "Bookkeeping"]
    assert created["credentials"] == {"configured": True}
    assert created["config"]["endpoint"] == s3.url
    person.press("Test")
    person.reads("The test passed", within=".inset")
    person.reads("Delete the file", within=".steps")
    assert client.http.get(f"/storage-destinations/{created['id']}").json()["last_test_at"]


def test_failing_store_is_named_with_its_step(
    person: Person, destination: dict[str, Any], store: RecordingStore
) -> None:
    store.status = HTTPStatus.FORBIDDEN
    person.enter(f"/deliveries/storage/{destination['id']}")

    person.press("Test")

    person.reads("The test failed", within=".inset")
    person.reads("Failing", within=".thing-head")
    person.reads("storage_denied", within=".remark.bad")


def test_credentials_are_asked_for_only_where_they_would_go_elsewhere(
    person: Person, client: ApiClient, destination: dict[str, Any]
) -> None:
    path = f"/storage-destinations/{destination['id']}"
    person.enter(f"/deliveries/storage/{destination['id']}")
    person.press("Edit")
    fill(person, "Path", "{{ reference }}/{{ filename }}")
    submit_twice(person)
    person.reads("{{ reference }}/{{ filename }}", within=".facts")
    assert client.http.get(path).json()["credentials"] == {"configured": True}

    person.press("Edit")
    fill(person, "Endpoint", "https://elsewhere.example")
    submit_twice(person)

    person.reads("/credentials", within="dialog[open] [role=alert]")
    assert client.http.get(path).json()["config"] == destination["config"]


def test_uploads_of_renders_are_listed(
    person: Person, client: ApiClient, destination: dict[str, Any]
) -> None:
    target = {"destination_id": destination["id"], "path": "<b>a</b>/{{ filename }}"}
    render = client.render(delivery={"storage": [target]}).json()
    eventually(lambda: client.get(render["id"])["storage"][0]["status"] == "succeeded")

    person.enter(f"/deliveries/storage/{destination['id']}")

    person.reads("<b>a</b>/", within=".rows")
    person.reads("Stored", within=".rows")


def test_default_is_set_and_destination_deleted(
    person: Person, client: ApiClient, destination: dict[str, Any]
) -> None:
    path = f"/storage-destinations/{destination['id']}"
    person.enter(f"/deliveries/storage/{destination['id']}")
    person.press("Make default")
    person.reads("DEFAULT", within=".thing-head")
    assert client.http.get(path).json()["is_default"]

    person.press("Delete")
    confirm(person, "Delete destination")

    person.browser.wait_for("location.pathname.endsWith('/deliveries/storage')")
    assert client.http.get(path).status_code == 404


def test_reader_is_offered_nothing_that_changes(
    person: Person, stack: RunningStack, tenants: Tenants, destination: dict[str, Any]
) -> None:
    scopes = ["storage:read", "account:read"]
    keys = tenants.operator.manage_keys
    new = keys.create(WorkspaceId(stack.workspace), mode="test", scopes=scopes)

    person.enter("/deliveries", key=new.text)

    person.reads("Archive", within=".cards")
    person.enter(f"/deliveries/storage/{destination['id']}", key=new.text)
    person.reads(destination["id"], within=".facts")
    buttons = "[...document.querySelectorAll('.actions button')].map((each) => each.innerText)"
    person.browser.wait_for(f"{buttons}.join() === 'Copy as'")
