"""JSON logs: one line per record, with the bound ids, for any value."""

import io
import json
import logging
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, override

import pytest

from chalicelib.adapters.json_logs import (
    _JsonHandler,
    bind,
    configure_logging,
    current_ids,
    log_context,
)
from chalicelib.adapters.metrics import Metrics
from chalicelib.api.edge.app import App
from tests.builders.hostile_texts import HOSTILE_TEXTS
from tests.builders.http import CONTEXT, event
from tests.builders.threads import all_at_once
from tests.fakes.api_services import FakeApiServices

# Not below the root logger, which pytest captures: it cannot report a lone surrogate.
log = logging.Logger("chalicelib.somewhere")  # noqa: LOG001


class TornOutput(io.StringIO):
    """Output that takes a line in two parts, as a full pipe does."""

    @override
    def write(self, text: str) -> int:
        middle = len(text) // 2
        super().write(text[:middle])
        time.sleep(0.0001)
        return middle + super().write(text[middle:])


type Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Lines:
    configure_logging("render")
    handlers = logging.getLogger("chalicelib").handlers
    log.handlers = [handler for handler in handlers if isinstance(handler, _JsonHandler)]
    return lambda: [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_record_is_one_line_with_the_bound_ids(lines: Lines) -> None:
    App((), FakeApiServices)
    configure_logging("render")
    with log_context(invocation="i", request_id="req_1"):
        log.info("hello")

    (line,) = lines()
    assert line["timestamp"].endswith("+00:00")
    named: Mapping[str, Any] = {"message": "hello", "request_id": "req_1", "invocation": "i"}
    assert line.items() >= named.items()


def test_bound_ids_end_with_their_context(lines: Lines) -> None:
    with log_context(invocation="i"):
        for number in "12":
            with log_context(message_id=number):
                log.info("received")
                bind(request_id=f"req_{number}", render=None)
                log.info("read")
        log.info("done")

    assert current_ids() == {}
    named = [(line.get("message_id"), line.get("request_id")) for line in lines()]
    assert named == [("1", None), ("1", "req_1"), ("2", None), ("2", "req_2"), (None, None)]


def test_bound_ids_end_with_a_failed_context() -> None:
    def fail() -> None:
        with log_context(invocation="i"):
            bind(request_id="req_1")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()

    assert current_ids() == {}


def test_bound_ids_are_isolated_between_threads() -> None:
    seen: list[Mapping[str, str]] = []
    with log_context(request_id="req_1"):
        thread = threading.Thread(target=lambda: seen.append(current_ids()))
        thread.start()
        thread.join()

    assert seen == [{}]


@pytest.mark.parametrize("value", HOSTILE_TEXTS)
def test_no_value_can_inject_a_line(lines: Lines, value: str) -> None:
    with log_context(request_id=value):
        log.warning("said %s", value, extra={"reason": value})
        try:
            int(value)
        except ValueError as error:
            error.args = (value,)
            log.exception("failed")

    succeeded, failed = lines()
    assert (succeeded["message"], succeeded["reason"]) == (f"said {value}", value)
    assert failed["message"] == "failed"
    assert failed["exception"].startswith("Traceback")
    for line in (succeeded, failed):
        assert line["request_id"] == value
        assert "another" not in {line["request_id"], line["level"]}


def test_long_id_is_truncated() -> None:
    with log_context(request_id="x" * 100_000):
        assert len(current_ids()["request_id"]) == 128


def test_invocations_share_no_bound_ids(lines: Lines) -> None:
    app = App((), FakeApiServices)
    app(event(app, "GET", "/none", {"x-request-id": "first"}, None, "203.0.113.7"), CONTEXT)

    assert current_ids() == {}
    (line,) = [line for line in lines() if line["message"] == "request"]
    assert (line["request_id"], line["invocation"]) == ("first", CONTEXT.aws_request_id)


def test_lines_of_all_threads_come_whole(lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines() == []
    output = TornOutput()
    monkeypatch.setattr(sys, "stdout", output)
    metrics = Metrics("platen-test", "render")
    other = logging.Logger("functions.somewhere")  # noqa: LOG001 -- as above
    other.handlers = [_JsonHandler("render")]

    writes: list[Callable[[], None]] = [
        *[lambda: log.info("x" * 500)] * 22,
        *[lambda: other.info("y")] * 21,
        *[lambda: metrics.count("Z")] * 21,
    ]

    all_at_once(writes)

    written = [json.loads(line) for line in output.getvalue().splitlines()]
    assert len(written) == len(writes)
