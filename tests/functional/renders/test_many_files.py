"""Renders of hundreds of files, and of none: names, sizes, pages of lists, repeats, counters."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import pytest

from chalicelib.engine.context import RenderedFile
from chalicelib.features.renders.rows import render_of, row_of
from chalicelib.features.renders.run.finish import FinishRender
from tests.builders.http import ApiAnswer
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service

MAX_FILES: Final = 500
_NAME: Final = "界" * 66 + "ab"
_LIMIT_OF_ROWS: Final = 400_000
_LIMIT_OF_ANSWERS: Final = 6_000_000


def parts(count: int, kind: str = "pdf") -> tuple[RenderedFile, ...]:
    """Return the files of a tool, whose contents are all different."""
    return tuple(
        RenderedFile(kind, b"%%PDF %d" % n, "application/pdf", pages=1, part=n)
        for n in range(1, count + 1)
    )


def largest(service: Service, **fields: Any) -> ApiAnswer:
    """Render the largest row: all files, the longest names, metadata and console lines."""
    service.engine.files = parts(MAX_FILES)
    service.engine.logs = ("x" * 500,) * 100
    metadata = {f"{n:02d}" + "k" * 38: "界" * 500 for n in range(50)}
    return service.render(
        output={"filename": _NAME}, metadata=metadata, reference="r" * 200, **fields
    )


def row_of_render(service: Service, render_id: str) -> dict[str, Any]:
    (row,) = (row for row in service.rows(render_id) if row["SK"] == "META")
    return row


def addresses(render: dict[str, Any]) -> list[str]:
    return [file["url"].removeprefix("https://files.test") for file in render["files"]]


def test_files_of_one_format_are_numbered(service: Service) -> None:
    service.engine.files = parts(3)

    render = service.render(output={"filename": "pages.pdf"}).json

    names = [file["filename"] for file in render["files"]]
    assert names == ["pages-1.pdf", "pages-2.pdf", "pages-3.pdf"]
    assert {service.call("GET", each, key=None).status for each in addresses(render)} == {302}


def test_number_survives_the_longest_name(service: Service) -> None:
    service.engine.files = parts(MAX_FILES)

    render = service.render(output={"filename": "ä" * 100}).json

    names = [file["filename"] for file in render["files"]]
    assert len(set(names)) == MAX_FILES
    assert names[-1] == "ä" * 98 + "-500.pdf"


def test_names_say_nothing_with_zero_retention(service: Service) -> None:
    service.engine.files = parts(1)

    answer = service.render(
        output={"filename": "secret"}, delivery={"type": "binary", "retention": "none"}
    )

    # The answer has the name, and nothing that is kept.
    assert "secret-1.pdf" in answer.headers["Content-Disposition"]
    assert "secret" not in str(row_of_render(service, answer.headers["X-Render-Id"])["outcome"])


def test_row_has_room_for_the_largest_render(service: Service) -> None:
    answer = largest(service)

    row = row_of_render(service, answer.json["id"])
    size = len(json.dumps(row, ensure_ascii=False, default=str).encode())
    assert size < _LIMIT_OF_ROWS / 2, size
    assert len(answer.body) < _LIMIT_OF_ANSWERS / 4
    assert len(answer.json["logs"]) == 100


def test_row_of_many_files_is_read_as_it_was_written(service: Service) -> None:
    service.engine.files = (
        *parts(7),
        RenderedFile("png", b"png", "image/png", width=7, height=8),
    )

    render = service.render(output={"filename": "x"}).json

    rendered = render_of(row_of_render(service, render["id"]))
    assert render_of(row_of(rendered)) == rendered
    assert [file.part for file in rendered.files] == [1, 2, 3, 4, 5, 6, 7, None]
    assert [file.width for file in rendered.files] == [None] * 7 + [7]
    assert [file["filename"] for file in render["files"]][-2:] == ["x-7.pdf", "x.png"]


def test_equal_files_of_a_render_keep_their_own_ids(service: Service) -> None:
    service.engine.files = tuple(
        RenderedFile("pdf", b"%PDF", "application/pdf", part=n) for n in range(1, 20)
    )

    render = service.render().json

    again = service.call("GET", f"/v1/renders/{render['id']}").json
    assert [file["id"] for file in again["files"]] == [file["id"] for file in render["files"]]
    assert len({file["id"] for file in again["files"]}) == 19


@pytest.mark.breadth
def test_list_of_large_renders_comes_in_pages_that_fit(service: Service) -> None:
    made = [largest(service).json["id"] for _ in range(8)]

    seen: list[str] = []
    cursor = ""
    while True:
        answer = service.call("GET", f"/v1/renders?limit=20{cursor}")
        assert len(json.dumps(answer.body.decode())) < _LIMIT_OF_ANSWERS
        seen += [render["id"] for render in answer.json["data"]]
        assert all(len(render["files"]) == MAX_FILES for render in answer.json["data"])
        if not answer.json["has_more"]:
            break
        cursor = f"&cursor={answer.json['next_cursor']}"

    assert seen == sorted(made, reverse=True)


def test_repeat_of_a_request_gives_all_files_again(service: Service) -> None:
    service.engine.files = parts(MAX_FILES)
    headers = {"Idempotency-Key": "k"}

    first, second = (service.render(headers=headers) for _ in range(2))

    assert second.headers["Idempotent-Replayed"] == "true"
    assert [file["id"] for file in second.json["files"]] == [
        file["id"] for file in first.json["files"]
    ]
    assert len(service.engine.all_jobs) == 1


@contextmanager
def counted_calls(service: Service) -> Iterator[Counter[str]]:
    """Count the calls of tables and objects in this block."""
    counts = Counter[str]()
    clients = [service.clients.dynamodb.meta.events, service.clients.s3.meta.events]

    def count(*, model: Any, **_: Any) -> None:
        counts[model.name] += 1

    for each in clients:
        each.register("before-parameter-build", count)
    try:
        yield counts
    finally:
        for each in clients:
            each.unregister("before-parameter-build", count)


def test_files_are_deleted_in_few_calls(service: Service) -> None:
    service.engine.files = parts(MAX_FILES)
    render = service.render(delivery={"type": "url"}).json
    last = addresses(render)[-1]

    with counted_calls(service) as counts:
        assert service.call("DELETE", f"/v1/renders/{render['id']}/files").status == 200

    assert service.objects() == []
    assert service.call("GET", last, key=None).code == "file_expired"
    assert counts["DeleteObjects"] == 1
    # One with the row, and those of the records that had no room in it.
    assert counts["TransactWriteItems"] == 1 + 5
    assert sum(counts.values()) < 20, counts


def test_records_that_are_gone_hold_up_no_other(service: Service) -> None:
    service.engine.files = parts(MAX_FILES)
    render = service.render().json
    state = service.services.state
    state.main_table.write(state.files.removal(render["files"][200]["id"]))

    service.call("DELETE", f"/v1/renders/{render['id']}/files")

    codes = {service.call("GET", each, key=None).code for each in addresses(render)}
    assert codes == {"file_expired"}


def test_files_of_three_dead_attempts_go_together(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.engine.files = parts(MAX_FILES)
    answer = service.render(mode="async", delivery={"type": "url"})
    for _ in range(3):
        with monkeypatch.context() as dying:
            dying.setattr(FinishRender, "_finish", _die)
            with pytest.raises(FunctionKilled):
                service.run_queued()
        service.clock.advance(hours=2)
        service.tick()
        service.run_maintenance()
    service.run_queued()
    with counted_calls(service) as counts:
        service.relay_events()

    # One call deletes 1 000 objects at most.
    assert counts["DeleteObjects"] == 2
    assert service.call("GET", f"/v1/renders/{answer.json['id']}").json["status"] == "failed"
    assert service.objects() == []


def _die(*_: object) -> NoReturn:
    raise FunctionKilled


def test_render_is_counted_once_for_each_format(service: Service) -> None:
    service.engine.files = (*parts(MAX_FILES - 1), RenderedFile("png", b"png", "image/png"))
    service.render()
    service.relay_events()

    usage = service.call("GET", "/v1/usage").json
    counts = {each["format"]: each["live"] for each in usage["by_format"]}
    assert counts == {"pdf": 1, "png": 1}
    assert service.limits()["used"] == 1


@pytest.mark.parametrize(
    ("delivery", "retention"),
    [
        ("url", None),
        ("binary", None),
        ("base64", None),
        ("none", None),
        ("binary", "none"),
        ("base64", "none"),
    ],
)
def test_render_without_files_is_answered_by_itself(
    service: Service, delivery: str, retention: str | None
) -> None:
    service.engine.files = ()

    answer = service.render(delivery={"type": delivery, "retention": retention})

    assert (answer.status, answer.json["status"], answer.json["files"]) == (200, "succeeded", [])
    shown = service.call("GET", f"/v1/renders/{answer.json['id']}").json
    assert (shown["status"], shown["files"]) == ("succeeded", [])
    assert service.objects() == []
