"""Data of a server are there after every start, however it ended."""

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

    server.kill_everything()
    # Its run file is still there, and names a process that has ended.
    assert server.run_info["pid"] == server.process.pid
    server.start()
    tenant = server.seen_by(tenant.workspace, tenant.test_key, tenant.live_key)

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


def test_clients_need_the_one_port_and_what_it_signed_holds(
    server: RunningServer, tenant: RunningStack
) -> None:
    port = tenant.files_host.rpartition(":")[2]
    html = b"<!doctype html><title>A</title><h1>Announced</h1>" + b"<!-- -->" * 700_000
    announced = {"filename": "a.html", "content_type": "text/html", "bytes": len(html)}
    with ApiClient(tenant, tenant.live_key) as client:
        render = client.render().raise_for_status().json()
        upload = client.http.post("/uploads", json=announced).raise_for_status().json()

    server.restart_after_kill(tenant, "--port", port)

    url = render["files"][0]["url"]
    for address in (url, httpx.get(url).headers["location"], upload["upload"]["url"]):
        assert address.startswith(f"{tenant.files_host}/")
    assert httpx.get(url, follow_redirects=True).content.startswith(b"%PDF")
    form = upload["upload"]
    longer = httpx.post(form["url"], data=form["fields"], files={"file": html + b"."})
    assert longer.status_code == 400, longer.text
    httpx.post(form["url"], data=form["fields"], files={"file": html}).raise_for_status()
    source = {"type": "html", "upload_id": upload["id"]}
    with ApiClient(tenant, tenant.live_key) as client:
        made = client.http.post("/renders", json={"input": source})
    assert made.status_code == 200, made.text


def test_other_requests_do_not_reach_the_bucket(
    server: RunningServer, tenant: RunningStack
) -> None:
    bucket = f"{tenant.files_host}/{tenant.resources['FilesBucket']['Ref']}"

    assert server.process.poll() is None
    for path in ("?list-type=2", "/ws", "/", "/../keys/kms.json", "/%2e%2e/keys/kms.json"):
        assert httpx.get(bucket + path).status_code in {403, 404}, path
    assert httpx.put(f"{bucket}/ws/x", content=b"x").status_code == 403
    assert httpx.post(bucket, files={"file": b"x"}).status_code in {400, 403}
