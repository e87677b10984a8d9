"""Uploads of the files of renders: their paths, receipts, and what becomes of them."""

import hashlib
from typing import Any

import pytest

from chalicelib.features.destinations.outgoing import UploadFailedError
from tests.builders.batches import make_batch, use_new_workspace
from tests.builders.email_connections import use_plan
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service
from tests.builders.storage_uploads import (
    DESTINATIONS,
    make_destination,
    receipts,
    render_to,
    shown,
    stored_files,
    upload,
)
from tests.fakes.store import FakeStore


def test_file_is_uploaded_and_its_receipt_says_so(service: Service, store: FakeStore) -> None:
    destination = make_destination(service, path_template="invoices/{{ filename }}")

    target = {"destination_id": destination, "path": None}
    rendered = render_to(service, target, output={"filename": "INV-1"})
    assert rendered.json["storage"] == [
        {
            "destination_id": destination,
            "status": "pending",
            "path": "invoices/INV-1.pdf",
            "etag": None,
            "bytes": len(service.engine.content),
            "error": None,
        }
    ]
    upload(service)

    assert store.files == {"invoices/INV-1.pdf": service.engine.content}
    (written,) = store.written
    assert written.content_type == "application/pdf"
    (receipt,) = receipts(service, rendered)
    digest = hashlib.sha256(service.engine.content).hexdigest()
    assert (receipt["status"], receipt["etag"]) == ("succeeded", f'"{digest[:32]}"')
    assert shown(service, rendered)["warnings"] == []
    assert store.open_sessions == 0


def test_paths_are_templates_over_the_data(service: Service, store: FakeStore) -> None:
    destination = make_destination(service, path_template="not/{{ this }}")
    folder = "{{ customer }}/{{ reference }}/"
    path = folder + "{{ data.customer }}-{{ render_id }}-{{ index }}.{{ format }}"

    rendered = render_to(
        service,
        {"destination_id": destination, "path": path},
        input={"type": "html", "html": "<p>{{ customer }}"},
        data={"customer": "ada", "index": "lost", "format": "lost"},
        output={"formats": ["pdf", "png"]},
        reference="R/1",
    )
    upload(service)

    name = f"ada/R/1/ada-{rendered.json['id']}"
    assert sorted(store.files) == [f"{name}-0.pdf", f"{name}-1.png"]


def test_data_that_only_paths_use_are_no_reason_to_warn(service: Service, store: FakeStore) -> None:
    destination = make_destination(service)

    render_to(
        service,
        {"destination_id": destination, "path": "{{ year }}/a"},
        input={"type": "html", "html": "<p>{{ braces }}", "templating": False},
        data={"year": 2026},
    )
    upload(service)

    assert list(store.files) == ["2026/a"]


@pytest.mark.parametrize(
    "hostile", ["../../other/", "/etc/", "a\x00b/../", "..", "./", "\u202e/../"]
)
def test_data_cannot_leave_the_folder(service: Service, store: FakeStore, hostile: str) -> None:
    destination = make_destination(service, path_template="tenant-1/{{ name }}/{{ name }}/x.pdf")

    render_to(
        service,
        destination,
        input={"type": "html", "html": "<p>{{ name }}"},
        data={"name": hostile},
    )
    upload(service)

    (path,) = store.files
    assert path.startswith("tenant-1/")
    assert not {"", ".", ".."}.intersection(path.split("/"))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("{{ 1 / 0 }}", "division"),
        ("{{ unclosed", ""),
        ("{% for x in range(10**9) %}{% endfor %}", ""),
        ("{{ 'a' * 20000 }}", "10000"),
        ("{{ '../' }}", "Nothing is left"),
    ],
)
@pytest.mark.usefixtures("store")
def test_path_that_cannot_be_made_fails_its_upload_alone(
    service: Service, path: str, message: str
) -> None:
    destination = make_destination(service)

    rendered = render_to(
        service, {"destination_id": destination, "path": path}, destination, data={"a": 1}
    )
    assert rendered.status == 200
    upload(service)

    failed, good = receipts(service, rendered)
    assert (failed["status"], failed["path"]) == ("failed", None)
    assert failed["error"]["code"] == "storage_key_invalid"
    assert message in failed["error"]["message"]
    assert good["status"] == "succeeded"
    (warning,) = shown(service, rendered)["warnings"]
    assert (warning["code"], warning["detail"]) == ("storage_upload_failed", destination)
    assert service.call("GET", f"{DESTINATIONS}/{destination}").json["status"] == "active"


def test_every_file_goes_to_every_target(service: Service, store: FakeStore) -> None:
    first, second = (
        make_destination(service),
        make_destination(service, path_template="b/{{ filename }}"),
    )

    rendered = render_to(
        service, first, second, first, output={"formats": ["pdf", "png"], "filename": "x"}
    )
    upload(service)

    assert sorted(store.files) == ["b/x.pdf", "b/x.png", "x-2.pdf", "x-2.png", "x.pdf", "x.png"]
    assert [each["status"] for each in receipts(service, rendered)] == ["succeeded"] * 6


def test_default_destination_gets_live_renders(service: Service, store: FakeStore) -> None:
    destination = make_destination(service, is_default=True)

    live = service.render(output={"filename": "live"})
    test = service.render(output={"filename": "test"}, key=service.test)
    none = service.render(output={"filename": "none"}, delivery={"storage": []})
    upload(service)

    assert list(store.files) == ["live.pdf"]
    assert [each.json["storage"] for each in (test, none)] == [[], []]
    assert live.json["storage"][0]["destination_id"] == destination
    changed = service.call(
        "PATCH", f"{DESTINATIONS}/{destination}", json_body={"is_default": False}
    )
    assert changed.status == 200
    assert service.render().json["storage"] == []


@pytest.mark.usefixtures("store")
def test_default_destination_that_is_deleted_gets_nothing(service: Service) -> None:
    destination = make_destination(service, is_default=True)
    service.call("DELETE", f"{DESTINATIONS}/{destination}")

    answer = service.render()

    assert (answer.status, answer.json["storage"]) == (200, [])


def test_test_renders_go_where_they_are_told(service: Service, store: FakeStore) -> None:
    destination = make_destination(service)

    render_to(service, destination, key=service.test, output={"filename": "t"})
    upload(service)

    assert list(store.files) == ["t.pdf"]


@pytest.mark.usefixtures("store")
def test_plan_without_storage_skips_the_default_and_says_so(service: Service) -> None:
    destination = make_destination(service, is_default=True)
    use_plan(service, "free")

    skipped = service.render()
    refused = render_to(service, destination)

    assert [each["code"] for each in skipped.json["warnings"]] == ["storage_skipped_plan"]
    assert skipped.json["storage"] == []
    assert (refused.status, refused.json["code"]) == (402, "plan_feature_unavailable")


@pytest.mark.parametrize(
    ("storage", "pointer"),
    [
        ([{"destination_id": "dst_01J8Z6Y3K4M5N6P7Q8R9S0T1V2"}], "0/destination_id"),
        ([{"destination_id": ""}], "0/destination_id"),
        ([{"path": "a"}], "0/destination_id"),
        ([{"destination_id": "dst_x", "path": ""}], "0/path"),
        ([{"destination_id": "dst_x", "path": "a" * 1025}], "0/path"),
        ([{"destination_id": "dst_x", "more": 1}], "0/more"),
        ([{"destination_id": "dst_x", "keep_hosted_copy": "no"}], "0/keep_hosted_copy"),
        ([{"destination_id": "dst_x"}] * 11, ""),
        ("dst_x", ""),
    ],
)
def test_bad_targets_are_refused(service: Service, storage: Any, pointer: str) -> None:
    make_destination(service)

    answer = service.render(delivery={"storage": storage})

    expected = f"/delivery/storage/{pointer}".rstrip("/")
    assert (answer.status, answer.pointers) == (400, [expected])


def test_destination_of_another_workspace_is_none(service: Service) -> None:
    destination = make_destination(service)
    use_new_workspace(service)

    answer = render_to(service, destination)

    assert answer.pointers == ["/delivery/storage/0/destination_id"]


def test_einvoices_are_uploaded(service: Service, store: FakeStore) -> None:
    destination = make_destination(service)
    target = {"destination_id": destination, "path": "{{ invoice.number }}.{{ format }}"}
    answer = service.call(
        "POST",
        "/v1/einvoices",
        json_body={
            "profile": "EN16931",
            "invoice": invoice_json(),
            "delivery": {"storage": [target]},
        },
    )
    upload(service)

    assert answer.status == 200, answer.body
    assert [path.rpartition(".")[2] for path in store.files] == ["xml"]


def test_items_of_a_batch_are_uploaded(service: Service, store: FakeStore) -> None:
    destination = make_destination(service)
    target = {"destination_id": destination, "path": "{{ reference }}/{{ n }}.pdf"}

    make_batch(
        service,
        items=[{"data": {"n": n}, "reference": f"r{n}"} for n in range(3)],
        delivery={"storage": [target]},
    )
    service.run_batches()
    upload(service)

    assert sorted(store.files) == ["r0/0.pdf", "r1/1.pdf", "r2/2.pdf"]


@pytest.mark.usefixtures("store")
def test_hosted_files_stay(service: Service) -> None:
    render_to(service, make_destination(service))
    upload(service)
    service.clock.advance(minutes=5)
    service.process_due()

    assert len(stored_files(service)) == 1


def test_row_has_room_for_as_many_receipts_as_can_be(service: Service, store: FakeStore) -> None:
    formats = ["pdf", "png", "jpeg", "webp", "html"]
    destination = make_destination(service, path_template="{{ n }}")
    service.engine.logs = ("x" * 500,) * 100
    good = {"destination_id": destination, "path": "\u00e4" * 200 + "/" + "\u00f6" * 300}
    faulty = {"destination_id": destination, "path": "{{ 1 / 0 }}" + "\u00fc" * 300}
    store.failures["write"] = UploadFailedError(
        "storage_unavailable", "\u00df" * 5_000, is_final=False, status=503
    )

    rendered = render_to(service, *[good] * 5, *[faulty] * 5, output={"formats": formats})
    upload(service)

    statuses = [each["status"] for each in receipts(service, rendered)]
    assert statuses.count("failed") == 25
    assert statuses.count("retrying") == 5
    events = [
        row
        for row in service.main_table.query(
            "PK = :pk AND begins_with(SK, :event)",
            {
                ":pk": f"WS#{service.workspace}#RND#{rendered.json['id']}",
                ":event": "EVENT#",
            },
        ).items
        if row["type"] == "storage.upload_failed"
    ]
    assert len(events) == 25
