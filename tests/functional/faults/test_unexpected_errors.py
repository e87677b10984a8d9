"""What nobody expected to be raised tells where it came from; what it says stands in no log."""

import json
import sys
import threading
from collections.abc import Callable
from typing import Any, Final, NoReturn

import pytest
from botocore.exceptions import ClientError

from chalicelib.adapters import json_logs
from chalicelib.adapters.aws.messages import MAX_RECEIVE_COUNT
from chalicelib.core.tracebacks import exception_kind, redacted_traceback
from chalicelib.engine.job import Job
from functions.render.serve import InvocationError
from tests.builders.service import FunctionKilled, Service

SECRET: Final = "Geheimnis-4711"
NONE: Final = {"type": "binary", "retention": "none"}


def said(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return the lines of the log; it says nothing of the document, anywhere."""
    output = capsys.readouterr()
    assert SECRET not in output.out + output.err
    return [json.loads(line) for line in output.out.splitlines()]


def html(job: Job) -> str:
    return str(getattr(job.source, "html"))  # noqa: B009 -- of whichever kind it is


def quotes_the_document(job: Job) -> NoReturn:
    """Fail as parsers do, with the document in the texts of a chain of exceptions."""
    error = ValueError(f"cannot read {html(job)!r}")
    error.add_note(html(job))
    try:
        raise error
    except ValueError as cause:
        raise KeyError(html(job)) from cause


def names_the_document(job: Job) -> NoReturn:
    """Fail with a document in the name of the exception's type, and of a refusal of AWS."""
    refusal: Any = {"Error": {"Code": html(job), "Message": html(job)}}
    raise ClientError(refusal, html(job))


@pytest.mark.parametrize("fails", [quotes_the_document, names_the_document])
@pytest.mark.parametrize("delivery", [NONE, {"type": "url"}], ids=["none", "kept"])
def test_an_invocation_that_fails_tells_its_place_only(
    service: Service,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    fails: Callable[[Job], NoReturn],
    delivery: dict[str, str],
) -> None:
    failures: list[InvocationError] = []
    serve = service.serve

    def ended(event: dict[str, Any], invocation: str) -> dict[str, Any]:
        try:
            return serve(event, invocation)
        except InvocationError as failure:
            failures.append(failure)
            raise FunctionKilled from None

    monkeypatch.setattr(service, "serve", ended)
    service.engine.before_run = fails
    answer = service.render(input={"type": "html", "html": SECRET}, delivery=delivery)

    assert answer.code == "render_lost"
    errors = [line for line in said(capsys) if line["level"] == "ERROR"]
    assert len(errors) == len(failures) > 1
    for line in errors:
        assert line["message"] == "render failed unexpectedly"
        assert f"in {fails.__name__}" in line["exception"]
        assert "chalicelib/features/renders/run/execute.py" in line["exception"]
        assert line["render"] == answer.json["render_id"]
    for failure in failures:
        # The platform writes this one down, with all that it comes from.
        assert failure.__suppress_context__
        assert SECRET not in str(failure)


def test_a_message_that_fails_tells_its_place_only(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    service.engine.before_run = quotes_the_document
    body: dict[str, Any] = {
        "input": {"type": "html", "html": SECRET},
        "delivery": {"retention": "none"},
    }
    render = service.render(**body, mode="async").json
    message = {"v": 1, "workspace_id": service.workspace, "render_id": render["id"]}
    record = {
        "messageId": "m",
        "body": json.dumps(message | {"request_id": "r"}),
        "attributes": {"ApproximateReceiveCount": str(MAX_RECEIVE_COUNT)},
    }
    assert service.serve({"Records": [record]}) == {"batchItemFailures": []}
    service.record_dead_letters("Renders")

    lines = said(capsys)
    assert "message failed" in {line.get("message") for line in lines}
    (letter,) = service.dead_letters("Renders")
    assert letter.reason.startswith("KeyError: ")
    assert "test_unexpected.py:" in letter.reason
    assert SECRET not in letter.reason


def test_a_thread_that_ends_tells_its_place_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> NoReturn:
        raise ValueError(SECRET)

    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)
    json_logs.configure_logging("render")
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()

    (line,) = said(capsys)
    assert line["message"] == "uncaught exception in a thread"
    assert "in fail\nValueError" in line["exception"]


def test_a_trace_has_every_cause_and_ends() -> None:
    def recurse() -> NoReturn:
        recurse()

    try:
        try:
            recurse()
        except RecursionError as cause:
            cause.__context__ = OSError(SECRET)
            cause.__context__.__context__ = cause
            raise RuntimeError(SECRET) from cause
    except RuntimeError as error:
        trace = redacted_traceback(error)

    kinds = [line for line in trace.splitlines() if line and line[0].isupper()]
    assert [kind for kind in kinds if ":" not in kind] == [
        "OSError",
        "RecursionError",
        "RuntimeError",
    ]
    assert trace.count("\n") < sys.getrecursionlimit() / 10


def test_a_refusal_of_aws_tells_what_was_refused() -> None:
    refusal: Any = {"Error": {"Code": "AccessDenied", "Message": SECRET}}

    assert (
        exception_kind(ClientError(refusal, "PutObject")) == "ClientError (PutObject AccessDenied)"
    )
