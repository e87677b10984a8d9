"""Requests that arrive after their own retry: they change nothing any more."""

from contextlib import suppress
from functools import partial
from typing import Any, Final, cast

import pytest

from chalicelib.core.clock import format_rfc3339
from chalicelib.features.dead_letters.repository import DeadLetter, DeadLetters
from tests.builders.service import Service
from tests.builders.templates import LARGE_HTML, make_template, template_rows
from tests.builders.uploads import announce_upload, store_announced
from tests.functional.templates.test_restore_race import CHANGES

_ITEM_WRITES: Final = {"update_item", "put_item", "delete_item"}


class DelayingClient:
    """DynamoDB client whose requests to write one item arrive again when the test says so.

    Each has been delayed on its way, and botocore has sent it once more. Transactions do not
    arrive again: by their token DynamoDB executes them once.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._delayed: list[partial[Any]] = []

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        if name not in _ITEM_WRITES:
            return call

        def send(**request: Any) -> Any:
            self._delayed.append(partial(call, **request))
            return call(**request)

        return send

    def deliver(self) -> None:
        """Deliver the delayed requests, the latest first."""
        while self._delayed:
            with suppress(self._client.exceptions.ConditionalCheckFailedException):
                self._delayed.pop()()


@pytest.fixture
def delaying(service: Service) -> DelayingClient:
    client = DelayingClient(service.clients.dynamodb)
    service.clients.dynamodb = cast("Any", client)
    return client


@pytest.mark.parametrize("change", ["draft", "dataset"])
def test_stored_source_is_not_announced_again(
    service: Service, delaying: DelayingClient, change: str
) -> None:
    path = make_template(service)
    assert CHANGES[change](service, path).status in {200, 201}

    delaying.deliver()
    service.clock.advance(hours=2)
    service.tick()
    service.run_maintenance()

    named = [row["object_key"] for row in template_rows(service, path) if row.get("object_key")]
    assert len(named) == 1
    assert service.objects() == named


def test_source_of_a_new_template_is_not_announced_again(
    service: Service, delaying: DelayingClient
) -> None:
    path = make_template(service, html=LARGE_HTML)

    delaying.deliver()
    service.clock.advance(hours=2)
    service.tick()
    service.run_maintenance()

    assert service.call("GET", f"{path}/draft").json["content"]["html"] == LARGE_HTML


def test_restored_template_is_not_deleted_again(service: Service, delaying: DelayingClient) -> None:
    path = make_template(service)
    service.call("DELETE", path)
    service.call("POST", f"{path}/restore")

    delaying.deliver()

    assert service.call("GET", path).status == 200


def test_template_that_is_deleted_again_stays_deleted(
    service: Service, delaying: DelayingClient
) -> None:
    path = make_template(service)
    service.call("DELETE", path)
    service.call("POST", f"{path}/restore")
    service.call("DELETE", path)

    delaying.deliver()

    assert service.call("GET", path).code == "template_deleted"


def test_newer_name_of_a_template_stays(service: Service, delaying: DelayingClient) -> None:
    path = make_template(service)
    service.call("PATCH", path, json_body={"name": "old"})
    service.call("PATCH", path, json_body={"name": "new"})

    delaying.deliver()

    assert service.call("GET", path).json["name"] == "new"


def test_unlocked_template_is_not_locked_again(service: Service, delaying: DelayingClient) -> None:
    path = make_template(service)
    assert service.call("POST", f"{path}/lock").json["locked"]
    service.call("POST", f"{path}/unlock")

    delaying.deliver()

    assert not service.call("GET", path).json["locked"]


def test_newer_state_of_the_service_stays(service: Service, delaying: DelayingClient) -> None:
    service.operator.service_states.set("maintenance")
    service.operator.service_states.set("normal")

    delaying.deliver()

    assert service.render().status == 200


def test_dead_letter_that_was_sent_again_does_not_come_back(
    service: Service, delaying: DelayingClient
) -> None:
    table = service.transient_table
    letters = DeadLetters(table=table, clock=service.clock)
    now = format_rfc3339(service.clock.now())
    letter = DeadLetter("events", "1", "{}", "no JSON", "nothing", sent_at=now, recorded_at=now)
    letters.save(letter)
    letters.delete(letter)

    delaying.deliver()

    assert list(letters.of_queue("events")) == []


def test_ready_upload_is_not_pending_again(service: Service, delaying: DelayingClient) -> None:
    upload = announce_upload(service, bytes=5).json["id"]
    store_announced(service, upload, b"<p>Hi")
    assert service.call("GET", f"/v1/uploads/{upload}").json["status"] == "ready"

    delaying.deliver()

    assert service.call("GET", f"/v1/uploads/{upload}").json["status"] == "ready"


def test_deleted_upload_stays_deleted(service: Service, delaying: DelayingClient) -> None:
    upload = announce_upload(service, bytes=5).json["id"]
    assert service.call("DELETE", f"/v1/uploads/{upload}").status == 204

    delaying.deliver()

    assert service.call("GET", f"/v1/uploads/{upload}").code == "upload_not_found"
