"""Functions killed or failing at bad moments leave no file, lease or reservation behind."""

from typing import Any, NoReturn

import pytest

from chalicelib.adapters.aws.remote_schemas import RemoteSchemas
from chalicelib.adapters.aws.table import Throttled
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.builders.templates import make_template, render_template


def test_file_stored_by_a_killed_function_after_the_purge_is_removed(
    service: Service,
) -> None:
    render_id = service.render(mode="async").json["id"]

    def purged(_job: Any) -> None:
        for method, rest in (("POST", "cancel"), ("DELETE", "files")):
            assert service.call(method, f"/v1/renders/{render_id}/{rest}").status == 200
        service.relay_events()
        service.kill_before_commit = True

    service.engine.before_run = purged
    with pytest.raises(FunctionKilled):
        service.run_queued()
    assert len(service.objects()) == 1

    service.clock.advance(minutes=8)
    service.tick()
    assert service.run_maintenance() == []

    assert service.objects() == []
    assert service.tick() == 0
    limits = service.limits()
    assert (limits["used"], limits["holds"]) == (0, {})


def test_late_file_of_a_killed_attempt_expires_with_the_retention(service: Service) -> None:
    render_id = service.render(mode="async").json["id"]
    service.kill_before_commit = True
    with pytest.raises(FunctionKilled):
        service.run_queued()
    (late,) = [key for key in service.objects() if "/files/" in key]
    service.clock.advance(minutes=8)
    service.tick()
    service.run_maintenance()
    service.run_queued()
    service.relay_events()
    (named,) = service.objects()
    assert late != named

    service.clients.s3.put_object(Bucket=service.settings.bucket, Key=late, Body=b"%PDF late")
    service.clock.advance(days=31)
    service.tick()
    service.run_maintenance()

    assert service.call("GET", f"/v1/renders/{render_id}").json["status"] == "succeeded"
    assert service.objects() == []


@pytest.mark.parametrize(
    ("fails_at", "mode"), [("schemas.validate", "sync"), ("bodies.store", "async")]
)
@pytest.mark.parametrize("also", ["", "limits.settle"])
def test_bug_before_the_render_is_created_releases_the_lease(
    service: Service, monkeypatch: pytest.MonkeyPatch, fails_at: str, mode: str, also: str
) -> None:
    def fails(*_: object, **__: object) -> NoReturn:
        raise BrokenPipeError

    path = make_template(service, schema={"required": ["n"]}, publish=True)
    for place in filter(None, (fails_at, also)):
        part, _, method = place.partition(".")
        owner = RemoteSchemas if part == "schemas" else type(getattr(service.services.state, part))
        fault = has_no_capacity if place == also else fails
        monkeypatch.setattr(owner, method, fault)

    assert render_template(service, path, mode=mode, data={"n": 1}).code == "internal_error"

    limits = service.limits()
    kept = 1 if also else 0
    assert (limits["used"], len(limits["holds"])) == (0, kept)
    assert len(limits["leases"]) == (kept if mode == "sync" else 0)


@pytest.mark.parametrize("deletes", [True, False])
def test_body_stored_by_a_failed_call_is_removed(
    service: Service, monkeypatch: pytest.MonkeyPatch, *, deletes: bool
) -> None:
    bodies = type(service.services.state.bodies)
    keep = bodies.store

    def store_without_response(*call: Any) -> NoReturn:
        keep(*call)
        raise BrokenPipeError

    with monkeypatch.context() as failing:
        failing.setattr(bodies, "store", store_without_response)
        if not deletes:
            failing.setattr(bodies, "delete", has_no_capacity)
        assert service.render(mode="async").code == "internal_error"
    left = 0 if deletes else 1
    assert (len(service.objects()), len(service.limits()["holds"])) == (left, left)

    service.clock.advance(minutes=8)
    service.tick()
    service.run_maintenance()

    assert service.objects() == []
    assert service.limits()["holds"] == {}


def has_no_capacity(*_: object, **__: object) -> NoReturn:
    raise Throttled
