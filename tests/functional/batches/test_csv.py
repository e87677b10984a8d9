"""Batches of CSV files: their rows are items, and a bad row fails that item only."""

from typing import Any

from tests.builders.batches import (
    BATCHES_PATH,
    batch_at,
    counts_of,
    items_at,
    published_template,
)
from tests.builders.service import Service
from tests.builders.uploads import post_upload

CSV = b"n,lines.total,_filename,_reference\n1,10,a,r-1\n2\n\n3,30,c,\n"


def csv_batch(service: Service, content: bytes = CSV, **fields: Any) -> str:
    """Create a batch of an uploaded CSV and return its path."""
    upload = post_upload(service, content, name="a.csv", kind="text/csv").json
    body = {"template_id": published_template(service), "csv_upload_id": upload["id"]} | fields
    answer = service.call("POST", BATCHES_PATH, json_body=body)
    assert answer.status == 202, answer.body
    return f"{BATCHES_PATH}/{answer.json['id']}"


def test_rows_are_items_and_a_bad_row_fails_alone(service: Service) -> None:
    path = csv_batch(service)
    assert batch_at(service, path)["total"] == 0
    service.run_batches()

    batch, items = batch_at(service, path), items_at(service, path)

    assert (batch["status"], batch["total"], counts_of(batch)) == ("completed", 3, (2, 1, 0, 0))
    names = [(item["filename"], item["reference"]) for item in items]
    assert names == [("a", "r-1"), (None, None), ("c", None)]
    assert (items[1]["status"], items[1]["render_id"]) == ("failed", None)
    assert (items[1]["error"]["code"], items[1]["error"]["row"]) == ("csv_row_invalid", 3)
    data = sorted((job.data or {} for job in service.engine.jobs), key=str)
    assert data == [
        {"n": "1", "lines": {"total": "10"}},
        {"n": "3", "lines": {"total": "30"}},
    ]


def test_mapping_chooses_the_columns(service: Service) -> None:
    path = csv_batch(service, csv_mapping={"invoice.no": "n"})
    service.run_batches()

    data = sorted(str(job.data) for job in service.engine.jobs)

    assert data == ["{'invoice': {'no': '1'}}", "{'invoice': {'no': '3'}}"]
    assert batch_at(service, path)["succeeded"] == 2


def test_what_excel_writes_is_read(service: Service) -> None:
    content = "\ufeffsep=;\r\n Kunden Name ;amount\r\nA;1\r\n;\r\n ; \r\nB;2\r\n;\r\n"
    mapping = {"name": "Kunden Name", "total": " amount"}
    path = csv_batch(service, content.encode(), csv_mapping=mapping)
    service.run_batches()

    data = sorted(str(job.data) for job in service.engine.jobs)

    assert data == ["{'name': 'A', 'total': '1'}", "{'name': 'B', 'total': '2'}"]
    assert counts_of(batch_at(service, path)) == (2, 0, 0, 0)
