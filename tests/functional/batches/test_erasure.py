"""Erasure of batches: with their workspace, past their retention, and if never accepted."""

import pytest

from chalicelib.features.batches.accept import AcceptBatch
from tests.builders.batches import (
    BATCHES_PATH,
    batch_at,
    fail_items,
    items_at,
    make_batch,
    post_batch,
    published_template,
)
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service


def batch_objects(service: Service) -> list[str]:
    return [key for key in service.objects() if "/batches/" in key]


def batch_partitions(service: Service) -> list[str]:
    rows = service.clients.dynamodb.scan(TableName=service.settings.main_table)["Items"]
    return sorted({row["PK"]["S"] for row in rows if "#BAT" in row["PK"]["S"]})


def days_pass(service: Service, days: float) -> None:
    service.clock.advance(days=days)
    for _ in range(17):
        service.tick()
        while service.run_maintenance() or service.relay_events():
            pass
        service.clock.advance(seconds=61)


def test_workspace_takes_its_batches_with_it(service: Service) -> None:
    service.workspace = service.create_workspace()
    service.live = service.key("live")
    template_id = published_template(service)
    fail_items(service, {1})
    make_batch(service, 3, template_id=template_id)
    service.run_batches()
    make_batch(service, 2, template_id=template_id)
    service.release_batches()
    assert batch_objects(service)

    service.operator.change_status.delete(service.workspace)
    days_pass(service, 30.2)

    assert batch_objects(service) == []
    assert [pk for pk in batch_partitions(service) if service.workspace in pk] == []


def test_data_go_with_the_retention_and_the_batch_stays(service: Service) -> None:
    path = make_batch(service, 3, delivery={"retention_days": 2})
    service.run_batches()
    before = batch_at(service, path), items_at(service, path)
    service.clock.advance(days=2, seconds=-1)
    service.process_due()
    assert len(batch_objects(service)) == 2

    service.clock.advance(seconds=62)
    service.process_due()

    assert batch_objects(service) == []
    assert (batch_at(service, path), items_at(service, path)) == before
    assert service.tick() == 0 or service.run_maintenance() == []


def test_data_of_a_running_or_retried_batch_stay(service: Service) -> None:
    fail_items(service, {0})
    path = make_batch(service, 2, key=service.test)
    service.run_batches()
    service.clock.advance(hours=23)
    service.call("POST", f"{path}/retry-failed")
    service.clock.advance(hours=2)

    service.tick()
    service.run_maintenance()

    assert len(batch_objects(service)) == 2
    fail_items(service, set())
    service.run_batches()
    assert batch_at(service, path)["succeeded"] == 2


def test_batch_that_was_never_accepted_is_forgotten(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    template_id = published_template(service)

    def die(*_: object) -> None:
        raise FunctionKilled

    with monkeypatch.context() as broken:
        broken.setattr(AcceptBatch, "_commit", die)
        with pytest.raises(FunctionKilled):
            post_batch(service, 3, template_id=template_id)
    assert service.call("GET", BATCHES_PATH).json["data"] == []
    assert len(batch_objects(service)) == 2
    service.clock.advance(minutes=9)
    service.process_due()
    assert len(batch_objects(service)) == 2

    service.clock.advance(minutes=2)
    service.process_due()

    assert batch_objects(service) == []
    assert batch_partitions(service) == []
    assert service.dead_letters("Maintenance") == []
