"""Spans: W3C Trace Context in and on, and nothing at all outside of a trace."""

import json
from typing import Any

import pytest

from chalicelib.adapters.json_logs import (
    current_ids,
    ids_in_payload,
    log_context,
    propagated_ids,
)
from chalicelib.adapters.tracing import CLIENT, SERVER, Span, TraceParent, span

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SAMPLED, UNSAMPLED = f"00-{TRACE}-{PARENT}-01", f"00-{TRACE}-{PARENT}-00"


def written(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [line["span"] for line in lines]


@pytest.mark.parametrize(
    ("header", "is_sampled"),
    [
        (SAMPLED, True),
        (UNSAMPLED, False),
        # Flags that this release does not know are kept to itself.
        (f"00-{TRACE}-{PARENT}-03", True),
        # A later version may have more fields.
        (f"cc-{TRACE}-{PARENT}-01-more", True),
        (f" {SAMPLED} ", True),
    ],
)
def test_a_traceparent_is_read(header: str, is_sampled: bool) -> None:  # noqa: FBT001 -- a case
    assert TraceParent.parse(header) == TraceParent(TRACE, PARENT, is_sampled)


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "nonsense",
        SAMPLED.upper(),
        f"ff-{TRACE}-{PARENT}-01",
        f"00-{TRACE}-{PARENT}-01-more",
        f"00-{'0' * 32}-{PARENT}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE}-{PARENT}",
        f"00-{TRACE[1:]}-{PARENT}-01",
        f"{SAMPLED}\r\nX-Other: 1",
    ],
)
def test_a_malformed_traceparent_counts_as_none(header: str | None) -> None:
    assert TraceParent.parse(header) is None


def test_outside_of_a_trace_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    with span("render", "render") as current:
        assert current is None
        assert "traceparent" not in current_ids()

    assert capsys.readouterr().out == ""


def test_spans_are_nested_and_travel_with_the_ids(capsys: pytest.CaptureFixture[str]) -> None:
    root = Span("POST /v1/renders", "api", SERVER, TraceParent.parse(SAMPLED))
    with log_context(traceparent=root.traceparent):
        payload = propagated_ids()
    root.set(http__route="/v1/renders", http__response__status_code=200, error__type=None)
    root.end()
    with (
        log_context(**ids_in_payload(payload)),
        span("engine", "engine", kind=SERVER) as engine,
    ):
        assert engine is not None
        engine.write_stage("print", 1, 5)
        inner = current_ids()["traceparent"]

    api, stage, engine_span = written(capsys)
    assert {each["traceId"] for each in (api, stage, engine_span)} == {TRACE}
    assert api["parentSpanId"] == PARENT
    assert engine_span["parentSpanId"] == api["spanId"]
    assert stage["parentSpanId"] == engine_span["spanId"]
    assert inner == f"00-{TRACE}-{engine_span['spanId']}-01"
    assert (stage["startTimeUnixNano"], stage["endTimeUnixNano"]) == ("1", "5")
    assert {each["key"]: each["value"] for each in api["attributes"]} == {
        "platen.function": {"stringValue": "api"},
        "http.route": {"stringValue": "/v1/renders"},
        "http.response.status_code": {"intValue": "200"},
    }
    assert int(api["startTimeUnixNano"]) <= int(api["endTimeUnixNano"])


def test_a_request_without_a_traceparent_begins_a_trace() -> None:
    first, second = (Span("GET /", "api", SERVER, None) for _ in range(2))

    assert first.context.trace_id != second.context.trace_id
    assert TraceParent.parse(first.traceparent) == first.context


def test_spans_that_the_caller_does_not_keep_are_not_written_but_go_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with span("deliver webhook", "deliver_webhook", kind=CLIENT, parent=UNSAMPLED) as current:
        assert current is not None
        assert current.traceparent.startswith(f"00-{TRACE}-")
        assert current.traceparent.endswith("-00")

    assert capsys.readouterr().out == ""


def test_an_exception_marks_the_span_without_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="secret"), span("store", "render", parent=SAMPLED):
        raise ValueError("secret of a tenant")

    (failed,) = written(capsys)
    assert failed["status"] == {"code": 2, "message": "ValueError"}
    assert "secret" not in json.dumps(failed)
