"""Maintenance of due items: renders sent again or ended, files after retention, limits."""

import itertools
import json

import pytest

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import RandomIdGenerator, RenderId
from chalicelib.features.workspaces.limits.model import ReservationRequest
from tests.builders.http import ApiAnswer
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service


def status_of(service: Service, render_id: str) -> tuple[str, str | None]:
    render = service.call("GET", f"/v1/renders/{render_id}").json
    return render["status"], (render["error"] or {}).get("code")


def dies(_job: object) -> None:
    raise FunctionKilled


def test_nothing_is_due_at_once(service: Service) -> None:
    service.render(mode="async")

    assert service.tick() == 0


def test_waiting_render_is_sent_again_with_backoff(service: Service) -> None:
    service.render(mode="async")
    service.clients.sqs.purge_queue(QueueUrl=service.settings.renders_queue_url)
    sent = []
    for minute in range(1, 70):
        service.clock.advance(seconds=60)
        service.tick()
        service.run_maintenance()
        waiting = service.clients.sqs.receive_message(
            QueueUrl=service.settings.renders_queue_url,
            MaxNumberOfMessages=10,
            WaitTimeSeconds=0,
        ).get("Messages", [])
        sent += [minute] * len(waiting)

    assert sent[0] == 5
    assert 3 <= len(sent) <= 6
    pauses = [after - before for before, after in itertools.pairwise(sent)]
    assert pauses == sorted(pauses)


def test_render_that_waited_a_day_fails(service: Service) -> None:
    render_id = service.render(mode="async").json["id"]
    service.clients.sqs.purge_queue(QueueUrl=service.settings.renders_queue_url)
    service.clock.advance(days=1, seconds=1)

    service.tick()
    service.process_queues()

    assert status_of(service, render_id) == ("failed", "render_lost")
    assert service.objects() == []
    assert service.limits()["holds"] == {}
    assert service.usage() == {"live_failed": 1, "billed": 0}


def test_duplicate_message_does_not_interrupt_the_running_function(
    service: Service,
) -> None:
    render_id = service.render(mode="async").json["id"]

    def another_message(_job: object) -> None:
        if len(service.engine.jobs) == 1:
            service.redeliver()

    service.engine.before_run = another_message
    service.run_queued()

    assert len(service.engine.jobs) == 1
    assert status_of(service, render_id) == ("succeeded", None)


def test_render_of_a_killed_function_is_taken_over_after_its_deadline(service: Service) -> None:
    render_id = service.render(mode="async").json["id"]
    service.engine.before_run = dies
    service.redeliver()
    service.engine.before_run = lambda _job: None
    service.clients.sqs.purge_queue(QueueUrl=service.settings.renders_queue_url)

    service.clock.advance(minutes=6)
    service.tick()
    service.process_queues()
    assert status_of(service, render_id) == ("processing", None)
    service.clock.advance(minutes=7)
    service.tick()
    service.process_queues()

    assert status_of(service, render_id) == ("succeeded", None)
    assert service.limits()["used"] == 1


def test_sync_render_whose_functions_were_killed_is_lost_and_not_billed(service: Service) -> None:
    def gone(_job: object) -> None:
        raise KeyboardInterrupt

    service.engine.before_run = gone
    with pytest.raises(KeyboardInterrupt):
        service.render()
    render_id = service.call("GET", "/v1/renders").json["data"][0]["id"]

    service.clock.advance(minutes=4, seconds=1)
    service.tick()
    service.process_queues()

    assert status_of(service, render_id) == ("failed", "render_lost")
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (0, {}, {})


@pytest.mark.parametrize(("key", "days"), [("live", 30), ("test", 1)])
def test_files_are_removed_after_their_retention(service: Service, key: str, days: int) -> None:
    render = service.render(key=getattr(service, key)).json
    service.relay_events()
    service.clock.advance(days=days, seconds=-1)
    service.tick()
    service.process_queues()
    assert len(service.objects()) == 1

    service.clock.advance(seconds=2)
    service.tick()
    service.process_queues()

    assert service.objects() == []
    read = service.call("GET", f"/v1/renders/{render['id']}").json
    assert read["files"] == []
    assert read["files_purged_at"] == read["expires_at"]
    kinds = sorted(event["type"] for event in service.events(render["id"]))
    assert kinds == ["render.expired", "render.succeeded"]
    service.clock.advance(minutes=10)
    assert service.tick() == 0


def test_url_of_a_purged_file_answers_gone(service: Service) -> None:
    render = service.render(delivery={"expires_in": 600}).json
    address = render["files"][0]["url"].removeprefix("https://files.test")
    assert service.call("GET", address, key=None).status == 302

    purged = service.call("DELETE", f"/v1/renders/{render['id']}/files")

    assert purged.status == 200
    assert purged.json["files"] == []
    assert purged.json["files_purged_at"] == format_rfc3339(service.clock.now())
    assert service.objects() == []
    assert service.call("GET", address, key=None).code == "file_expired"
    again = service.call("DELETE", f"/v1/renders/{render['id']}/files")
    assert again.json == purged.json
    kinds = sorted(event["type"] for event in service.events(render["id"]))
    assert kinds == ["render.purged", "render.succeeded"]


def test_repeat_of_a_purged_binary_render_answers_gone(service: Service) -> None:
    def binary() -> ApiAnswer:
        return service.render(delivery={"type": "binary"}, headers={"Idempotency-Key": "k"})

    render_id = binary().headers["X-Render-Id"]
    service.call("DELETE", f"/v1/renders/{render_id}/files")

    assert binary().code == "file_expired"


def test_unfinished_render_cannot_be_purged(service: Service) -> None:
    render_id = service.render(mode="async").json["id"]

    answer = service.call("DELETE", f"/v1/renders/{render_id}/files")

    assert (answer.status, answer.code) == (409, "conflict")


def test_purging_needs_its_scope_and_a_visible_render(service: Service) -> None:
    render_id = service.render().json["id"]
    reader = service.key("live", scopes=frozenset({"renders:read"}))
    stranger = service.key("live", service.create_workspace())

    path = f"/v1/renders/{render_id}/files"
    assert service.call("DELETE", path, key=reader).code == "insufficient_scope"
    assert service.call("DELETE", path, key=stranger).code == "render_not_found"
    assert service.call("DELETE", path, key=service.test).code == "render_not_found"
    assert len(service.objects()) == 1


def test_interrupted_purge_is_finished_by_the_tick(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    render_id = service.render().json["id"]

    def killed(**_: object) -> None:
        raise FunctionKilled

    with monkeypatch.context() as broken:
        broken.setattr(service.clients.s3, "delete_objects", killed)
        with pytest.raises(FunctionKilled):
            service.call("DELETE", f"/v1/renders/{render_id}/files")
    assert len(service.objects()) == 1

    service.clock.advance(seconds=61)
    service.tick()
    service.process_queues()

    assert service.objects() == []
    assert [f["type"] for f in service.events(render_id)].count("render.purged") == 1
    (row,) = [item for item in service.rows(render_id) if item["SK"] == "META"]
    assert "due_at" not in row


def test_reservation_of_a_killed_api_function_is_released(service: Service) -> None:
    workspace = service.services.workspaces.get(service.workspace)
    assert workspace is not None
    now = service.clock.now()
    render_id = RenderId(RandomIdGenerator().new("rnd", now))
    service.services.limits.admit(
        ReservationRequest(render_id, workspace, test=False, lease_until=now), now
    )

    service.clock.advance(minutes=5, seconds=1)
    service.tick()
    service.process_queues()

    limits = service.limits()
    assert (limits["holds"], limits["leases"], limits["used"]) == ({}, {}, 0)
    assert limits["quota_left"] == 250_000
    assert "due_at" not in limits


def test_reconciling_ignores_unfinished_renders(service: Service) -> None:
    service.render(mode="async")
    service.clock.advance(minutes=5, seconds=1)
    service.tick()

    service.run_maintenance()

    assert len(service.limits()["holds"]) == 1
    assert service.operator.limits.get(service.workspace)["holds"] == {}, "its row holds"
    assert "due_at" not in service.limits()


def test_message_for_an_unknown_item_is_a_dead_letter(service: Service) -> None:
    items = {
        "render": "WS#ws_x#RND#rnd_x",
        "limits": "WS#ws_x#LIM",
        "key": "KEY#x",
        "template": "WS#ws_x",
        "unicorn": "WS#ws_x#UNI#1",
    }
    for kind, pk in items.items():
        service.send("Maintenance", json.dumps(DueItem(kind, pk).to_json()))
    service.send("Maintenance", json.dumps(DueItem("key", "KEY#x", "DRAFT").to_json()))

    # Another release may know the unknown kind, so its message comes again.
    assert len(service.run_maintenance()) == 1
    assert service.record_dead_letters("Maintenance") == []

    reasons = sorted(letter.reason for letter in service.dead_letters("Maintenance"))
    assert reasons == [
        "there are no limits of ws_x",
        "there is no TPL# in the key WS#ws_x of a due item template",
        "there is no due item KEY#x DRAFT",
        "there is no key x",
        "there is no render rnd_x of ws_x",
    ]
