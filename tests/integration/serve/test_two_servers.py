"""Two servers over one table and one bucket, with the same keys: each has all renders."""

import shutil
from pathlib import Path
from typing import Final

import httpx
import pytest

from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer, running_server
from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually

pytestmark = pytest.mark.integration
# The table and the bucket of the first server are the user's own endpoints for the second.
SHARED: Final = (
    "AWS_ENDPOINT_URL_DYNAMODB",
    "AWS_ENDPOINT_URL_S3",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
)


def test_two_servers_share_table_and_bucket(
    server: RunningServer, tenant: RunningStack, tmp_path: Path
) -> None:
    data = tmp_path / "second"
    data.mkdir(mode=0o700)
    shutil.copytree(server.data / "keys", data / "keys")
    endpoints = {name: tenant.endpoints[name] for name in SHARED}
    with running_server(data, **endpoints) as second:
        second.start()
        other = second.seen_by(tenant.workspace, tenant.test_key, tenant.live_key)
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
