"""`platen render trace`: everything known about one render, in order of time."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.job import EngineJob
from tests.builders.email_sends import connect, deliver_emails, render_with_emails
from tests.builders.lambda_client import FunctionKilled
from tests.builders.operator import OperatorTool
from tests.builders.service import Service
from tests.builders.signed_links import fetch, make_link, renders, sign
from tests.builders.storage_uploads import make_destination, render_to, upload
from tests.fakes.email_provider import FakeProvider
from tests.fakes.store import FakeStore

type Keep = Callable[[], None]


@pytest.fixture
def keep(tool: OperatorTool, capsys: pytest.CaptureFixture[str]) -> Keep:
    """Give a function that writes all lines so far to the log file of a local stack."""

    def put() -> None:
        with (tool.folder / "functions.log").open("a") as log:
            log.write(capsys.readouterr().out)

    return put


def trace(tool: OperatorTool, render_id: str, *more: str) -> Any:
    return tool.json("render", "trace", render_id, *more)


def events(found: Any, source: str | None = None) -> list[str]:
    return [row["event"] for row in found["events"] if source in (None, row["source"])]


def test_trace_shows_a_sync_render_from_its_request_to_its_event(
    tool: OperatorTool, service: Service, keep: Keep
) -> None:
    service.engine.before_run = lambda _job: service.clock.advance(seconds=1)
    render = service.render(headers={"X-Request-Id": "mine"}).json
    service.clock.advance(seconds=1)
    service.relay_events()
    keep()

    found = trace(tool, render["id"])

    state = {
        "render": render["id"],
        "workspace": service.workspace,
        "request_id": "mine",
        "status": "succeeded",
        "error": None,
        "attempt": 1,
        "billed": True,
        "holds_quota": False,
        "holds_lease": False,
        "source": "api",
        "timings": render["timings"],
    }
    assert found.items() >= state.items()
    (file,) = render["files"]
    assert [(row["role"], row["bytes"]) for row in found["objects"]] == [
        (file["id"], file["bytes"])
    ]
    assert events(found, "row") == [
        "accepted",
        "attempt started",
        "succeeded",
        "files expire",
    ]
    assert events(found, "facts") == ["render.succeeded created", "render.succeeded told"]
    assert [row["at"] for row in found["events"]] == sorted(row["at"] for row in found["events"])


def test_trace_includes_the_log_of_the_request(
    tool: OperatorTool, service: Service, keep: Keep
) -> None:
    render = service.render(mode="async", headers={"X-Request-Id": "mine"}).json
    other = service.render(mode="async", headers={"X-Request-Id": "mine"}).json
    service.run_queued()
    service.relay_events()
    keep()

    found = trace(tool, render["id"])

    reported = [row["event"] for row in found["events"] if row["source"] not in {"row", "facts"}]
    assert reported == [
        "render accepted",
        "render queued",
        "request",
        "attempt begun",
        "render ended",
        "event published",
    ]
    assert other["id"] not in json.dumps(found)


def test_trace_shows_every_attempt_of_a_lost_render(tool: OperatorTool, service: Service) -> None:
    def die(_job: EngineJob) -> None:
        raise FunctionKilled

    service.engine.before_run = die
    render = service.render(mode="async").json
    for _ in range(4):
        service.redeliver()
        service.clock.advance(minutes=10)

    found = trace(tool, render["id"])

    assert (found["status"], found["error"]["code"]) == ("failed", "render_lost")
    assert found["attempt"] == 3
    reported = events(found, "row")
    claims = [event for event in reported if event.startswith("attempt ") and "claimed" in event]
    assert [claim.split()[1] for claim in claims] == ["1", "2", "3"]
    assert claims[0].endswith("claimed by delivery-0/m")
    assert "ended from outside: render_lost" in reported


def test_trace_shows_reservation_and_due_time_of_an_unfinished_render(
    tool: OperatorTool, service: Service
) -> None:
    render = service.render(mode="async").json

    found = trace(tool, render["id"])

    assert (found["status"], found["holds_quota"], found["holds_lease"]) == ("queued", True, False)
    assert found["due_at"] == "2026-11-21T12:05:00.000Z"
    assert [(row["role"], row["bytes"] > 0) for row in found["objects"]] == [("body", True)]
    assert events(found, "row") == ["accepted", "free for another attempt", "due"]


def test_trace_shows_the_code_of_a_failure(tool: OperatorTool, service: Service) -> None:
    def fail(_job: EngineJob) -> None:
        raise RenderFailure("template_runtime_error", "n is undefined")

    service.engine.before_run = fail
    service.render()
    render = service.call("GET", "/v1/renders").json["data"][0]

    found = trace(tool, render["id"])

    assert found["error"]["code"] == "template_runtime_error"
    (ended,) = [row for row in found["events"] if row["event"] == "failed"]
    assert ended["detail"] == {"code": "template_runtime_error"}


def test_trace_shows_purged_files_as_gone(tool: OperatorTool, service: Service) -> None:
    render = service.render().json
    service.clock.advance(days=400)
    service.tick()
    service.run_maintenance()

    found = trace(tool, render["id"])

    assert [row["bytes"] for row in found["objects"]] == [None]
    assert "render.expired created" in events(found, "facts")


def test_trace_includes_dead_letters_of_the_render(tool: OperatorTool, service: Service) -> None:
    render = service.render(mode="async").json
    body = {
        "v": 1,
        "kind": "render",
        "pk": f"WS#{service.workspace}#RND#{render['id']}",
        "sk": "OTHER",
    }
    service.send("Maintenance", json.dumps(body))
    service.send("Maintenance", json.dumps(body | {"pk": "WS#another"}))
    service.run_maintenance()
    service.record_dead_letters("Maintenance")

    (row,) = [row for row in trace(tool, render["id"])["events"] if row["source"] == "dead letters"]

    assert row["event"] == "given up by maintenance"
    assert row["detail"]["reason"].startswith("there is no due item")


def test_trace_lists_hundreds_of_files_at_once(tool: OperatorTool, service: Service) -> None:
    service.engine.files = tuple(
        RenderedFile("pdf", b"%PDF", "application/pdf", part=n) for n in range(1, 501)
    )
    made = service.render().json
    gone = service.objects()[0]
    service.clients.s3.delete_object(Bucket=service.settings.bucket, Key=gone)

    sizes = {each["key"]: each["bytes"] for each in trace(tool, made["id"])["objects"]}

    assert len(sizes) == 500
    assert [key for key, size in sizes.items() if size is None] == [gone]


def test_trace_accepts_the_workspace(tool: OperatorTool, service: Service) -> None:
    render = service.render().json
    another = service.create_workspace()

    assert trace(tool, render["id"], "--workspace", service.workspace)["render"] == render["id"]
    refusal = tool.refusal("render", "trace", render["id"], "--workspace", another)
    assert refusal[0] == "render_not_found"


def test_trace_refuses_an_unknown_render(tool: OperatorTool, service: Service) -> None:
    service.render()
    unknown = "rnd_01HZZZZZZZZZZZZZZZZZZZZZZZ"

    reported = tool.refusal("render", "trace", unknown)

    assert reported == ("render_not_found", f"There is no render {unknown} in any workspace.")


@pytest.mark.parametrize("text", ["rnd_1", "WS#", "\x1b[2J", "x" * 100_000, "file_" + "0" * 26])
def test_trace_refuses_an_invalid_id(tool: OperatorTool, text: str) -> None:
    reported = tool.refusal("render", "trace", text)

    assert reported == ("render_not_found", "The id of a render is rnd_ and 26 digits and letters.")


def test_trace_prints_one_row_per_event(tool: OperatorTool, service: Service, keep: Keep) -> None:
    render = service.render(headers={"X-Request-Id": "mine"}).json
    keep()

    lines = tool.table("render", "trace", render["id"])

    assert f"render        {render['id']}" in [line.rstrip() for line in lines]
    assert "events:" in lines
    below = lines[lines.index("events:") + 1 :]
    assert below[0].split() == ["at", "source", "event", "detail"]
    assert max(map(len, lines)) <= 100
    # What goes on below a row is indented.
    rows = [line for line in below[1:] if not line.startswith(" ")]
    assert len(rows) == len(trace(tool, render["id"])["events"])


def test_trace_works_without_a_log_group(tool: OperatorTool, service: Service) -> None:
    render = service.render().json

    found = trace(tool, render["id"])

    assert {row["source"] for row in found["events"]} == {"row", "facts"}


def test_trace_has_the_emails(tool: OperatorTool, service: Service, keep: Keep) -> None:
    render = render_with_emails(service, connect(service))
    deliver_emails(service, FakeProvider())
    keep()

    found = trace(tool, render["id"])

    (email,) = found["emails"]
    assert (email["status"], email["attempts"], email["code"]) == ("sent", 1, None)
    assert events(found, "emails") == ["email", "sent"]
    assert "ada@example.com" not in json.dumps(found)


def test_trace_has_the_uploads(tool: OperatorTool, service: Service, keep: Keep) -> None:
    service.stores = FakeStore().openers
    render = render_to(service, make_destination(service), output={"filename": "secret-key"})
    upload(service)
    keep()

    found = trace(tool, render.json["id"])

    assert events(found, "uploads") == ["upload"]
    (entry,) = [each for each in found["events"] if each["source"] == "uploads"]
    assert "succeeded" in json.dumps(entry)
    assert "secret-key.pdf" not in json.dumps(entry)


def test_trace_names_the_signed_link_of_a_render(tool: OperatorTool, service: Service) -> None:
    link = make_link(service)
    assert fetch(service, sign(link)).status == 200
    (render,) = renders(service)

    found = trace(tool, render["id"])

    assert (found["source"], found["link"]) == ("signed_link", link["id"])
