"""Unexpected exceptions: the log has their code location and never their message."""

import json
import sys
import threading
from collections.abc import Callable
from typing import Any, Final, NoReturn

import pytest
from botocore.exceptions import ClientError

from chalicelib.adapters import json_logs
from chalicelib.adapters.aws.messages import MAX_RECEIVE_COUNT
from chalicelib.bootstrap.invocation_errors import InvocationError
from chalicelib.core.tracebacks import exception_kind, redacted_traceback
from chalicelib.engine.job import EngineJob
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.builders.storage_uploads import make_destination, render_to
from tests.fakes.engine import html_of

SECRET: Final = "Geheimnis-4711"
NONE: Final = {"type": "binary", "retention": "none"}


def log_lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return the lines of the log; assert that no line contains the document."""
    output = capsys.readouterr()
    assert SECRET not in output.out + output.err
    return [json.loads(line) for line in output.out.splitlines()]


def html(job: EngineJob) -> str:
    return str(html_of(job))


def fail_with_document_in_messages(job: EngineJob) -> NoReturn:
    """Fail as parsers do, with the document in the messages of a chain of exceptions."""
    error = ValueError(f"cannot read {html(job)!r}")
    error.add_note(html(job))
    try:
        raise error
    except ValueError as cause:
        raise KeyError(html(job)) from cause


def fail_with_document_in_names(job: EngineJob) -> NoReturn:
    """Fail with a document in the name of the exception type and in an AWS error."""
    refusal: Any = {"Error": {"Code": html(job), "Message": html(job)}}
    raise ClientError(refusal, html(job))


@pytest.mark.parametrize("fails", [fail_with_document_in_messages, fail_with_document_in_names])
@pytest.mark.parametrize("delivery", [NONE, {"type": "url"}], ids=["none", "kept"])
def test_failed_invocation_logs_code_location_only(
    service: Service,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    fails: Callable[[EngineJob], NoReturn],
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
    errors = [line for line in log_lines(capsys) if line["level"] == "ERROR"]
    assert len(errors) == 2 * len(failures) > 2
    by_engine, by_render_function = errors[::2], errors[1::2]
    for line in errors:
        assert line["message"] == "the invocation failed unexpectedly"
        assert line["render"] == answer.json["render_id"]
    for line in by_engine:
        assert f"in {fails.__name__}" in line["exception"]
        assert "chalicelib/engine/remote/execute.py" in line["exception"]
    for line in by_render_function:
        assert "chalicelib/features/renders/run/execute.py" in line["exception"]
    for failure in failures:
        # The platform logs this exception with all its causes.
        assert failure.__suppress_context__
        assert SECRET not in str(failure)


def test_failed_message_logs_code_location_only(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    service.engine.before_run = fail_with_document_in_messages
    body: dict[str, Any] = {
        "input": {"type": "html", "html": SECRET},
        "delivery": {"retention": "none"},
    }
    render = render_to(service, make_destination(service), **body, mode="async").json
    message = {"v": 1, "workspace_id": service.workspace, "render_id": render["id"]}
    record = {
        "messageId": "m",
        "body": json.dumps(message | {"request_id": "r"}),
        "attributes": {"ApproximateReceiveCount": str(MAX_RECEIVE_COUNT)},
    }
    assert service.serve({"Records": [record]}) == {"batchItemFailures": []}
    service.record_dead_letters("Renders")

    lines = log_lines(capsys)
    assert "message failed" in {line.get("message") for line in lines}
    (letter,) = service.dead_letters("Renders")
    # The engine's own log line says what it was.
    assert letter.reason.startswith("EngineLost: ")
    assert "KeyError" in {line.get("exception_name") for line in lines}
    assert SECRET not in letter.reason


def test_failed_thread_logs_code_location_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> NoReturn:
        raise ValueError(SECRET)

    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)
    json_logs.configure_logging("render")
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()

    (line,) = log_lines(capsys)
    assert line["message"] == "uncaught exception in a thread"
    assert "in fail\nValueError" in line["exception"]


def test_logged_traceback_has_every_cause_and_is_bounded() -> None:
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


def test_aws_error_is_logged_with_operation_and_code() -> None:
    refusal: Any = {"Error": {"Code": "AccessDenied", "Message": SECRET}}

    assert (
        exception_kind(ClientError(refusal, "PutObject")) == "ClientError (PutObject AccessDenied)"
    )
