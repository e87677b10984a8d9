"""A backup has rows and files of one moment; a server on a restored one gives the same answers."""

import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import httpx
import pytest

from infra.local.access.keys import AccessKey
from infra.local.objects.start import start_object_store
from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer
from infra.template import ROOT
from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually

pytestmark = pytest.mark.integration
# A function that finds no free one tries again after minutes; a busy machine has few.
RENDER_PATIENCE_S = 1_500.0
ENDPOINT = {"url": "https://example.com/hook"}
ONCE = {"Idempotency-Key": "once"}


def files(client: ApiClient, render_id: str) -> list[bytes]:
    return [
        httpx.get(each["url"], follow_redirects=True).raise_for_status().content
        for each in client.get(render_id)["files"]
    ]


def restored(server: RunningServer, backup: Path, tmp_path: Path) -> RunningServer:
    other = RunningServer(tmp_path / "restored")
    assert server.platen("restore", str(backup), "--data", str(other.data))["files"] > 0
    return other


@contextmanager
def started(server: RunningServer, tenant: RunningStack) -> Iterator[ApiClient]:
    try:
        server.start()
        seen = server.seen_by(tenant.workspace, tenant.test_key, tenant.live_key)
        with ApiClient(seen, seen.live_key) as client:
            yield client
    finally:
        server.stop()


@contextmanager
def load(client: ApiClient) -> Iterator[list[str]]:
    """Have renders made of all forms, and their files deleted, while the block runs."""
    made: list[str] = []
    over = threading.Event()

    def work(number: int) -> None:
        while not over.is_set():
            mode = "async" if number % 2 else "sync"
            render = client.render(f"<p>x<!-- {'x' * (len(made) % 3 * 200_000)} -->", mode=mode)
            render.raise_for_status()
            made.append(render.json()["id"])
            # A busy machine ends a sync render later.
            if render.status_code == 200 and len(made) % 2:
                client.http.delete(f"/renders/{render.json()['id']}/files").raise_for_status()

    with ThreadPoolExecutor(2) as threads:
        working = [threads.submit(work, number) for number in range(2)]
        try:
            eventually(lambda: len(made) >= 4)
            yield made
        finally:
            over.set()
        for each in working:
            each.result()


def test_backup_under_load_and_its_restoring(
    server: RunningServer, tenant: RunningStack, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    with ApiClient(tenant, tenant.live_key) as client:
        page = client.render("<p>kept").raise_for_status().json()["id"]
        before = files(client, page)
        endpoint = client.http.post("/webhook-endpoints", headers=ONCE, json=ENDPOINT).json()
        with load(client) as made:
            answer = server.platen("backup", str(backup))
            accepted = list(made)
        known = [each["id"] for each in _all_renders(client)]
    assert answer["files"] > 4
    server.stop()

    with started(restored(server, backup, tmp_path), tenant) as client:
        assert files(client, page) == before
        repeated = client.http.post("/webhook-endpoints", headers=ONCE, json=ENDPOINT).json()
        assert repeated == endpoint
        renders = {each["id"]: each for each in _all_renders(client)}
        assert set(renders) <= set(known)
        assert len(renders) > 4
        assert len(accepted) > 4
        for each in renders.values():
            if each["mode"] == "sync" and each["status"] in {"queued", "processing"}:
                # Its caller is gone: it ends as lost, as after a crash.
                continue
            final = client.wait_until_final(each["id"], RENDER_PATIENCE_S)
            assert final["status"] == "succeeded", final
            assert all(file.startswith(b"%PDF") for file in files(client, each["id"])), final
        assert client.render().status_code == 200


def _all_renders(client: ApiClient) -> list[dict[str, Any]]:
    renders: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = client.http.get("/renders", params={"limit": 100, **cursor}).json()
        renders += page["data"]
        if not page.get("has_more"):
            return renders
        cursor = {"cursor": page["next_cursor"]}


@pytest.fixture
def bucket_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Give the address of a store with the bucket `my-backups`."""
    key = AccessKey.random()
    store = start_object_store(tmp_path / "store", key)
    for name, value in (key.variables() | {"AWS_DEFAULT_REGION": "eu-central-1"}).items():
        monkeypatch.setenv(name, value)
    boto3.client("s3", endpoint_url=store.server.url).create_bucket(Bucket="my-backups")
    yield store.server.url
    store.server.close()


def test_commands_of_the_page(
    server: RunningServer,
    tenant: RunningStack,
    tmp_path: Path,
    bucket_url: str,
) -> None:
    """Run each command of docs/backups.md, in order, with other places and workspaces."""
    other = server.create_tenant("Other")
    with ApiClient(tenant, tenant.live_key) as client:
        page = client.render("<p>kept").raise_for_status().json()["id"]
        before = files(client, page)
        template = {"name": "Letter", "html": "<p>{{ n }}", "publish": True}
        client.http.post("/templates", json=template).raise_for_status()
    words = {
        "/backups/monday": str(tmp_path / "monday"),
        "/srv/platen": str(server.data),
        "/srv/restored": str(tmp_path / "restored"),
        "https://s3.example.com": bucket_url,
        "acme.zip": str(tmp_path / "acme.zip"),
        "ws_01J8ACME": tenant.workspace,
        "ws_01J8OTHER": other.workspace,
    }
    text = (ROOT / "docs" / "backups.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ platen (.*)$", text, re.MULTILINE)
    assert len(commands) == text.count("\n$ ") == 7

    for command in commands:
        arguments = [words.get(word, word) for word in shlex.split(command)]
        if arguments[0] == "serve":
            server.stop()
            with started(RunningServer(tmp_path / "restored"), tenant) as client:
                assert files(client, page) == before
            server.start()
            continue
        ran = subprocess.run(
            [sys.executable, "-c", "from infra.operator.cli import main; main()", *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr

    seen = server.seen_by(other.workspace, other.test_key, other.live_key)
    with ApiClient(seen, seen.live_key) as client:
        (imported,) = client.http.get("/templates").json()["data"]
        assert imported["name"] == "Letter"
        source = {"type": "template", "template_id": imported["id"]}
        made = client.http.post("/renders", json={"input": source, "data": {"n": 1}})
        assert made.is_success, made.text
