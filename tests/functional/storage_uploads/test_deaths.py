"""Functions that die over uploads, dead letters, and messages that cannot be read."""

from typing import Any, Final

import pytest

from chalicelib.adapters.aws.messages import MAX_RECEIVE_COUNT
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.destinations.outgoing import UploadFailedError
from chalicelib.features.destinations.uploads import record_round as upload_round
from chalicelib.features.destinations.uploads import upload_files
from chalicelib.features.destinations.uploads.model import TargetUploads
from chalicelib.features.destinations.uploads.repository import StorageUploads
from chalicelib.features.events import relay
from tests.builders.aws_actions import acting_as
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.builders.storage_uploads import (
    AWAY,
    make_destination,
    receipts,
    render_to,
    shown,
    upload,
    upload_later,
)
from tests.fakes.store import DENIED, FakeStore

_IDS: Final = (
    '"workspace_id": "ws_01J8Z6Y3K4M5N6P7Q8R9S0T1V2", "render_id": "rnd_01J8Z6Y3K4M5N6P7Q8R9S0T1V2"'
)


class _Kill:
    """Kills the function at the nth hit of a crash point, and only then."""

    def __init__(self, name: str, hit: int = 1) -> None:
        self.name = name
        self.left = hit

    def __call__(self, point: Any) -> None:
        if point.name == self.name:
            self.left -= 1
            if self.left == 0:
                raise FunctionKilled


def upload_with_death(
    service: Service, monkeypatch: pytest.MonkeyPatch, name: str, hit: int = 1
) -> None:
    """Upload, and let the function die at a crash point."""
    with monkeypatch.context() as patch:
        for module in (upload_files, upload_round):
            patch.setattr(module, "crash_if_armed", _Kill(name, hit))
        assert service.relay_events() == []
        with pytest.raises(FunctionKilled):
            service.upload_files()


@pytest.mark.parametrize(
    ("name", "writes"),
    [
        ("STORAGE_BEGUN", 1),
        ("STORAGE_CLAIMED", 1),
        ("STORAGE_OPENED", 1),
        # The same bytes once more under the same key.
        ("STORAGE_STORED", 2),
        ("STORAGE_RECORDED", 1),
    ],
)
def test_file_is_stored_although_a_function_dies(
    service: Service,
    store: FakeStore,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    writes: int,
) -> None:
    rendered = render_to(service, make_destination(service), output={"filename": "x"})

    upload_with_death(service, monkeypatch, name)
    for _ in range(3):
        upload_later(service, minutes=3)

    assert [each["status"] for each in receipts(service, rendered)] == ["succeeded"]
    assert store.steps == ["write"] * writes
    assert store.files == {"x.pdf": service.engine.content}


def test_files_that_were_recorded_are_not_sent_again_after_a_death(
    service: Service, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered = render_to(
        service, make_destination(service), output={"formats": ["pdf", "png"], "filename": "x"}
    )

    upload_with_death(service, monkeypatch, "STORAGE_STORED", hit=2)
    for _ in range(3):
        upload_later(service, minutes=3)

    assert [file.path for file in store.written] == ["x.pdf", "x.png", "x.png"]
    assert [each["status"] for each in receipts(service, rendered)] == ["succeeded"] * 2


def test_uploads_whose_functions_die_each_time_are_repeated_with_pauses(
    service: Service, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered = render_to(service, make_destination(service))

    for _ in range(MAX_RECEIVE_COUNT):
        upload_with_death(service, monkeypatch, "STORAGE_STORED")
        service.clock.advance(minutes=3)
        service.tick()
    upload_later(service, minutes=3)

    (receipt,) = receipts(service, rendered)
    assert (receipt["status"], receipt["error"]["code"]) == ("retrying", "storage_unavailable")
    assert store.steps == ["write"] * MAX_RECEIVE_COUNT
    upload_later(service, minutes=5)
    assert [each["status"] for each in receipts(service, rendered)] == ["succeeded"]


def test_failure_that_is_recorded_is_told_once_although_a_function_dies(
    service: Service, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.failures["write"] = DENIED
    rendered = render_to(service, make_destination(service))

    upload_with_death(service, monkeypatch, "STORAGE_RECORDED")
    for _ in range(3):
        upload_later(service, minutes=3)
        service.process_due()

    events = failed_events(service, rendered.json["id"])
    assert [event["type"] for event in events] == ["storage.upload_failed"]
    assert "published_at" in events[0]


def failed_events(service: Service, render_id: str) -> list[dict[str, Any]]:
    """Return the rows of events of failed uploads of a render."""
    page = service.main_table.query(
        "PK = :pk AND begins_with(SK, :event)",
        {":pk": f"WS#{service.workspace}#RND#{render_id}", ":event": "EVENT#"},
    )
    return [row for row in page.items if row["type"] == "storage.upload_failed"]


def test_relay_that_dies_after_its_transaction_loses_no_upload(
    service: Service, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered = render_to(service, make_destination(service))
    kill = _Kill("RELAY_PUBLISHED")
    with monkeypatch.context() as patch:
        patch.setattr(relay, "crash_if_armed", kill)
        with pytest.raises(FunctionKilled):
            service.relay_events()

    upload_later(service, minutes=3)

    assert [each["status"] for each in receipts(service, rendered)] == ["succeeded"]
    assert store.steps == ["write"]


@pytest.mark.parametrize("failure", [None, AWAY, DENIED], ids=str)
def test_function_that_was_overtaken_records_nothing(
    service: Service, store: FakeStore, failure: UploadFailedError | None
) -> None:
    rendered = render_to(service, make_destination(service), output={"formats": ["pdf", "png"]})
    assert service.relay_events() == []
    recorded: list[TargetUploads] = []

    def overtake(_step: str) -> None:
        store.before = lambda _step: None
        # The test does it, and not the function that uploads.
        with acting_as(""):
            upload_later(service, minutes=3)
            recorded.extend(stored_uploads(service, rendered.json["id"]))
        store.failures |= {"write": failure} if failure else {}

    store.before = overtake
    service.upload_files()

    assert [each["status"] for each in receipts(service, rendered)] == ["succeeded"] * 2
    assert stored_uploads(service, rendered.json["id"]) == recorded
    assert failed_events(service, rendered.json["id"]) == []
    # Both of the other function, and the one that this function was about to send.
    assert store.steps == ["write"] * 3


def stored_uploads(service: Service, render_id: str) -> list[TargetUploads]:
    """Return the uploads of a render as they are stored."""
    uploads = StorageUploads(service.main_table)
    return uploads.of_render(WorkspaceId(service.workspace), RenderId(render_id))


@pytest.mark.usefixtures("store")
def test_dead_letter_ends_uploads(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered = render_to(service, make_destination(service))
    service.relay_events()
    message = service.clients.sqs.receive_message(
        QueueUrl=service.resources["UploadsQueue"]["Ref"], VisibilityTimeout=0
    )["Messages"][0]["Body"]
    upload_with_death(service, monkeypatch, "STORAGE_CLAIMED")
    service.clock.advance(minutes=5)
    for _ in range(2):
        service.clients.sqs.send_message(
            QueueUrl=service.resources["UploadsDeadLetters"]["Ref"], MessageBody=message
        )

    assert service.record_dead_letters("Uploads") == []
    assert service.record_dead_letters("Uploads") == []

    (receipt,) = receipts(service, rendered)
    assert (receipt["status"], receipt["error"]["code"]) == ("failed", "storage_unavailable")
    assert len(failed_events(service, rendered.json["id"])) == 1
    assert [each["code"] for each in shown(service, rendered)["warnings"]] == [
        "storage_upload_failed"
    ]


def test_dead_letter_of_uploads_that_go_on_ends_nothing(service: Service, store: FakeStore) -> None:
    rendered = render_to(service, make_destination(service))
    service.relay_events()
    message = service.clients.sqs.receive_message(
        QueueUrl=service.resources["UploadsQueue"]["Ref"], VisibilityTimeout=0
    )["Messages"][0]["Body"]

    def bury(_step: str) -> None:
        # The test does it, and not the function that uploads.
        with acting_as(""):
            record_dead_letter()

    def record_dead_letter() -> None:
        service.clients.sqs.send_message(
            QueueUrl=service.resources["UploadsDeadLetters"]["Ref"], MessageBody=message
        )
        assert service.record_dead_letters("Uploads") == []

    store.before = bury
    upload(service)

    assert [each["status"] for each in receipts(service, rendered)] == ["succeeded"]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        '{"v": 1}',
        '{"v": 1, "workspace_id": "ws_x", "render_id": "rnd_x", "number": "0"}',
        f'{{"v": 1, {_IDS}, "number": "../1"}}',
        f'{{"v": 9, {_IDS}, "number": "1"}}',
    ],
)
def test_message_that_cannot_be_read_holds_up_no_other(
    service: Service, store: FakeStore, body: str
) -> None:
    rendered = render_to(service, make_destination(service))
    service.relay_events()
    if body:
        service.send("Uploads", body)

    service.upload_files()

    assert [each["status"] for each in receipts(service, rendered)] == ["succeeded"]
    assert store.steps == ["write"]


@pytest.mark.usefixtures("store")
def test_message_of_a_render_that_is_gone_changes_nothing(service: Service) -> None:
    make_destination(service)
    service.send(
        "Uploads",
        f'{{"v": 1, "workspace_id": "{service.workspace}", '
        '"render_id": "rnd_01J8Z6Y3K4M5N6P7Q8R9S0T1V2", "number": "0"}',
    )

    assert service.upload_files() == []


def test_erased_workspace_uploads_nothing(service: Service, store: FakeStore) -> None:
    render_to(service, make_destination(service))
    service.relay_events()
    workspace = WorkspaceId(service.workspace)
    service.operator.change_status.delete(workspace)
    for days in (30.0001, 1):
        service.clock.advance(days=days)
        service.process_due()

    service.upload_files()

    assert store.steps == []
    assert service.operator.workspaces.get(workspace) is None
