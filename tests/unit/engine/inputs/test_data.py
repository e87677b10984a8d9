"""Data of templates: inline or fetched from a URL."""

from threading import Event, Thread

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.inputs.data import load_data
from chalicelib.engine.ports import HostRefusedError, HostUnreachableError
from chalicelib.engine.sources import CanvasSource
from tests.builders.pages.engine_jobs import RefusingEgress, task
from tests.builders.waiting import eventually
from tests.fakes.egress import FakeEgress

URL = "https://example.com/data"


def test_inline_data_are_used_unchanged() -> None:
    assert load_data(*task("x", data={"a": 1}), RefusingEgress()).data == {"a": 1}
    assert load_data(*task("x"), RefusingEgress()).data is None


def test_data_url_is_fetched_once_within_its_limits() -> None:
    world = FakeEgress({URL: b'{"a": ["\xc3\xa9", 1.5, null]}'})

    assert load_data(*task("x", data_url=URL, templating=True), world).data == {
        "a": ["é", 1.5, None]
    }
    (fetch,) = world.fetches
    assert (fetch.max_bytes, fetch.https_only) == (5_000_000, True)
    assert fetch.timeout_s == 10


def test_data_fetch_ends_at_the_jobs_deadline() -> None:
    world = FakeEgress({URL: b"{}"})

    load_data(*task("x", data_url=URL, seconds=8, templating=True), world)

    assert 0 < world.fetches[0].timeout_s <= 8


@pytest.mark.parametrize(
    ("answer", "code", "message"),
    [
        (
            HostRefusedError("a:22 is refused"),
            "url_not_allowed",
            "data_url: a:22 is refused.",
        ),
        (
            HostUnreachableError("a answered 404"),
            "data_url_fetch_failed",
            "data_url: a answered 404",
        ),
        (b"", "data_url_fetch_failed", "empty"),
        (b"<html>", "data_url_fetch_failed", "line 1, column 1"),
        (b"[1]", "data_url_fetch_failed", "no object"),
        (b'"text"', "data_url_fetch_failed", "no object"),
        (b'{"a": NaN}', "data_url_fetch_failed", "NaN is not a JSON number"),
        (b'{"a": 1, "a": 2}', "data_url_fetch_failed", "stands twice"),
        (b'{"a": "\xff"}', "data_url_fetch_failed", "not UTF-8"),
        (b'\xef\xbb\xbf{"a": 1}', "data_url_fetch_failed", "byte order mark"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "data_url_fetch_failed", "deeper than 100"),
        (b"[" * 1_000_000, "data_url_fetch_failed", "deeper than 100"),
        (b'{"a": 1e999}', "data_url_fetch_failed", "larger than a double"),
    ],
)
def test_each_data_failure_names_its_cause(
    answer: bytes | Exception, code: str, message: str
) -> None:
    with pytest.raises(RenderFailure) as failure:
        load_data(*task("x", data_url=URL, templating=True), FakeEgress({URL: answer}))

    assert failure.value.code == code
    assert message in failure.value.detail
    assert "data_url" in failure.value.detail


def test_cancellation_ends_the_data_fetch() -> None:
    never = Event()
    given = task("x", data_url=URL, templating=True)
    world = FakeEgress({URL: never})

    def cancel() -> None:
        eventually(lambda: world.fetches)
        given[1].cancellation.set_result(None)

    Thread(target=cancel).start()

    with pytest.raises(RenderFailure) as failure:
        load_data(*given, world)
    never.set()

    assert failure.value.code == "render_timeout"


@pytest.mark.parametrize(
    ("answer", "code"),
    [(b"[1]", "data_invalid"), (b"null", "data_invalid"), (b"{", "data_url_fetch_failed")],
)
def test_data_of_a_canvas_must_be_an_object(answer: bytes, code: str) -> None:
    canvas = task(data_url=URL, source=CanvasSource({}))

    with pytest.raises(RenderFailure, match="data_url") as failure:
        load_data(*canvas, FakeEgress({URL: answer}))

    assert failure.value.code == code
