"""Messages of the batches queue: which looks at batches they cause, and which of them fail."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from chalicelib.adapters.aws.queues import Queue
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.features.batches.release.releaser import Releaser
from chalicelib.features.batches.release.repository import release_item
from functions.release_batch import handler as release_batch
from infra.local.event_sources import sqs_event
from tests.builders.service import Service


def test_messages_of_one_workspace_are_one_look(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = _record_looks(monkeypatch)

    answer = _serve(service, [_wake("ws_a"), _wake("ws_b"), _wake("ws_a"), _wake("ws_a")])

    assert answer == {"batchItemFailures": []}
    assert sorted(looks) == ["ws_a", "ws_b"]


def test_failed_look_fails_the_messages_of_its_workspace_only(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    _record_looks(monkeypatch, failing="ws_a")

    answer = _serve(service, [_wake("ws_a"), _wake("ws_b"), _wake("ws_a")])

    assert answer == {"batchItemFailures": [{"itemIdentifier": "0"}, {"itemIdentifier": "2"}]}


def test_unreadable_message_does_not_stop_the_others(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = _record_looks(monkeypatch)

    answer = _serve(service, [{"v": 1}, _wake("ws_a")])

    assert answer == {"batchItemFailures": []}
    assert looks == ["ws_a"]


def _record_looks(monkeypatch: pytest.MonkeyPatch, failing: str = "") -> list[str]:
    looks: list[str] = []

    def look(_: Releaser, workspace_id: WorkspaceId) -> None:
        looks.append(workspace_id)
        if workspace_id == failing:
            raise OSError

    monkeypatch.setattr(Releaser, "__call__", look)
    return looks


def _wake(workspace_id: str) -> JsonObject:
    return release_item(WorkspaceId(workspace_id)).to_json()


def _serve(service: Service, bodies: Sequence[JsonObject]) -> Mapping[str, Any]:
    url = service.resources["BatchesQueue"]["Ref"]
    for body in bodies:
        Queue(service.clients, url).send(body, group="test")
    received = service.clients.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)
    messages = [each | {"MessageId": str(n)} for n, each in enumerate(received["Messages"])]
    serve: Any = release_batch.build(service.work_parts("release_batch"))
    answer: Mapping[str, Any] = serve(sqs_event(messages, "arn:aws:sqs:x:y:batches"))
    return answer
