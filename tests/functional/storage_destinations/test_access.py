"""Access to storage destinations: ids, workspaces, plans, scopes."""

import pytest

from tests.builders.email_connections import use_plan
from tests.builders.service import Service
from tests.builders.storage_destinations import (
    PATH,
    S3,
    create_destination,
    made_destination,
    shown_destination,
    stored_rows,
)


@pytest.mark.parametrize("destination_id", ["dst_1", "META", "TEST", "emc_" + "0" * 26, "x" * 99])
def test_what_is_no_id_is_not_found(service: Service, destination_id: str) -> None:
    made_destination(service, is_default=True)

    assert service.call("GET", f"{PATH}/{destination_id}").code == "not_found"
    assert service.call("DELETE", f"{PATH}/{destination_id}").code == "not_found"


def test_destinations_of_other_workspaces_are_not_found(service: Service) -> None:
    destination = made_destination(service, is_default=True)
    other = service.key("live", workspace=service.create_workspace())
    path = f"{PATH}/{destination['id']}"

    for method, url, body in (
        ("GET", path, None),
        ("DELETE", path, None),
        ("PATCH", path, {"is_default": False}),
        ("POST", f"{path}/test", None),
    ):
        assert service.call(method, url, key=other, json_body=body).status == 404
    assert service.call("GET", PATH, key=other).json["data"] == []
    assert shown_destination(service, destination) == destination


def test_plan_without_storage_reads_and_deletes_only(service: Service) -> None:
    destination = made_destination(service)
    path = f"{PATH}/{destination['id']}"
    use_plan(service, "free")

    for method, url, body in (
        ("POST", PATH, {"name": "x", "provider": "s3", "config": S3}),
        ("PATCH", path, {"name": "x"}),
        ("POST", f"{path}/test", None),
    ):
        refused = service.call(method, url, json_body=body)
        assert (refused.status, refused.code) == (402, "plan_feature_unavailable")
        # The rate of requests.
        service.clock.advance(seconds=5)
    assert shown_destination(service, destination) == destination
    assert len(service.call("GET", PATH).json["data"]) == 1
    service.clock.advance(seconds=5)
    assert service.call("DELETE", path).status == 204


def test_starter_has_storage(service: Service) -> None:
    use_plan(service, "starter")

    assert create_destination(service).status == 201


def test_keys_need_the_scopes_of_storage(service: Service) -> None:
    destination = made_destination(service)
    path = f"{PATH}/{destination['id']}"
    reader = service.key("live", scopes=["storage:read"])
    writer = service.key("live", scopes=["storage:write"])
    other = service.key("live", scopes=["renders:read"])

    for url in (PATH, path):
        assert service.call("GET", url, key=reader).status == 200
        assert service.call("GET", url, key=writer).status == 200
        assert service.call("GET", url, key=other).code == "insufficient_scope"
    for method, url in (
        ("POST", PATH),
        ("PATCH", path),
        ("DELETE", path),
        ("POST", f"{path}/test"),
    ):
        refused = service.call(method, url, key=reader, json_body={})
        assert refused.code == "insufficient_scope"


def test_destinations_leave_with_their_workspace(service: Service) -> None:
    made_destination(service, is_default=True)

    service.operator.change_status.delete(service.workspace)
    service.clock.advance(days=31)
    for _ in range(3):
        service.process_due()

    assert stored_rows(service) == []
