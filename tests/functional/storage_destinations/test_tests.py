"""Tests of storage destinations: their steps, what they write, and what they leave behind."""

import re

import pytest
from botocore.exceptions import ReadTimeoutError

from chalicelib.features.destinations.outgoing import UploadFailedError
from tests.builders.service import Service
from tests.builders.storage_destinations import (
    ACCESS_KEYS,
    PATH,
    PROVIDERS,
    change_destination,
    made_destination,
    run_storage_test,
    shown_destination,
)
from tests.fakes.store import DENIED, FakeStore

FILES = {"bucket": "files"}
STEPS = ("connect", "write", "delete")
GOOD = [{"name": name, "ok": True, "detail": None} for name in STEPS]
UNAVAILABLE = UploadFailedError("storage_unavailable", "The store did not answer.", is_final=False)


@pytest.fixture
def store(service: Service) -> FakeStore:
    """Give the store behind all destinations."""
    store = FakeStore()
    service.stores = store.openers
    return store


@pytest.mark.parametrize("provider", PROVIDERS)
def test_good_destination_passes_all_steps(
    service: Service, store: FakeStore, provider: str
) -> None:
    destination = made_destination(service, provider, path_template="invoices/{{ filename }}")
    service.clock.advance(seconds=5)

    answer = run_storage_test(service, destination)

    assert (answer.status, answer.json) == (
        200,
        {"object": "storage_test", "ok": True, "steps": GOOD},
    )
    shown = shown_destination(service, destination)
    assert shown == destination | {
        "last_test_at": shown["last_test_at"],
        "last_test_status": "succeeded",
    }
    assert shown["last_test_at"] > destination["created_at"]
    ((tested, credentials),) = store.opened
    assert (tested.id, tested.provider) == (destination["id"], provider)
    assert {n: text for n, text in credentials.items() if text is not None} == PROVIDERS[provider][
        2
    ][0]
    assert store.open_sessions == 0


def test_small_file_is_written_and_removed(service: Service, store: FakeStore) -> None:
    run_storage_test(service, made_destination(service, path_template="invoices/{{ filename }}"))

    (file,) = store.written
    assert re.fullmatch(r"invoices/\.platen-test-[0-9A-HJKMNP-TV-Z]{26}", file.path)
    assert (file.content_type, file.bytes < 100) == ("text/plain", True)
    assert store.files == {}


@pytest.mark.parametrize(
    ("template", "before"),
    [
        ("{{ filename }}", ""),
        ("a-", ""),
        ("a/b.pdf", "a/"),
        ("a/b-{{ filename }}", "a/"),
        ("a/{{ customer.id }}/b", "a/"),
        ("{% if x %}a{% endif %}", ""),
        ("a{# who #}/b", ""),
        ("/../a//./b/", "a/b/"),
        ("a}}/{b}/", "a}}/{b}/"),
        ("ä\x07/", "ä/"),
    ],
)
def test_file_is_written_into_the_folder_before_the_first_tag(
    service: Service, store: FakeStore, template: str, before: str
) -> None:
    run_storage_test(service, made_destination(service, path_template=template))

    (file,) = store.written
    assert file.path.partition(".platen-test-")[0] == before


@pytest.mark.parametrize(
    ("step", "failure"), [(s, f) for s in STEPS for f in (DENIED, UNAVAILABLE)]
)
def test_steps_end_at_the_first_that_fails(
    service: Service, store: FakeStore, step: str, failure: UploadFailedError
) -> None:
    destination = made_destination(service)
    store.failures[step] = failure

    answer = run_storage_test(service, destination)

    done = STEPS[: STEPS.index(step)]
    assert (answer.status, answer.json["ok"]) == (200, False)
    assert answer.json["steps"] == [
        *GOOD[: len(done)],
        {"name": step, "ok": False, "detail": str(failure)},
    ]
    assert (store.steps, store.open_sessions) == ([*done, step], 0)
    shown = shown_destination(service, destination)
    assert (shown["status"], shown["last_test_status"]) == ("failing", "failed")
    assert shown["last_error"] == {
        "at": shown["last_test_at"],
        "code": failure.code,
        "message": str(failure),
        "status": failure.status,
    }


@pytest.mark.parametrize(
    ("provider", "address"),
    [
        ("s3", {"endpoint": "http://127.0.0.1:9", "force_path_style": True}),
        ("azure_blob", {"endpoint": "http://127.0.0.1:9"}),
        ("sftp", {"host": "127.0.0.1", "port": 9}),
    ],
)
def test_store_that_nobody_serves_is_unavailable(
    service: Service, provider: str, address: dict[str, object]
) -> None:
    destination = made_destination(service, provider, config=PROVIDERS[provider][0] | address)

    (step,) = run_storage_test(service, destination).json["steps"]

    assert (step["name"], step["ok"]) == ("connect", False)
    error = shown_destination(service, destination)["last_error"]
    assert (error["code"], error["status"]) == ("storage_unavailable", None)


def test_good_test_clears_the_error(service: Service, store: FakeStore) -> None:
    destination = made_destination(service)
    store.failures["write"] = DENIED
    run_storage_test(service, destination)

    changed = change_destination(service, destination, credentials=ACCESS_KEYS).json
    assert changed["status"] == "failing"
    store.failures.clear()
    assert run_storage_test(service, destination).json["ok"]

    shown = shown_destination(service, destination)
    assert (shown["status"], shown["last_error"], shown["last_test_status"]) == (
        "active",
        None,
        "succeeded",
    )


def test_destination_without_credentials_is_not_connected_to(
    service: Service, store: FakeStore
) -> None:
    destination = made_destination(service, credentials=None)

    (step,) = run_storage_test(service, destination).json["steps"]

    assert (step["name"], step["ok"], "no credentials" in step["detail"]) == (
        "connect",
        False,
        True,
    )
    assert store.opened == []
    assert shown_destination(service, destination)["last_error"]["code"] == "storage_denied"


def test_folder_that_leaves_no_room_for_a_file_fails_to_write(
    service: Service, store: FakeStore
) -> None:
    destination = made_destination(service, path_template="ä" * 511 + "/x")

    *_, last = run_storage_test(service, destination).json["steps"]

    assert (last["name"], store.steps) == ("write", ["connect"])
    assert shown_destination(service, destination)["last_error"]["code"] == "storage_key_invalid"


@pytest.mark.parametrize(
    "fields",
    [
        {"credentials": ACCESS_KEYS},
        {"config": {"bucket": "other-files"}},
        {"path_template": "other/x"},
    ],
)
def test_result_is_dropped_where_the_store_was_replaced_meanwhile(
    service: Service, store: FakeStore, fields: dict[str, object]
) -> None:
    destination = made_destination(service)
    store.failures["connect"] = DENIED
    store.before = lambda _step: change_destination(service, destination, **fields)

    assert run_storage_test(service, destination).json["ok"] is False

    shown = shown_destination(service, destination)
    assert (shown["status"], shown["last_test_at"]) == ("active", None)


def test_result_survives_other_changes_meanwhile(service: Service, store: FakeStore) -> None:
    destination, other = made_destination(service), made_destination(service, is_default=True)
    store.before = lambda step: change_destination(
        service, destination, name="Other", is_default=step == "delete"
    )

    assert run_storage_test(service, destination).json["ok"]

    shown = shown_destination(service, destination)
    assert (shown["name"], shown["last_test_status"], shown["is_default"]) == (
        "Other",
        "succeeded",
        True,
    )
    assert shown_destination(service, other)["is_default"] is False


def test_result_of_a_test_does_not_take_the_default_back(
    service: Service, store: FakeStore
) -> None:
    destination, other = made_destination(service, is_default=True), made_destination(service)
    store.before = lambda _step: change_destination(service, other, is_default=True)

    run_storage_test(service, destination)

    assert shown_destination(service, destination)["is_default"] is False
    assert shown_destination(service, other)["is_default"] is True


def test_destination_that_is_deleted_meanwhile_stays_deleted(
    service: Service, store: FakeStore
) -> None:
    destination = made_destination(service)
    path = f"{PATH}/{destination['id']}"
    store.before = lambda step: step == "delete" and service.call("DELETE", path)

    assert run_storage_test(service, destination).status == 200
    assert service.call("GET", path).status == 404


def test_one_test_of_a_workspace_at_a_time(service: Service, store: FakeStore) -> None:
    first, second = made_destination(service), made_destination(service)
    answers = []
    store.before = lambda _step: answers.append(run_storage_test(service, second))

    assert run_storage_test(service, first).json["ok"]

    assert [each.code for each in answers] == ["conflict"] * 3
    store.before = lambda _step: None
    assert run_storage_test(service, second).json["ok"]


def test_lost_function_gives_its_place_back_by_itself(service: Service, store: FakeStore) -> None:
    destination = made_destination(service)
    service.upload_failures = iter([ReadTimeoutError(endpoint_url="https://lambda.test")])

    assert run_storage_test(service, destination).code == "region_degraded"
    assert run_storage_test(service, destination).code == "conflict"
    service.clock.advance(seconds=30)
    assert run_storage_test(service, destination).json["ok"]
    assert store.files == {}


def test_upload_errors_are_noted_once_and_cleared(service: Service) -> None:
    destinations = service.services.storage.destinations
    destination = made_destination(service, is_default=True)
    before = destinations.one(service.workspace, destination["id"])
    error: dict[str, str | int] = {"code": "storage_denied", "message": "No.", "status": 403}

    destinations.note_outcome(before, {"at": "2026-01-01T00:00:00.000Z", **error})
    first = shown_destination(service, destination)
    destinations.note_outcome(before, {"at": "2026-01-02T00:00:00.000Z", **error})

    assert first["status"] == "failing"
    assert first["last_error"] == {"at": "2026-01-01T00:00:00.000Z", **error}
    assert shown_destination(service, destination) == first
    destinations.note_outcome(destinations.one(service.workspace, destination["id"]), None)
    assert shown_destination(service, destination)["status"] == "active"
    change_destination(service, destination, config={"bucket": "other-files"})
    destinations.note_outcome(before, {"at": "2026-01-03T00:00:00.000Z", **error})
    assert shown_destination(service, destination)["status"] == "active"


@pytest.mark.parametrize(
    ("config", "hint"),
    [
        ({"endpoint": "https://files.s3.eu-central-1.amazonaws.com"}, "contain the bucket"),
        ({"endpoint": "https://s3.example.com/files"}, "contain the bucket"),
        ({"endpoint": "https://s3.console.aws.amazon.com/s3/buckets"}, "address of a console"),
        ({"endpoint": "https://s3.example.com"}, None),
        ({"endpoint": None}, None),
    ],
)
def test_likely_mistake_is_told_where_a_step_fails(
    service: Service, store: FakeStore, config: dict[str, str | None], hint: str | None
) -> None:
    destination = made_destination(service, "s3", config=PROVIDERS["s3"][0] | config | FILES)
    assert run_storage_test(service, destination).json["ok"]
    store.failures["write"] = DENIED

    detail = run_storage_test(service, destination).json["steps"][-1]["detail"]

    assert detail.startswith(str(DENIED))
    assert hint in detail if hint else detail == str(DENIED)
    assert shown_destination(service, destination)["last_error"]["message"] == detail
