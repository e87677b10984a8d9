"""Log of a render, the redirect to its files, and what its object says flatly."""

from typing import Any

import pytest

from chalicelib.engine.job import EngineJob
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service


def log_of(service: Service, render_id: str) -> dict[str, Any]:
    """Read the log of a render."""
    answer = service.call("GET", f"/v1/renders/{render_id}/logs")
    assert answer.status == 200, answer.body
    log: dict[str, Any] = answer.json
    return log


def test_log_has_request_response_attempts_and_events(service: Service) -> None:
    service.engine.logs = ("hello",)
    render = service.render(reference="R-1", metadata={"n": 1}).json

    log = log_of(service, render["id"])

    assert (log["object"], log["render_id"], log["logging"]) == ("render_log", render["id"], "full")
    assert log["request"]["input"] == {"type": "html"} | log["request"]["input"]
    assert log["request"]["reference"] == "R-1"
    assert log["request"]["delivery"]["type"] == "url"
    assert log["response"]["status"] == "succeeded"
    assert "url" not in log["response"]["files"][0]
    assert log["logs"] == ["hello"]
    (attempt,) = log["attempts"]
    assert attempt == {
        "number": 1,
        "started_at": render["started_at"],
        "ended_at": render["completed_at"],
        "outcome": "succeeded",
    }
    assert [event["type"] for event in log["events"]] == ["render.succeeded"]
    assert log["created_at"] == render["created_at"]
    assert log["retained_until"] > render["completed_at"]


def test_log_of_a_queued_render_has_no_attempt(service: Service) -> None:
    render = service.render(mode="async").json

    log = log_of(service, render["id"])

    assert (log["attempts"], log["events"], log["retained_until"]) == ([], [], None)
    service.process_queues()
    (attempt,) = log_of(service, render["id"])["attempts"]
    assert (attempt["number"], attempt["outcome"]) == (1, "succeeded")


def test_log_tells_lost_and_last_attempts(service: Service) -> None:
    def die(_job: EngineJob) -> None:
        raise FunctionKilled

    service.engine.before_run = die
    render = service.render(mode="async").json
    for _ in range(2):
        service.redeliver()
        service.clock.advance(minutes=10)
    running = log_of(service, render["id"])["attempts"]
    for _ in range(2):
        service.redeliver()
        service.clock.advance(minutes=10)

    log = log_of(service, render["id"])

    assert [each["outcome"] for each in running] == ["lost", "running"]
    assert running[0]["ended_at"] == running[1]["started_at"]
    assert [(each["number"], each["outcome"]) for each in log["attempts"]] == [
        (1, "lost"),
        (2, "lost"),
        (3, "lost"),
    ]
    assert log["response"]["error"]["code"] == "render_lost"
    assert [event["type"] for event in log["events"]] == ["render.failed"]


def test_log_of_zero_retention_has_neither_request_nor_response(service: Service) -> None:
    delivery = {"type": "base64", "retention": "none"}
    render = service.render(delivery=delivery).json

    log = log_of(service, render["id"])

    assert (log["logging"], log["request"], log["response"]) == ("metadata", None, None)
    assert len(log["attempts"]) == 1


def test_log_of_another_is_not_found(service: Service) -> None:
    render = service.render().json

    answer = service.call("GET", f"/v1/renders/{render['id']}/logs", key=service.test)

    assert answer.code == "render_not_found"


@pytest.mark.parametrize("disposition", [None, "attachment", "inline"])
def test_file_route_redirects_to_a_signed_url(service: Service, disposition: str | None) -> None:
    render = service.render().json
    (file,) = render["files"]
    query = "" if disposition is None else f"?disposition={disposition}"

    answer = service.call("GET", f"/v1/renders/{render['id']}/files/{file['id']}{query}")

    assert answer.status == 302
    location = answer.headers["Location"]
    assert location.startswith(f"https://files.test/files/{file['id']}/")
    fetched = service.call("GET", location.removeprefix("https://files.test"), key=None)
    assert fetched.status == 302
    kind = "inline" if disposition == "inline" else "attachment"
    assert f"response-content-disposition={kind}" in fetched.headers["Location"].lower()
    altered = location.removeprefix("https://files.test").replace("&disposition=inline", "")
    status = service.call("GET", altered, key=None).status
    assert status == (403 if disposition == "inline" else 302)


def test_file_route_refuses_other_and_purged_files(service: Service) -> None:
    render, other = service.render().json, service.render().json
    path = f"/v1/renders/{render['id']}/files"
    (file,) = render["files"]

    assert service.call("GET", f"{path}/{other['files'][0]['id']}").code == "not_found"
    assert service.call("GET", f"{path}/{file['id']}?disposition=x").code == "validation_error"
    assert service.call("GET", f"{path}/{file['id']}", key=service.test).code == "render_not_found"
    service.call("DELETE", path)
    assert service.call("GET", f"{path}/{file['id']}").code == "file_expired"


def test_render_says_flatly_what_it_is(service: Service) -> None:
    render = service.render(output={"formats": ["pdf", "png"]}).json

    flat = ("region", "kind", "input_type", "output_format", "engine_version", "pages")
    assert {name: render[name] for name in flat} == {
        "region": "eu",
        "kind": "page",
        "input_type": "html",
        "output_format": "pdf",
        "engine_version": render["engine"],
        "pages": 2,
    }
    assert (render["template"], render["billed_renders"]) == (None, 1)
    assert "email" not in render
    assert service.call("GET", f"/v1/renders/{render['id']}").json["email"] == []


def test_what_a_browser_would_run_is_saved(service: Service) -> None:
    render = service.render(output={"format": "html"}).json
    (file,) = render["files"]
    path = f"/v1/renders/{render['id']}/files/{file['id']}?disposition=inline"

    location = service.call("GET", path).headers["Location"].removeprefix("https://files.test")
    fetched = service.call("GET", location, key=None).headers["Location"].lower()

    assert "response-content-disposition=attachment" in fetched
