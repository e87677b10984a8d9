"""Two servers over one table and one bucket, with the same keys: each has all renders."""

import contextlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer, running_server
from tests.builders.stack.api_client import ApiClient, output_ready_at
from tests.builders.waiting import eventually

pytestmark = pytest.mark.integration
# The table and the bucket of the first server are the user's own endpoints for the second.
SHARED: Final = (
    "AWS_ENDPOINT_URL_DYNAMODB",
    "AWS_ENDPOINT_URL_S3",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
)


@contextlib.contextmanager
def second_server(
    server: RunningServer, tenant: RunningStack, folder: Path
) -> Iterator[RunningServer]:
    """Run a second server with the keys of the first one."""
    data = folder / "second"
    data.mkdir(mode=0o700)
    shutil.copytree(server.data / "keys", data / "keys")
    endpoints = {name: tenant.endpoints[name] for name in SHARED}
    with running_server(data, **endpoints) as second:
        second.start()
        yield second


def seen(second: RunningServer, tenant: RunningStack) -> RunningStack:
    """Return what a workspace sees of the second server."""
    return second.seen_by(tenant.workspace, tenant.test_key, tenant.live_key)


def test_two_servers_share_table_and_bucket(
    server: RunningServer, tenant: RunningStack, tmp_path: Path
) -> None:
    with second_server(server, tenant, tmp_path) as second:
        other = seen(second, tenant)
        with ApiClient(tenant, tenant.live_key) as here, ApiClient(other, other.live_key) as there:
            (file,) = here.render().raise_for_status().json()["files"]
            elsewhere = file["url"].replace(tenant.files_host, other.files_host)
            once = {"Idempotency-Key": "once"}
            first = here.render(headers=once).raise_for_status().json()
            again = there.render(headers=once)
            accepted = [
                client.render(mode="async").raise_for_status().json()["id"]
                for client in (here, there) * 5
            ]
            ended = eventually(
                lambda: all(here.get(each)["status"] == "succeeded" for each in accepted)
            )

        assert httpx.get(elsewhere, follow_redirects=True).content.startswith(b"%PDF")
        assert again.headers["Idempotent-Replayed"] == "true"
        assert again.json()["id"] == first["id"]
        assert ended
        assert len(set(accepted)) == 10


def test_a_start_takes_no_claim_of_the_other_server(
    server: RunningServer, tenant: RunningStack, tmp_path: Path
) -> None:
    with ApiClient(tenant, tenant.live_key) as client:
        # Longer than the second server takes to start, unless the machine is very slow.
        slow = output_ready_at(time.time() + 30)
        accepted = client.render(mode="async", output=slow).raise_for_status().json()["id"]
        eventually(lambda: client.get(accepted)["status"] != "queued")
        with second_server(server, tenant, tmp_path):
            ended = client.wait_until_final(accepted)
        log = client.http.get(f"/renders/{accepted}/logs").raise_for_status().json()

    assert ended["status"] == "succeeded"
    assert [attempt["number"] for attempt in log["attempts"]] == [1]


def test_a_server_starts_again_though_the_tables_stand_elsewhere(
    server: RunningServer, tenant: RunningStack, tmp_path: Path
) -> None:
    with second_server(server, tenant, tmp_path) as second:
        second.stop()
        second.start()
        with ApiClient(seen(second, tenant), tenant.live_key) as there:
            rendered = there.render()

    assert rendered.status_code == 200
    assert not (second.data / "tables").exists()
