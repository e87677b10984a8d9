"""Grants of the roles: every action used is granted, and every grant is used."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from botocore.exceptions import ReadTimeoutError

from chalicelib.adapters.aws.table import Write
from chalicelib.core.ids import RandomIdGenerator, RenderId
from chalicelib.features.renders.model import BodyKey
from chalicelib.features.renders.run.bodies import RenderBodies
from chalicelib.features.workspaces.limits.model import ReservationRequest
from infra.package.needs import NEEDS
from tests.builders.aws_actions import OF_THE_PLATFORM, AwsActionRecorder, acting_as
from tests.builders.email_scenarios import emails_of_every_kind
from tests.builders.in_process_aws import MotoAws
from tests.builders.lambda_client import FunctionKilled, LambdaClient
from tests.builders.permission_scenarios import (
    batches_of_every_kind,
    expiring_keys,
    large_engine_calls,
    links_of_every_kind,
    templates_of_every_size,
    uploads_and_files_used_by_renders,
    validated_documents,
    webhooks_of_every_size,
    webhooks_of_requests_and_of_many_endpoints,
)
from tests.builders.queue_scenarios import dead_letters_of_every_queue, unknown_messages
from tests.builders.service import Service
from tests.builders.signed_links import LINKS_PATH, published
from tests.builders.storage_scenarios import storage_of_every_kind
from tests.builders.templates import make_template
from tests.builders.webhooks import ENDPOINTS_PATH, receiver_of

KEY: Final = {"Idempotency-Key": "k"}


def successful_renders(service: Service) -> None:
    with acting_as("APIHandler"):
        service.services.warm_up()
    for key in (service.live, service.test):
        assert service.render(key=key).status == 200
        assert service.render(key=key, mode="async", headers=KEY).status == 202
        assert service.render(key=key, mode="async", headers=KEY).status == 202
    binary: dict[str, Any] = {"delivery": {"type": "binary"}, "headers": {"Idempotency-Key": "b"}}
    assert service.render(**binary).body == service.render(**binary).body
    # These numbers grow when serialized and exceed the limit of an invocation.
    numbers = ",".join(["1e15"] * 700_000)
    body = '{"input":{"type":"html","html":"x"},"data":{"n":[' + numbers + "]}}"
    assert service.call("POST", "/v1/renders", body=body.encode()).status == 200
    service.process_due()
    _kept_answers(service)


def _kept_answers(service: Service) -> None:
    large = {"name": "D", "data": {"text": "x" * 200_000}}
    path = f"{make_template(service)}/datasets"
    link = {"name": "L", "template_id": published(service)}
    for target, body in ((path, large), (LINKS_PATH, link)) * 2:
        assert service.call("POST", target, json_body=body, headers=KEY).status == 201
    other = {"Idempotency-Key": "refused"}
    refused = {"name": "L", "template_id": "tpl_absent"}
    assert service.call("POST", LINKS_PATH, json_body=refused, headers=other).status == 404


def reads(service: Service) -> None:
    render = service.render().json
    address = render["files"][0]["url"].removeprefix("https://files.test")
    path = f"/v1/renders/{render['id']}"
    targets = ["/v1/renders?limit=1", "/v1/renders?status=succeeded", path, f"{path}/logs"]
    assert {service.call("GET", each).status for each in (*targets, "/v1/usage")} == {200}
    assert service.call("GET", "/healthz", key=None).status == 200
    assert service.call("GET", address, key=None).status == 302


def expired_files(service: Service) -> None:
    purged, expired = (service.render().json["id"] for _ in range(2))
    assert service.call("DELETE", f"/v1/renders/{purged}/files").status == 200
    service.clock.advance(days=31)
    service.process_due()
    assert service.call("GET", f"/v1/renders/{expired}").json["files_purged_at"]
    service.process_due()


def failed_renders(service: Service) -> None:
    service.engine.page_count = 5_000
    assert service.render().code == "page_limit_exceeded"
    service.engine.page_count = 2
    service.relay_events()


def late_renders(service: Service) -> None:
    for behavior, status in (("cancel", 408), ("continue", 202)):
        service.invoke_failures = iter([ReadTimeoutError(endpoint_url="https://lambda.test")])
        answer = service.render(timeout_behavior=behavior, headers={"Idempotency-Key": behavior})
        assert answer.status == status
        service.serve(service.last_event)
    service.process_due()


def no_capacity(service: Service) -> Iterator[BaseException]:
    while True:
        service.clock.advance(seconds=6)
        yield LambdaClient.exceptions.TooManyRequestsException()


def renders_without_capacity(service: Service) -> None:
    for behavior, status in (("cancel", 503), ("continue", 202)):
        service.invoke_failures = no_capacity(service)
        answer = service.render(timeout_behavior=behavior, headers={"Idempotency-Key": "room"})
        assert answer.status == status
    service.invoke_failures = iter(())
    service.process_due()


def lost_renders(service: Service) -> None:
    def die(_job: object) -> None:
        raise FunctionKilled

    service.engine.before_run = die
    assert service.render().code == "render_lost"
    service.render(mode="async")
    for _ in range(4):
        service.redeliver()
    service.engine.before_run = lambda _job: None
    service.process_due()


def leftovers(service: Service) -> None:
    waits = service.render(mode="async").json["id"]
    service.run_batch("Renders", lambda _lost: {"batchItemFailures": []})
    service.clock.advance(minutes=5)
    service.process_due()
    assert service.call("GET", f"/v1/renders/{waits}").json["status"] == "succeeded"

    given_up = service.render(mode="async").json["id"]
    service.run_batch("Renders", lambda _lost: {"batchItemFailures": []})
    service.clock.advance(days=2)
    service.process_due()
    assert service.call("GET", f"/v1/renders/{given_up}").json["error"]["code"] == "render_lost"

    workspace, now = service.services.workspaces.get(service.workspace), service.clock.now()
    assert workspace is not None
    never_made = RenderId(RandomIdGenerator().new("rnd", now))
    request = ReservationRequest(never_made, workspace, test=False, lease_until=now)
    service.services.limits.admit(request, now)
    service.clock.advance(minutes=6)
    service.process_due()
    assert service.limits()["holds"] == {}


def used_up_quota(service: Service) -> None:
    plenty = service.operator.limits.get(service.workspace)
    for quota_left, status in ((0, 402), (plenty["quota_left"], 200)):
        item = plenty | {"quota_left": quota_left}
        service.main_table.write(Write(service.main_table, item=item))
        assert service.render().status == status


def reached_thresholds(service: Service) -> None:
    for mode in ("sync", "async"):
        item = service.operator.limits.get(service.workspace)
        almost = {"used": item["included"] // 2 - 1}
        service.main_table.write(Write(service.main_table, item=item | almost))
        service.render(mode=mode)
        service.process_due()


def low_priority_renders(service: Service) -> None:
    render_id = service.render(mode="async", priority="low").json["id"]
    service.run_batch("RendersLow", lambda _lost: {"batchItemFailures": []})
    service.clock.advance(minutes=5)
    service.tick()
    service.run_maintenance()
    assert service.run_queued("RendersLow") == []
    assert service.call("GET", f"/v1/renders/{render_id}").json["status"] == "succeeded"
    service.send("RendersLow", '{"v": 99}')
    assert len(service.run_queued("RendersLow")) == 1
    canceled = service.render(mode="async").json["id"]
    assert service.call("POST", f"/v1/renders/{canceled}/cancel").status == 200
    service.process_due()


def superseded_attempts(service: Service) -> None:
    def second(_job: object) -> None:
        service.engine.before_run = lambda _job: None
        service.serve(service.last_event | {"attempt": 2, "row": None}, "second")

    service.engine.before_run = second
    assert service.render().status == 200
    service.process_due()


def two_requests_with_one_key(service: Service, patch: pytest.MonkeyPatch) -> None:
    keep = RenderBodies.store

    def overtaken(*given: Any) -> BodyKey:
        patch.setattr(RenderBodies, "store", keep)
        first.append(service.render(mode="async", headers={"Idempotency-Key": "two"}).json["id"])
        return keep(*given)

    first: list[str] = []
    patch.setattr(RenderBodies, "store", overtaken)
    second = service.render(mode="async", headers={"Idempotency-Key": "two"}).json["id"]
    assert first == [second]
    service.process_due()


def deleted_workspace(service: Service) -> None:
    workspace = service.operator.create_workspace(
        "Gone", plan="scale", owner="ada@example.com", regions=["eu"]
    ).id
    service.operator.manage_members.verify(workspace, "ada@example.com")
    key = service.key("live", workspace)
    paused = {"url": "https://example.com/", "enabled": False}
    assert service.call("POST", ENDPOINTS_PATH, json_body=paused, key=key).status == 201
    # Its payload is an object.
    metadata = {f"k{n}": "x" * 490 for n in range(40)}
    assert service.render(key=key, metadata=metadata).status == 200
    service.relay_events()
    service.operator.change_status.delete(workspace)
    for days in (30.0001, 1):
        service.clock.advance(days=days)
        service.process_due()
    assert service.operator.workspaces.get(workspace) is None


@pytest.fixture(scope="module")
def recorded_actions(aws: MotoAws) -> Iterator[AwsActionRecorder]:
    """Run every function through all it does; return the recorded actions."""
    service = Service(aws)
    with (
        receiver_of(service) as receiver,
        service.aws_actions.recording(service.clients),
        pytest.MonkeyPatch.context() as patch,
    ):
        successful_renders(service)
        reads(service)
        validated_documents(service)
        uploads_and_files_used_by_renders(service)
        templates_of_every_size(service)
        large_engine_calls(service)
        batches_of_every_kind(service)
        emails_of_every_kind(service)
        storage_of_every_kind(service)
        for scenario in (webhooks_of_every_size, webhooks_of_requests_and_of_many_endpoints):
            scenario(service, receiver)
        links_of_every_kind(service)
        expired_files(service)
        failed_renders(service)
        late_renders(service)
        renders_without_capacity(service)
        lost_renders(service)
        leftovers(service)
        used_up_quota(service)
        reached_thresholds(service)
        low_priority_renders(service)
        superseded_attempts(service)
        two_requests_with_one_key(service, patch)
        expiring_keys(service)
        deleted_workspace(service)
        unknown_messages(service)
        dead_letters_of_every_queue(service)
        yield service.aws_actions


@pytest.mark.breadth
def test_no_grant_is_missing(recorded_actions: AwsActionRecorder) -> None:
    assert recorded_actions.actions_without_grant(NEEDS) == []


def test_no_grant_is_unused(recorded_actions: AwsActionRecorder) -> None:
    spare = {
        function: sorted(grant for grant in grants if grant[0] not in OF_THE_PLATFORM)
        for function, grants in recorded_actions.unused_grants(NEEDS).items()
    }

    assert spare == {function: [] for function in NEEDS}
