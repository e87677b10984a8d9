"""Combined files of a batch: made when all items have ended, all of them or none."""

import io
import zipfile
from typing import Any

import pikepdf
import pytest

from tests.builders.batches import (
    BATCHES_PATH,
    batch_at,
    batch_events,
    cancel_batch,
    counts_of,
    fail_items,
    items_at,
    make_batch,
    published_template,
)
from tests.builders.pages.merging import item as pdf_item
from tests.builders.service import Service

BOTH = {"zip": True, "merged_pdf": True, "zip_filename": "invoices"}


@pytest.fixture(autouse=True)
def _real_pdfs(service: Service) -> None:
    service.engine.content = pdf_item("one", "two")


def content_of(service: Service, file: dict[str, Any]) -> bytes:
    """Return the bytes behind the URL of a combined file."""
    target = file["url"].removeprefix("https://files.test")
    answer = service.call("GET", target, key=None)
    assert answer.status == 302
    (key,) = [
        key
        for key in service.objects()
        if "/files/" in key
        and "/batches/" in key
        and key.endswith(file["filename"].rpartition(".")[2])
    ]
    assert key in answer.headers["Location"]
    return bytes(
        service.clients.s3.get_object(Bucket=service.settings.bucket, Key=key)["Body"].read()
    )


def test_zip_and_merged_pdf_hold_the_succeeded_items(service: Service) -> None:
    fail_items(service, {1})
    path = make_batch(service, 3, combine=BOTH)
    service.run_batches()

    batch = batch_at(service, path)

    assert (batch["status"], counts_of(batch)) == ("completed", (2, 1, 0, 0))
    assert [file["kind"] for file in batch["files"]] == ["zip", "merged_pdf"]
    archive, merged = batch["files"]
    assert (archive["filename"], archive["content_type"]) == ("invoices.zip", "application/zip")
    assert (merged["filename"], merged["pages"], archive["pages"]) == ("batch.pdf", 4, None)
    with zipfile.ZipFile(io.BytesIO(content_of(service, archive))) as opened:
        assert opened.namelist() == ["item-0.pdf", "item-2.pdf"]
        assert opened.read("item-0.pdf") == service.engine.content
    with pikepdf.open(io.BytesIO(content_of(service, merged))) as document:
        assert len(document.pages) == 4
        assert document.check_pdf_syntax() == []
    types = [row["type"] for row in batch_events(service, path)]
    assert types == ["batch.progress", "batch.completed"]


def test_equal_batches_give_equal_archives_where_names_vanish(service: Service) -> None:
    names = ["..", " ", "con.pdf", "/", "a.pdf", "A.pdf", "\u202e", "nul", "{{ gone }}"]
    items = [{"data": {"name": str(n)}, "filename": name} for n, name in enumerate(names)]
    archives = []
    for _ in range(2):
        path = make_batch(service, items, combine={"zip": True})
        service.run_batches()
        (archive,) = batch_at(service, path)["files"]
        key = max(key for key in service.objects() if key.endswith(".zip"))
        stored = service.clients.s3.get_object(Bucket=service.settings.bucket, Key=key)
        archives.append(stored["Body"].read())
        assert archive["kind"] == "zip"

    first, second = archives
    with zipfile.ZipFile(io.BytesIO(first)) as opened:
        assert not [name for name in opened.namelist() if "rnd_" in name]
        assert {"item-0.pdf", "item-1.pdf", "item-2.pdf", "item-3.pdf"} <= {*opened.namelist()}
    assert first == second


def test_batch_without_a_success_has_no_files(service: Service) -> None:
    fail_items(service, {0, 1})
    path = make_batch(service, 2, combine=BOTH)
    service.run_batches()

    batch = batch_at(service, path)

    assert (batch["status"], batch["files"], batch["error"]) == ("completed", [], None)


def test_item_files_gone_before_combining_fail_the_batch(service: Service) -> None:
    path = make_batch(service, 3, combine=BOTH)
    service.release_batches()
    service.run_queued("BatchItems")
    gone = items_at(service, path)[1]["render_id"]
    service.relay_events()
    service.call("DELETE", f"/v1/renders/{gone}/files")
    service.run_batches()

    batch = batch_at(service, path)

    assert (batch["status"], batch["files"]) == ("failed", [])
    assert (batch["error"]["code"], batch["error"]["items"]) == ("item_files_expired", [1])
    assert batch["error"]["message"]
    assert counts_of(batch) == (3, 0, 0, 0)
    assert not [key for key in service.objects() if "/files/" in key and "/batches/" in key]
    answer = service.call("POST", f"{path}/retry-failed")
    assert (answer.status, answer.code) == (409, "conflict")


def test_combined_files_are_made_again_by_a_retry(service: Service) -> None:
    fail_items(service, {1})
    path = make_batch(service, 2, combine=BOTH)
    service.run_batches()
    before = batch_at(service, path)["files"]
    fail_items(service, set())

    again = service.call("POST", f"{path}/retry-failed").json
    assert (again["status"], again["files"]) == ("processing", [])
    service.run_batches()

    after = batch_at(service, path)["files"]
    assert [file["pages"] for file in after] == [None, 4]
    assert {file["file_id"] for file in after}.isdisjoint(file["file_id"] for file in before)


def test_batch_is_canceled_while_it_waits_for_its_files(service: Service) -> None:
    path = make_batch(service, 2, combine=BOTH)
    service.release_batches()
    service.run_queued("BatchItems")
    service.relay_events()
    service.release_batches()
    assert batch_at(service, path)["status"] == "processing"

    batch = cancel_batch(service, path, service.run_batches).json
    service.run_batches()

    assert (batch["status"], batch["files"], counts_of(batch)) == ("canceled", [], (2, 0, 0, 0))
    assert not [key for key in service.objects() if "/files/" in key and "/batches/" in key]


def test_test_batch_has_its_files_for_a_day(service: Service) -> None:
    path = make_batch(service, combine={"zip": True}, key=service.test)
    service.run_batches()
    (file,) = batch_at(service, path)["files"]
    assert file["expires_at"] == "2026-11-22T12:00:00.000Z"

    service.clock.advance(hours=24, minutes=1)
    for _ in range(2):
        service.process_due()

    (expired,) = batch_at(service, path)["files"]
    assert "url" not in expired
    assert not [key for key in service.objects() if "/batches/" in key]
    listed = service.call("GET", BATCHES_PATH).json["data"]
    assert [each["status"] for each in listed] == ["completed"]


def test_equal_batches_give_equal_archives(service: Service) -> None:
    template_id = published_template(service)
    contents = []
    for _ in range(2):
        path = make_batch(service, 3, template_id=template_id, combine=BOTH)
        service.run_batches()
        key = f"/batches/{path.rpartition('/')[2]}/files/"
        contents.append(
            [service.services.state.objects.get(each) for each in service.objects() if key in each]
        )

    assert contents[0] == contents[1]
    assert len(contents[0]) == 2
