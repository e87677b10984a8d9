"""Steps that AWS takes by itself: objects and rows whose time has ended go, and no others."""

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.stores import StackStores
from tests.builders.waiting import eventually

pytestmark = pytest.mark.integration
DAY_S = 86_400


def object_files(server: RunningServer) -> Iterator[Path]:
    yield from (each for each in (server.data / "objects").rglob("=*") if each.is_file())


def test_expired_objects_go_at_the_next_start(server: RunningServer, tenant: RunningStack) -> None:
    stores = StackStores(tenant)
    names = ("tmp/uploads/old", "tmp/uploads/new", "log/old", "ws/old")
    for key in names:
        stores.put(key, key.encode())
    for file in object_files(server):
        if file.name == "=old":
            os.utime(file, (time.time() - 40 * DAY_S,) * 2)

    stores = StackStores(server.restart_after_kill(tenant))

    eventually(
        lambda: set(names) & set(stores.keys()) == {"tmp/uploads/new", "ws/old"}, pause_s=0.2
    )


def test_rows_whose_time_has_ended_are_deleted(server: RunningServer, tenant: RunningStack) -> None:
    stores = StackStores(tenant)
    dynamodb = stores.clients.dynamodb
    table = stores.transient_table.name
    for name, ttl in {"past": time.time() - 60, "future": time.time() + 600}.items():
        row: Any = {"PK": {"S": name}, "SK": {"S": "META"}, "ttl": {"N": str(int(ttl))}}
        dynamodb.put_item(TableName=table, Item=row)

    assert server.run_rows("expire") >= 1

    left = {row["PK"] for row in stores.scan(stores.transient_table)}
    assert "future" in left
    assert "past" not in left


@pytest.mark.parametrize("kills", [2, pytest.param(6, marks=pytest.mark.breadth)])
def test_start_that_is_killed_anywhere_is_begun_again(
    own_server: RunningServer, kills: int
) -> None:
    server = own_server
    # The same moments in every run.
    moments = random.Random(76)  # noqa: S311 -- no secret
    for _ in range(kills):
        server.launch()
        time.sleep(moments.uniform(0.2, 2.5))
        server.kill_everything()

    server.start()

    tenant = server.create_tenant("Acme")
    with ApiClient(tenant, tenant.live_key) as client:
        assert client.render().status_code == 200
        made = client.http.post("/webhook-endpoints", json={"url": "https://example.com/hook"})
        assert made.status_code == 201, made.text
