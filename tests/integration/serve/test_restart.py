"""What a server holds is there after every start, however it ended."""

from typing import Final

import httpx
import pytest

from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration
ONCE: Final = {"Idempotency-Key": "once"}
ENDPOINT: Final = {"url": "https://example.com/hook"}


def files(client: ApiClient, render_id: str) -> list[bytes]:
    return [
        httpx.get(each["url"], follow_redirects=True).raise_for_status().content
        for each in client.get(render_id)["files"]
    ]


def test_everything_is_there_after_a_kill(server: RunningServer, tenant: RunningStack) -> None:
    with ApiClient(tenant, tenant.live_key) as client:
        template = client.http.post(
            "/templates", json={"name": "Letter", "type": "html", "content": {"html": "<p>{{ a }}"}}
        ).raise_for_status()
        template_id = template.json()["id"]
        account = client.http.get("/account").json()
        endpoint = (
            client.http.post("/webhook-endpoints", headers=ONCE, json=ENDPOINT)
            .raise_for_status()
            .json()
        )
        sync = client.render().raise_for_status().json()
        waiting = client.render(mode="async").raise_for_status().json()["id"]
        client.wait_until_final(waiting)
        before = {each: files(client, each) for each in (sync["id"], waiting)}
        drafts = client.http.get(f"/templates/{template_id}/draft").json()

    tenant = server.restart_after_kill(tenant)

    with ApiClient(tenant, tenant.live_key) as client:
        assert {each: files(client, each) for each in before} == before
        assert all(file.startswith(b"%PDF") for found in before.values() for file in found)
        assert client.http.get(f"/templates/{template_id}/draft").json() == drafts
        assert client.http.get("/account").json()["plan"] == account["plan"]
        repeated = (
            client.http.post("/webhook-endpoints", headers=ONCE, json=ENDPOINT)
            .raise_for_status()
            .json()
        )
        # A repeat shows the secret again, which is sealed with the key of the folder.
        assert repeated == endpoint
        assert endpoint["secret"].startswith("whsec_")
        assert client.render().status_code == 200
    assert set(server.run_info) == {"base_url", "files_host", "pid"}
