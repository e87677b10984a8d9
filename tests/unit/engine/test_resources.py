"""Bytes of attachments and of the watermark's picture."""

from base64 import b64encode
from collections.abc import Mapping
from threading import Event, Thread
from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.inputs.fetch import load_resources
from chalicelib.engine.ports import HostRefusedError, HostUnreachableError
from tests.builders.pages.engine_jobs import Task, task
from tests.builders.waiting import eventually
from tests.fakes.egress import FakeEgress

URL = "https://example.com/a"


def attached(*sources: Mapping[str, str], watermark: Mapping[str, str] | None = None) -> Task:
    pdf: dict[str, Any] = {
        "attachments": [{**source, "filename": f"{n}.txt"} for n, source in enumerate(sources)]
    }
    if watermark is not None:
        pdf["watermark"] = {"image": watermark}
    return task("x", {"pdf": pdf}, uploads=lambda upload_id: f"bytes of {upload_id}".encode())


def contents(given: Task, world: FakeEgress) -> list[bytes]:
    return list(load_resources(*given, world).values())


def test_each_kind_of_source_has_its_bytes() -> None:
    given = attached({"upload_id": "upl_1"}, {"content": "aGk="}, watermark={"url": URL})

    assert contents(given, FakeEgress({URL: b"picture"})) == [b"bytes of upl_1", b"hi", b"picture"]


def test_resource_used_twice_is_fetched_once() -> None:
    world = FakeEgress({URL: b"same"})

    assert contents(attached({"url": URL}, {"url": URL}, watermark={"url": URL}), world) == [
        b"same"
    ]
    (fetch,) = world.fetches
    assert (fetch.max_bytes, fetch.https_only) == (20_000_000, False)


def test_no_resources_are_fetched_without_a_pdf() -> None:
    given = task("x", {"format": "png", "pdf": {"attachments": [{"url": URL, "filename": "a"}]}})

    assert contents(given, FakeEgress({})) == []


@pytest.mark.parametrize(
    ("source", "answer", "code", "message"),
    [
        (
            {"url": URL},
            HostRefusedError("a:1 is refused"),
            "url_not_allowed",
            "a:1 is refused",
        ),
        (
            {"url": URL},
            HostUnreachableError("a answered 404"),
            "attachment_failed",
            "a answered 404",
        ),
        ({"content": "abcde"}, b"", "attachment_failed", "not base64"),
    ],
)
def test_an_attachment_that_fails_is_named(
    source: Mapping[str, str], answer: bytes | Exception, code: str, message: str
) -> None:
    with pytest.raises(RenderFailure) as failure:
        contents(attached({"content": "aGk="}, source), FakeEgress({URL: answer}))

    assert failure.value.code == code
    assert failure.value.detail.startswith("/output/pdf/attachments/1")
    assert message in failure.value.detail


def test_a_watermark_that_fails_is_named() -> None:
    with pytest.raises(RenderFailure) as failure:
        contents(
            attached(watermark={"url": URL}),
            FakeEgress({URL: HostUnreachableError("a answered 404")}),
        )

    assert failure.value.code == "asset_fetch_failed"
    assert failure.value.detail.startswith("/output/pdf/watermark/image: a answered 404")


@pytest.mark.parametrize(("count", "fits"), [(5, True), (6, False)])
def test_resources_have_a_total_size_limit(*, count: int, fits: bool) -> None:
    urls = [f"{URL}/{n}" for n in range(count)]
    world = FakeEgress(dict.fromkeys(urls, b"x" * 20_000_000))
    given = attached(*({"url": url} for url in urls))

    if fits:
        assert len(contents(given, world)) == count
        return
    with pytest.raises(RenderFailure, match="more than 100000000 bytes") as failure:
        contents(given, world)
    assert failure.value.code == "attachment_failed"


def test_resources_are_fetched_concurrently_and_canceled_together() -> None:
    never = Event()
    urls = [f"{URL}/{n}" for n in range(20)]
    world = FakeEgress(dict.fromkeys(urls, never))
    given = attached(*({"url": url} for url in urls))

    def cancel() -> None:
        eventually(lambda: len(world.fetches) == 4)
        given[1].cancellation.set_result(None)

    Thread(target=cancel).start()

    with pytest.raises(RenderFailure) as failure:
        contents(given, world)
    fetched = len(world.fetches)
    never.set()

    assert failure.value.code == "render_timeout"
    assert fetched == 4


def test_base64_content_may_have_line_breaks() -> None:
    text = b64encode(b"x" * 100).decode()

    assert contents(attached({"content": f"{text[:60]}\n{text[60:]}"}), FakeEgress({})) == [
        b"x" * 100
    ]
