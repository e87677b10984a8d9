"""Zero retention: no part of the document is stored, queued or logged, for every outcome."""

import base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from botocore.exceptions import ReadTimeoutError

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import JobContext, RenderedFile, RenderTrace, RenderWarning
from chalicelib.engine.job import EngineJob, RenderOutcome
from tests.builders.lambda_client import FunctionKilled, LambdaClient
from tests.builders.service import Service
from tests.builders.stored_text import as_text, stored_text

SECRET: Final = "Geheimnis-4711-Überweisung"
CONTENT: Final = f"%PDF {SECRET} %%EOF".encode()
KEY: Final = {"Idempotency-Key": "k"}


def request(**more: Any) -> dict[str, Any]:
    """Return a request with the secret in every field that can carry text."""
    attached = {"content": base64.b64encode(CONTENT).decode(), "filename": f"{SECRET}.xml"}
    return {
        "input": {"type": "html", "html": f"<p>{SECRET}", "head": f"<title>{SECRET}</title>"},
        "data": {SECRET: [SECRET]},
        "output": {
            "filename": SECRET,
            "http": {"headers": {"X-Secret": SECRET.encode("ascii", "ignore").decode()}},
            "wait": {"selector": SECRET, "expression": f"'{SECRET}'"},
            "pdf": {
                "header": {"enabled": True, "html": SECRET},
                "first_footer": {"enabled": True, "left": SECRET},
                "metadata": {"title": SECRET, "keywords": [SECRET]},
                "watermark": {"text": SECRET},
                "attachments": [attached],
            },
        },
        "delivery": {"type": "binary", "retention": "none"},
    } | more


class LeakingEngine:
    """Engine whose documents, warnings, logs and failures contain the secret."""

    def __init__(self, service: Service) -> None:
        self.fails = False
        self.before: Callable[[EngineJob], None] = lambda _job: None
        service.engine.run = self.run  # type: ignore[method-assign]

    def run(self, job: EngineJob, context: JobContext) -> RenderOutcome:
        del context
        self.before(job)
        trace = RenderTrace(
            warnings=(RenderWarning("asset_failed", SECRET, SECRET),),
            logs=(f"log: {SECRET}",),
            timings={"load_ms": 1},
            explain={"fonts": [{"requested": SECRET, "used": SECRET}], "wait": SECRET},
        )
        if self.fails:
            raise RenderFailure(
                "template_runtime_error", SECRET, line=1, column=2, excerpt=SECRET, trace=trace
            )
        file = RenderedFile("pdf", CONTENT, "application/pdf", pages=1)
        return RenderOutcome((file,), trace, is_cold_start=False, filename=SECRET)


@contextmanager
def recording_requests(service: Service) -> Iterator[list[str]]:
    """Record everything sent to tables, bucket and queues."""
    sent: list[str] = []
    clients = service.clients
    all_events = [client.meta.events for client in (clients.dynamodb, clients.s3, clients.sqs)]

    def record(*, params: Any, **_: Any) -> None:
        sent.append(as_text(params))

    for events in all_events:
        events.register("before-parameter-build", record)
    yield sent
    for events in all_events:
        events.unregister("before-parameter-build", record)


def secrets_in(text: str) -> list[str]:
    """Return the forms of the secret in a text: plain, cut, or in base64."""
    forms = [SECRET, "Geheimnis-4711", SECRET.encode("ascii", "ignore").decode()]
    for shift in range(3):
        coded = base64.b64encode(b"x" * shift + SECRET.encode())
        forms.append(coded[4 : len(coded) - 4].decode())
    return [form for form in forms if form in text]


def process_queues(service: Service) -> None:
    for _ in range(2):
        service.relay_events()
        service.clock.advance(minutes=8)
        service.tick()
        service.run_maintenance()
        service.run_queued()


def die(_job: EngineJob) -> None:
    raise FunctionKilled


def no_capacity(service: Service) -> Iterator[BaseException]:
    while True:
        service.clock.advance(seconds=6)
        yield LambdaClient.exceptions.TooManyRequestsException()


def succeeds(service: Service, engine: LeakingEngine) -> None:
    del engine
    answer = service.render(**request(), headers=KEY)
    assert (answer.status, answer.body) == (200, CONTENT)
    again = service.render(**request(), headers=KEY)
    assert (again.status, again.json["status"], again.json["files"]) == (200, "succeeded", [])
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json["id"] == answer.headers["X-Render-Id"]
    assert again.json["billed"] is True


def succeeds_in_base64(service: Service, engine: LeakingEngine) -> None:
    del engine
    answer = service.render(**request(delivery={"type": "base64", "retention": "none"}))
    (file,) = answer.json["files"]
    assert (answer.status, base64.b64decode(file["content_base64"])) == (200, CONTENT)


def shows_a_url(service: Service, engine: LeakingEngine) -> None:
    del engine
    address = "https://example.com/" + SECRET.encode("ascii", "ignore").decode()
    answer = service.render(**request(input={"type": "url", "url": address}, data=None))
    assert answer.status == 200
    render = service.call("GET", f"/v1/renders/{answer.headers['X-Render-Id']}").json
    assert render["input"] == {"type": "url"}


def fails(service: Service, engine: LeakingEngine) -> None:
    engine.fails = True
    answer = service.render(**request(), headers=KEY)
    assert answer.code == "template_runtime_error"
    assert answer.json["excerpt"] == SECRET
    again = service.render(**request(), headers=KEY)
    assert (again.code, "excerpt" in again.json) == ("template_runtime_error", False)
    render = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert render["error"]["code"] == "template_runtime_error"


def is_late(service: Service, engine: LeakingEngine) -> None:
    del engine
    service.invoke_failures = iter([ReadTimeoutError(endpoint_url="https://lambda.test")])
    assert service.render(**request()).code == "render_timeout"
    # The function continues and finishes too late.
    service.serve(service.last_event)


def dies_once(service: Service, engine: LeakingEngine) -> None:
    del engine
    service.kill_before_commit = False
    service.invoke_failures = iter([FunctionKilled()])
    assert service.render(**request()).body == CONTENT


def dies_before_its_final_state(service: Service, engine: LeakingEngine) -> None:
    def arm(_job: EngineJob) -> None:
        engine.before = lambda _job: None
        service.kill_before_commit = True

    engine.before = arm
    assert service.render(**request()).body == CONTENT


def dies_always(service: Service, engine: LeakingEngine) -> None:
    engine.before = die
    assert service.render(**request()).code == "render_lost"


def finds_no_capacity(service: Service, engine: LeakingEngine) -> None:
    del engine
    service.invoke_failures = no_capacity(service)
    assert service.render(**request()).code == "region_degraded"


def is_left_by_a_killed_caller(service: Service, engine: LeakingEngine) -> None:
    class ApiKilled(BaseException):
        """Death of the API function's process."""

    del engine
    service.invoke_failures = iter([ApiKilled()])
    with pytest.raises(ApiKilled):
        service.render(**request(), headers=KEY)
    service.clock.advance(seconds=40)
    assert service.render(**request(), headers=KEY).body == CONTENT


ENDS: Final = (
    succeeds,
    succeeds_in_base64,
    shows_a_url,
    fails,
    is_late,
    dies_once,
    dies_before_its_final_state,
    dies_always,
    finds_no_capacity,
    is_left_by_a_killed_caller,
)


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
def test_nothing_of_the_document_is_stored_sent_or_logged(
    service: Service,
    end: Callable[[Service, LeakingEngine], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    engine = LeakingEngine(service)
    service.clients.s3.put_bucket_versioning(
        Bucket=service.settings.bucket, VersioningConfiguration={"Status": "Enabled"}
    )

    with recording_requests(service) as sent:
        end(service, engine)
        process_queues(service)

    logged = capsys.readouterr()
    assert sent
    assert secrets_in(" ".join(sent)) == []
    assert secrets_in(stored_text(service)) == []
    assert secrets_in(as_text([logged.out, logged.err])) == []
    assert service.limits()["holds"] == service.limits()["leases"] == {}


@pytest.mark.parametrize("end", [succeeds_in_base64, fails], ids=["success", "failure"])
def test_control_default_retention_is_detected(
    service: Service, end: Callable[[Service, LeakingEngine], None]
) -> None:
    engine = LeakingEngine(service)
    engine.fails = end is fails

    with recording_requests(service) as sent:
        service.render(**request(delivery={"type": "binary"}))

    assert secrets_in(" ".join(sent))
    assert secrets_in(stored_text(service))


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("type_", [None, "none"])
def test_files_that_would_go_nowhere_are_refused(
    service: Service, mode: str, type_: str | None
) -> None:
    LeakingEngine(service)

    answer = service.render(**request(mode=mode, delivery={"retention": "none", "type": type_}))

    assert (answer.status, answer.pointers) == (400, ["/delivery/retention"])
    assert secrets_in(stored_text(service)) == []
