"""`platen webhooks forward` as a developer runs it, beside the stack of this machine."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from infra.local.paths import StackFolder
from infra.local.running_stack import RunningStack
from infra.template import ROOT
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenant, Tenants
from tests.fakes.webhook_receiver import ReceivedWebhook, webhook_receiver

pytestmark = pytest.mark.integration

# The tool looks for the stack of this machine in the folder of the project.
TOOL = """
import signal, sys, pathlib
# As in a terminal, also where the tests run in the background of a shell, which ignores Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
from infra.operator import cli, connection
connection.RUN_FOLDER = pathlib.Path(sys.argv.pop(1))
cli.main()
"""


@pytest.fixture
def tenant(tenants: Tenants) -> Iterator[Tenant]:
    with tenants.create("forwards", "scale") as made:
        yield made


@pytest.fixture
def test(tenants: Tenants, tenant: Tenant) -> Iterator[ApiClient]:
    """Return a client with a test key of the workspace."""
    with tenants.new_client(tenant.workspace, "test") as client:
        yield client


@pytest.fixture
def folder(stack: RunningStack, tenant: Tenant, tmp_path: Path) -> Path:
    """Return the folder of the stack, as if its demo workspace were this one."""
    run = json.loads(StackFolder(stack.folder).run_file.read_text(encoding="utf-8"))
    run |= {"workspace": tenant.workspace}
    copied = StackFolder(tmp_path)
    copied.run_file.write_text(json.dumps(run), encoding="utf-8")
    shutil.copy(StackFolder(stack.folder).endpoints_file, copied.endpoints_file)
    return tmp_path


@contextmanager
def forwarding(folder: Path, url: str, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """Run the command during the block."""
    arguments = ["webhooks", "forward", url, "--json", *options]
    process = subprocess.Popen(
        [sys.executable, "-c", TOOL, str(folder), *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def next_line(process: "subprocess.Popen[str]") -> dict[str, Any]:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.stderr and process.stderr.read()
    read: dict[str, Any] = json.loads(line)
    return read


def render_of(received: ReceivedWebhook, secret: str) -> str:
    """Return the id of the render in a verified webhook."""
    body = Webhook(secret).verify(received.body.decode(), received.headers)
    assert body["type"] == "render.succeeded"
    name: str = body["data"]["object"]["id"]
    return name


def test_test_renders_of_the_demo_workspace_reach_a_receiver(
    tenant: Tenant, test: ApiClient, folder: Path
) -> None:
    with webhook_receiver() as receiver, forwarding(folder, receiver.url) as process:
        start = next_line(process)
        tenant.client.render()
        queued = test.render(mode="async").json()
        direct = test.render().json()

        printed = [next_line(process) for _ in range(2)]
        # Another poll finds nothing more.
        time.sleep(2.5)
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=10)

    assert (process.returncode, rest, errors) == (0, "", "")
    assert (start["workspace"], start["test_only"]) == (tenant.workspace, True)
    seen = [render_of(received, start["secret"]) for received in receiver.received]
    assert sorted(seen) == sorted([queued["id"], direct["id"]])
    assert [row["id"] for row in printed] == [
        received.headers["webhook-id"] for received in receiver.received
    ]
    assert {(row["type"], row["status_code"]) for row in printed} == {("render.succeeded", 200)}
    assert receiver.received[0].headers["user-agent"] == "Platen-Webhooks/1.0"


def test_named_workspace_is_signed_with_the_secret_of_its_endpoint(
    stack: RunningStack, tenant: Tenant
) -> None:
    live = tenant.client
    with webhook_receiver() as receiver:
        endpoint = live.http.post("/webhook-endpoints", json={"url": "https://example.com/"}).json()
        options = ("--workspace", tenant.workspace, "--events", "template.published")
        with forwarding(stack.folder, receiver.url, *options) as process:
            start = next_line(process)
            live.render()
            publish_template(live)
            row = next_line(process)

    (received,) = receiver.received
    body = Webhook(endpoint["secret"]).verify(received.body.decode(), received.headers)
    assert (start["endpoint_id"], start["secret"]) == (endpoint["id"], None)
    assert (body["type"], body["id"]) == ("template.published", row["id"])
    assert body["data"]["object"]["number"] == 1


def publish_template(client: ApiClient) -> None:
    fields = {"name": "Letter", "type": "html", "html": "<p>{{ name }}</p>"}
    made = client.http.post("/templates", json=fields)
    assert made.status_code == 201, made.text
    published = client.http.post(f"/templates/{made.json()['id']}/publish", json={})
    assert published.status_code == 201, published.text


def test_receiver_that_is_away_is_reported(test: ApiClient, folder: Path) -> None:
    with webhook_receiver() as receiver:
        url = receiver.url
    with forwarding(folder, url) as process:
        next_line(process)
        test.render()
        row = next_line(process)

    assert row["status_code"] is None
    assert "could not be connected to" in row["error"]
