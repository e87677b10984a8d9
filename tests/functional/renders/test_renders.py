"""`/v1/renders`: HTTP in; answer, rows, objects and events out."""

import hashlib

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.sources import HtmlSource
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.fakes.engine import FAKE_PDF


def test_sync_render_answers_the_finished_render(service: Service) -> None:
    answer = service.render(reference="R-1", metadata={"a": 1}, output={"filename": "Bill 7"})

    assert answer.status == 200, answer.body
    render = answer.json
    assert render["object"] == "render"
    assert render["status"] == "succeeded"
    assert render["reference"] == "R-1"
    assert render["metadata"] == {"a": 1}
    assert render["billed"] is True
    assert render["test"] is False
    (file,) = render["files"]
    assert file["bytes"] == len(FAKE_PDF)
    assert file["sha256"] == hashlib.sha256(FAKE_PDF).hexdigest()
    assert file["pages"] == 2
    assert file["filename"] == "Bill 7.pdf"
    assert render["timings"] == {
        **{name: render["timings"][name] for name in ("queue_ms", "store_ms", "total_ms", "cold")},
        "load_ms": 1,
        "print_ms": 2,
    }


def test_finished_render_is_billed_and_published_once(service: Service) -> None:
    render = service.render().json

    limits = service.limits()
    assert (limits["holds"], limits["leases"], limits["used"]) == ({}, {}, 1)
    assert limits["quota_left"] == 250_000 - 1
    (event,) = service.events(render["id"])
    assert event["type"] == "render.succeeded"
    assert event["due_at"] > event["created_at"]
    assert service.objects() == [f"ws/{service.workspace}/files/{render['id']}/1-0.pdf"]


def test_binary_delivery_answers_the_file(service: Service) -> None:
    answer = service.render(delivery={"type": "binary"}, output={"filename": "ü.pdf"})

    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.body == FAKE_PDF
    assert answer.headers["X-Render-Id"].startswith("rnd_")
    assert "filename*=UTF-8''%C3%BC.pdf" in answer.headers["Content-Disposition"]


def test_file_over_the_response_limit_is_a_redirect(service: Service) -> None:
    service.engine.content = b"x" * 4_300_001

    answer = service.render(delivery={"type": "binary"})

    assert answer.status == 303
    assert "/1-0.pdf?" in answer.headers["Location"]


def test_async_render_is_accepted_then_processed(service: Service) -> None:
    answer = service.render(mode="async", data={"n": 1})

    assert answer.status == 202
    accepted = answer.json
    assert accepted["status"] == "queued"
    assert answer.headers["Location"] == f"https://api.test/v1/renders/{accepted['id']}"
    assert service.objects() == [f"tmp/ws/{service.workspace}/bodies/{accepted['id']}"]

    assert service.run_queued() == []

    read = service.call("GET", f"/v1/renders/{accepted['id']}").json
    assert read["status"] == "succeeded"
    service.relay_events()
    assert service.objects() == [f"ws/{service.workspace}/files/{accepted['id']}/1-0.pdf"]
    assert service.limits()["used"] == 1
    assert service.engine.jobs[0].data == {"n": 1}
    assert service.engine.jobs[0].source == HtmlSource(html="<p>Hello</p>", templating=True)


def test_duplicate_message_renders_once(service: Service) -> None:
    accepted = service.render(mode="async").json
    record = {
        "messageId": "m",
        "body": f'{{"v": 1, "workspace_id": "{service.workspace}", '
        f'"render_id": "{accepted["id"]}", "request_id": "r"}}',
    }

    service.serve({"Records": [record]}, "first")
    service.serve({"Records": [record]}, "second")

    service.relay_events()
    assert len(service.engine.jobs) == 1
    assert service.limits()["used"] == 1
    assert len(service.events(accepted["id"])) == 1


@pytest.mark.parametrize("body", ["{}", '{"v": 2}'])
def test_message_of_another_release_fails_alone(service: Service, body: str) -> None:
    accepted = service.render(mode="async").json
    good = {
        "messageId": "good",
        "receiptHandle": "g",
        "body": f'{{"v": 1, "workspace_id": "{service.workspace}", '
        f'"render_id": "{accepted["id"]}", "request_id": "r"}}',
    }

    bad = {"messageId": "bad", "body": body, "receiptHandle": "r"}
    answer = service.serve({"Records": [bad, good]})

    assert answer == {"batchItemFailures": [{"itemIdentifier": "bad"}]}
    assert service.call("GET", f"/v1/renders/{accepted['id']}").json["status"] == "succeeded"


def test_failed_render_answers_its_code_and_costs_nothing(service: Service) -> None:
    def fail(_job: object) -> None:
        raise RenderFailure("template_runtime_error", "x is undefined", line=3, column=4)

    service.engine.before_run = fail

    answer = service.render()

    assert answer.status == 422
    assert answer.code == "template_runtime_error"
    assert (answer.json["line"], answer.json["column"]) == (3, 4)
    render = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert render["status"] == "failed"
    assert render["error"]["line"] == 3
    assert render["billed"] is False
    limits = service.limits()
    assert (limits["used"], limits["quota_left"], limits["holds"]) == (0, 250_000, {})
    assert [event["type"] for event in service.events(render["id"])] == ["render.failed"]


def test_render_over_the_page_limit_fails_and_stores_nothing(service: Service) -> None:
    service.engine.page_count = 2_001

    answer = service.render()

    assert answer.code == "page_limit_exceeded"
    assert service.objects() == []
    assert service.limits()["used"] == 0


def test_killed_function_is_invoked_again_and_bills_once(service: Service) -> None:
    deaths = iter([True, True, False])

    def die(_job: object) -> None:
        if next(deaths):
            raise FunctionKilled

    service.engine.before_run = die

    answer = service.render()

    assert answer.status == 200
    assert answer.json["status"] == "succeeded"
    assert service.limits()["used"] == 1
    assert service.limits()["leases"] == {}


def test_render_whose_functions_are_all_killed_is_lost_and_costs_nothing(
    service: Service,
) -> None:
    def die(_job: object) -> None:
        raise FunctionKilled

    service.engine.before_run = die

    answer = service.render()

    assert answer.code == "render_lost"
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (0, {}, {})
    assert [event["type"] for event in service.events(answer.json["render_id"])] == [
        "render.failed"
    ]


def test_test_key_makes_unbilled_test_renders(service: Service) -> None:
    render = service.render(key=service.test, test=True).json

    assert render["test"] is True
    assert render["billed"] is False
    assert render["files"][0]["expires_at"].startswith("2026-11-22T")
    assert service.limits()["used"] == 0
    assert service.engine.contexts[0].test is True
    assert service.limits()["leases"] == {}


def test_live_key_cannot_request_a_test_render(service: Service) -> None:
    assert service.render(test=True).code == "test_key_required"
    assert service.engine.jobs == []
