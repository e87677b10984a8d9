"""Batch requests: their two sources of items, their size, and the pointers of their errors."""

import json
from typing import Any

import pytest

from chalicelib.contract.batches.request import BatchRequest
from chalicelib.contract.validation import read_body
from chalicelib.core.errors import MAX_ERRORS, FieldError, ServiceError


def read(**members: Any) -> BatchRequest:
    body = {"template_id": "tpl_1", **members}
    return read_body(BatchRequest, json.dumps(body).encode(), body)


def errors(**members: Any) -> tuple[FieldError, ...]:
    with pytest.raises(ServiceError) as refused:
        read(**members)
    assert refused.value.code == "validation_error"
    return refused.value.errors


def test_items_get_their_defaults() -> None:
    request = read(items=[{}, {"data": {"a": [1, None]}, "metadata": {"k": True}}])

    assert request.items is not None
    first, second = request.items
    assert (first.data, first.filename, first.metadata, first.reference) == (None,) * 4
    assert (second.data, second.metadata) == ({"a": [1, None]}, {"k": True})
    assert (request.version, request.combine, request.webhook) == ("live", None, None)


def test_parts_get_their_defaults() -> None:
    request = read(items=[{}], combine={}, webhook={"url": "https://example.com/"})

    assert request.combine is not None
    assert request.webhook is not None
    assert request.combine.model_dump() == {
        "merged_pdf": False,
        "zip": False,
        "zip_filename": None,
    }
    assert request.webhook.events == ["batch.progress", "batch.completed"]
    assert request.webhook.format == "standard"


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"items": None, "csv_upload_id": None},
        {"items": [{}], "csv_upload_id": "upl_1"},
    ],
)
def test_items_and_csv_exclude_each_other(members: dict[str, Any]) -> None:
    (error,) = errors(**members)

    assert error.path == ""
    assert "either items or csv_upload_id" in error.message


def test_mapping_needs_a_csv() -> None:
    assert read(csv_upload_id="upl_1", csv_mapping={"a.b": "A"}).csv_mapping == {"a.b": "A"}
    assert read(items=[{}], csv_mapping=None).csv_mapping is None

    (error,) = errors(items=[{}], csv_mapping={"a.b": "A"})

    assert error.path == "/csv_mapping"
    assert "csv_upload_id" in error.message


def test_mapping_beside_an_invalid_csv_has_no_error_of_its_own() -> None:
    found = errors(csv_upload_id="", csv_mapping={"a": "A"})

    assert [error.path for error in found] == ["/csv_upload_id"]


def test_batch_takes_100_000_items() -> None:
    request = read(items=[{}] * 100_000)

    assert len(request.items or ()) == 100_000


def test_errors_point_to_the_item_and_its_field() -> None:
    items: list[Any] = [{} for _ in range(20)]
    items[3] = {"data": []}
    items[17] = {"filename": "x" * 256, "unknown": 1, "metadata": {"a/b": []}}
    items[19] = 5

    paths = {error.path for error in errors(items=items)}

    assert paths == {
        "/items/3/data",
        "/items/17/filename",
        "/items/17/unknown",
        "/items/17/metadata/a~1b",
        "/items/19",
    }


def test_errors_of_many_items_are_cut() -> None:
    found = errors(items=[{"filename": 1}] * 1_000)

    assert [error.path for error in found] == [f"/items/{n}/filename" for n in range(MAX_ERRORS)]


@pytest.mark.parametrize("version", ["draft", 0, "1"])
def test_other_versions_are_refused(version: object) -> None:
    assert {error.path for error in errors(items=[{}], version=version)} == {"/version"}
