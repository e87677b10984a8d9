"""What the functions ask of AWS is what their roles grant: nothing is missing, nothing is spare."""

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from botocore.exceptions import ReadTimeoutError

from chalicelib.core.ids import RandomIds, RenderId
from chalicelib.features.renders.bodies import Bodies
from chalicelib.features.workspaces.limits import Claim
from infra.package.needs import NEEDS
from tests.builders.grants import Overheard, serving
from tests.builders.service import Aws, FunctionKilled, LambdaClient, Service
from tests.builders.templates import LARGE, from_template, make, put
from tests.builders.uploads import arrive
from tests.builders.verdicts import fetching

KEY: Final = {"Idempotency-Key": "k"}
QUEUES: Final = ("Renders", "Events", "Upkeep")
# Used by the platform, with the function's role: it writes the log and feeds the function.
OF_THE_PLATFORM: Final = {
    "logs:CreateLogGroup",
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "sqs:ReceiveMessage",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
}


def settle_down(service: Service) -> None:
    """Work off everything that is due or queued."""
    service.tick()
    for _ in range(3):
        service.look_after()
        service.work_off_queue()
        service.relay_facts()


def renders_that_go_well(service: Service) -> None:
    with serving("APIHandler"):
        service.services.warm()
    for key in (service.live, service.test):
        assert service.render(key=key).status == 200
        assert service.render(key=key, mode="async", headers=KEY).status == 202
        assert service.render(key=key, mode="async", headers=KEY).status == 202
    binary: dict[str, Any] = {"delivery": {"type": "binary"}, "headers": {"Idempotency-Key": "b"}}
    assert service.render(**binary).body == service.render(**binary).body
    # Rewritten, these numbers are too long for an invocation.
    numbers = ",".join(["1e15"] * 700_000)
    body = '{"input":{"type":"html","html":"x"},"data":{"n":[' + numbers + "]}}"
    assert service.call("POST", "/v1/renders", body=body.encode()).status == 200
    settle_down(service)


def what_is_read(service: Service) -> None:
    render = service.render().json
    address = render["files"][0]["url"].removeprefix("https://files.test")
    targets = ["/v1/renders?limit=1", "/v1/renders?status=succeeded", f"/v1/renders/{render['id']}"]
    assert [service.call("GET", target).status for target in targets] == [200] * 3
    assert service.call("GET", "/v1/usage").status == 200
    assert service.call("GET", "/healthz", key=None).status == 200
    assert service.call("GET", address, key=None).status == 302


def documents_to_be_judged(service: Service) -> None:
    with fetching(service):
        assert service.render(output={"pdf": {"pdfa": "3b"}}).status == 200


def uploads_that_a_render_names(service: Service) -> None:
    announced = {"filename": "a.html", "content_type": "text/html", "bytes": 4}
    upload = service.call("POST", "/v1/uploads", json_body=announced).json
    arrive(service, upload["id"], b"<p>x")
    wanted = {"type": "html", "upload_id": upload["id"], "templating": True}
    answer = service.render(input=wanted)
    assert answer.status == 200
    assert service.call("DELETE", f"/v1/uploads/{upload['id']}").status == 204


def templates_of_every_size(service: Service) -> None:
    for html in ("<p>", LARGE):
        path = make(service, html=html, publish=True)
        assert put(service, path, html=html + "2").status == 200
        assert put(service, path, html=html + "3").status == 200
        assert service.call("GET", f"{path}/draft").status == 200
        assert service.call("GET", f"{path}/versions").status == 200
        assert from_template(service, path).status == 200
        dataset = service.call("POST", f"{path}/datasets", json_body={"name": "A", "data": {}})
        place = f"{path}/datasets/{dataset.json['id']}"
        assert service.call("DELETE", place).status == 204
        assert service.call("DELETE", path).status == 200
    service.clock.forward(days=30)
    settle_down(service)
    assert service.call("GET", "/v1/templates?deleted=true").json["data"] == []


def files_that_end(service: Service) -> None:
    purged, expired = (service.render().json["id"] for _ in range(2))
    assert service.call("DELETE", f"/v1/renders/{purged}/files").status == 200
    service.clock.forward(days=31)
    settle_down(service)
    assert service.call("GET", f"/v1/renders/{expired}").json["files_purged_at"]
    settle_down(service)


def renders_that_fail(service: Service) -> None:
    service.engine.pages = 5_000
    assert service.render().code == "page_limit_exceeded"
    service.engine.pages = 2
    service.relay_facts()


def renders_that_are_late(service: Service) -> None:
    for behavior, status in (("cancel", 408), ("continue", 202)):
        service.invocations = iter([ReadTimeoutError(endpoint_url="https://lambda.test")])
        answer = service.render(timeout_behavior=behavior, headers={"Idempotency-Key": behavior})
        assert answer.status == status
        service.serve(service.last_event)
    settle_down(service)


def no_room(service: Service) -> Iterator[BaseException]:
    while True:
        service.clock.forward(seconds=6)
        yield LambdaClient.exceptions.TooManyRequestsException()


def renders_without_room(service: Service) -> None:
    for behavior, status in (("cancel", 503), ("continue", 202)):
        service.invocations = no_room(service)
        answer = service.render(timeout_behavior=behavior, headers={"Idempotency-Key": "room"})
        assert answer.status == status
    service.invocations = iter(())
    settle_down(service)


def renders_that_are_lost(service: Service) -> None:
    def die(_job: object) -> None:
        raise FunctionKilled

    service.engine.before = die
    assert service.render().code == "render_lost"
    service.render(mode="async")
    for _ in range(4):
        service.deliver_again()
    service.engine.before = lambda _job: None
    settle_down(service)


def upkeep_of_what_was_left(service: Service) -> None:
    waits = service.render(mode="async").json["id"]
    service.work_off("Renders", lambda _lost: {"batchItemFailures": []})
    service.clock.forward(minutes=2)
    settle_down(service)
    assert service.call("GET", f"/v1/renders/{waits}").json["status"] == "succeeded"

    given_up = service.render(mode="async").json["id"]
    service.work_off("Renders", lambda _lost: {"batchItemFailures": []})
    service.clock.forward(days=2)
    settle_down(service)
    assert service.call("GET", f"/v1/renders/{given_up}").json["error"]["code"] == "render_lost"

    workspace = service.services.workspaces.get(service.workspace)
    assert workspace is not None
    now = service.clock.now()
    never_made = RenderId(RandomIds().new("rnd", now))
    service.services.limits.admit(Claim(never_made, workspace, test=False, lease_until=now), now)
    service.clock.forward(minutes=6)
    settle_down(service)
    assert service.limits()["holds"] == {}


def renders_that_can_wait(service: Service) -> None:
    render_id = service.render(mode="async", priority="low").json["id"]
    service.work_off("RendersLow", lambda _lost: {"batchItemFailures": []})
    service.clock.forward(minutes=2)
    service.tick()
    service.look_after()
    assert service.work_off_queue("RendersLow") == []
    assert service.call("GET", f"/v1/renders/{render_id}").json["status"] == "succeeded"
    service.send("RendersLow", '{"v": 99}')
    assert len(service.work_off_queue("RendersLow")) == 1
    canceled = service.render(mode="async").json["id"]
    assert service.call("POST", f"/v1/renders/{canceled}/cancel").status == 200
    settle_down(service)


def attempts_that_are_overtaken(service: Service) -> None:
    def second(_job: object) -> None:
        service.engine.before = lambda _job: None
        service.serve(service.last_event | {"attempt": 2, "row": None}, "second")

    service.engine.before = second
    assert service.render().status == 200
    settle_down(service)


def two_requests_with_one_key(service: Service, patch: pytest.MonkeyPatch) -> None:
    keep = Bodies.keep

    def overtaken(*given: Any) -> str:
        patch.setattr(Bodies, "keep", keep)
        first.append(service.render(mode="async", headers={"Idempotency-Key": "two"}).json["id"])
        return keep(*given)

    first: list[str] = []
    patch.setattr(Bodies, "keep", overtaken)
    second = service.render(mode="async", headers={"Idempotency-Key": "two"}).json["id"]
    assert first == [second]
    settle_down(service)


def a_workspace_that_is_deleted(service: Service) -> None:
    workspace = service.operator.create_workspace(
        "Gone", plan="scale", owner="ada@example.com", regions=["eu"]
    ).id
    service.operator.manage_members.verify(workspace, "ada@example.com")
    assert service.render(key=service.key("live", workspace)).status == 200
    service.operator.change_status.delete(workspace)
    service.clock.forward(days=31)
    settle_down(service)
    assert service.operator.workspaces.get(workspace) is None


def keys_that_expire(service: Service) -> None:
    service.key("live", expires_at=service.clock.now() + dt.timedelta(days=20))
    service.clock.forward(days=7)
    settle_down(service)


def messages_that_nobody_understands(service: Service) -> None:
    work = (service.work_off_queue, service.relay_facts, service.look_after)
    for queue, work_off in zip(QUEUES, work, strict=True):
        service.send(queue, "}{")
        assert work_off() == []
        service.send(queue, json.dumps({"v": 2}))
        assert len(work_off()) == 1


def dead_letters_of_every_queue(service: Service) -> None:
    render_id = service.render(mode="async").json["id"]
    subject = f"WS#{service.workspace}#RND#{render_id}"
    ids = {"workspace_id": service.workspace, "render_id": render_id, "request_id": "r"}
    bodies: tuple[dict[str, Any], ...] = (
        ids,
        {"subject": subject, "sort_key": "FACT#evt_1"},
        {"pk": subject, "sk": "META"},
    )
    for queue, body in zip(QUEUES, bodies, strict=True):
        service.clients.sqs.send_message(
            QueueUrl=service.made[f"{queue}DeadLetters"]["Ref"],
            MessageBody=json.dumps({"v": 1} | body),
        )
        assert service.bury(queue) == []
    assert service.call("GET", f"/v1/renders/{render_id}").json["error"]["code"] == "render_lost"
    settle_down(service)


@pytest.fixture(scope="module")
def overheard(aws: Aws) -> Iterator[Overheard]:
    """Let every function do everything that it does."""
    service = Service(aws)
    with service.overheard.listening(service.clients), pytest.MonkeyPatch.context() as patch:
        renders_that_go_well(service)
        what_is_read(service)
        documents_to_be_judged(service)
        uploads_that_a_render_names(service)
        templates_of_every_size(service)
        files_that_end(service)
        renders_that_fail(service)
        renders_that_are_late(service)
        renders_without_room(service)
        renders_that_are_lost(service)
        upkeep_of_what_was_left(service)
        renders_that_can_wait(service)
        attempts_that_are_overtaken(service)
        two_requests_with_one_key(service, patch)
        keys_that_expire(service)
        a_workspace_that_is_deleted(service)
        messages_that_nobody_understands(service)
        dead_letters_of_every_queue(service)
        yield service.overheard


def test_no_grant_is_missing(overheard: Overheard) -> None:
    assert overheard.refused(NEEDS) == []


def test_no_grant_is_spare(overheard: Overheard) -> None:
    spare = {
        function: sorted(grant for grant in grants if grant[0] not in OF_THE_PLATFORM)
        for function, grants in overheard.unused(NEEDS).items()
    }

    assert spare == {function: [] for function in NEEDS}
