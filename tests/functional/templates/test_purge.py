"""Purge of templates too large for one maintenance run: every run continues it."""

import datetime as dt
from typing import Any

import pytest

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import Write
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.templates import handle_due
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.builders.templates import LARGE_HTML, make_template, template_rows
from tests.functional.templates.test_versions import all_template_rows

VERSIONS = 60
# More than one step, less than all: then the time limit ends.
DELETIONS = 35


def versions(service: Service, workspace: WorkspaceId, path: str) -> None:
    """Give a template many versions, each with a source in the bucket."""
    template = path.rpartition("/")[2]
    for number in range(2, VERSIONS + 2):
        key = f"ws/{workspace}/templates/{template}/src_{number}"
        row = {"PK": f"WS#{workspace}#TPL#{template}", "SK": f"VER#{number:06d}", "object_key": key}
        service.main_table.write(Write(service.main_table, item=row))
        service.clients.s3.put_object(Bucket=service.settings.bucket, Key=key, Body=b"x")


def run_to_end(service: Service, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run maintenance until it finishes; return the number of runs."""
    real = Objects.delete
    for go in range(10):
        left = iter(range(DELETIONS))

        def delete(*given: Any, left: Any = left) -> None:
            if next(left, None) is None:
                raise FunctionKilled
            real(*given)

        service.clock.advance(minutes=6)
        service.tick()
        with monkeypatch.context() as short:
            short.setattr(Objects, "delete", delete)
            try:
                assert service.run_maintenance() == []
            except FunctionKilled:
                continue
        if service.objects() == []:
            return go
    return 10


def test_purge_finishes_over_several_runs(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_template(service)
    versions(service, service.workspace, path)
    service.call("DELETE", path)
    service.clock.advance(days=30)

    assert 0 < run_to_end(service, monkeypatch) < VERSIONS / 20

    assert template_rows(service, path) == []


def test_purge_finds_the_rows_that_other_reads_do_not_show_yet(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_template(service, html=LARGE_HTML)
    service.call("DELETE", path)
    service.clock.advance(days=30)
    query = service.clients.dynamodb.query

    def lagging_query(**request: Any) -> Any:
        is_current = request.get("ConsistentRead") or "IndexName" in request
        return query(**request) if is_current else {"Items": [], "ScannedCount": 0}

    # An instance attribute: the client gets its methods from `__getattr__`.
    monkeypatch.setattr(service.clients.dynamodb, "query", lagging_query, raising=False)

    service.tick()
    service.run_maintenance()

    assert service.objects() == []
    assert template_rows(service, path) == []


def test_deletion_of_a_large_workspace_finishes(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = service.create_workspace()
    path = make_template(service, key=service.key("live", workspace))
    versions(service, workspace, path)
    service.operator.change_status.delete(workspace)
    service.clock.advance(days=31)

    assert 0 < run_to_end(service, monkeypatch) < VERSIONS / 20

    assert not [item for item in all_template_rows(service) if workspace in item["PK"]["S"]]


def test_purge_leaves_time_for_other_items(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_template(service)
    versions(service, service.workspace, path)
    service.call("DELETE", path)
    service.clock.advance(days=30, seconds=1)
    monkeypatch.setattr(handle_due, "_TIME_LIMIT", dt.timedelta(seconds=-1))
    service.tick()
    before = len(template_rows(service, path))

    assert service.run_maintenance() == []

    assert 0 < len(template_rows(service, path)) < before
    service.clock.advance(seconds=1)
    for _ in range(3):
        assert service.tick() == 1, "the next tick goes on"
        service.run_maintenance()
    assert (template_rows(service, path), service.objects(), service.tick()) == ([], [], 0)
