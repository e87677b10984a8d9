"""A server that is told to stop ends what runs; the death of a part ends it, and loses nothing."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import httpx
import psutil
import pytest

from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer
from tests.builders.stack.api_client import HTML, ApiClient, output_ready_at
from tests.builders.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.integration
WAITING: Final = 10


def test_stop_ends_what_runs_and_leaves_the_rest(
    server: RunningServer, tenant: RunningStack
) -> None:
    with ApiClient(tenant, tenant.live_key) as client, ThreadPoolExecutor() as threads:
        late = output_ready_at(time.time() + 4)
        running = threads.submit(client.render, HTML, output=late)
        waiting = [client.render(mode="async").json()["id"] for _ in range(WAITING)]
        eventually(lambda: client.get(waiting[0])["status"] != "queued", pause_s=0.1)

        server.process.send_signal(signal.SIGTERM)
        refused = eventually(lambda: _refusal(tenant))

        assert (refused.status_code, refused.headers.get("retry-after")) == (503, "5"), (
            refused.text + server.log.read_text()
        )
        assert running.result().status_code == 200
    assert server.process.wait(PATIENCE_S) == 0
    assert not (server.data / "run.json").exists()

    server.start()
    tenant = server.seen_by(tenant.workspace, tenant.test_key, tenant.live_key)
    with ApiClient(tenant, tenant.live_key) as client:
        ends = [client.wait_until_final(each)["status"] for each in waiting]
        assert ends == ["succeeded"] * WAITING
        # The end of one that ran while the server stopped is published by the next.
        eventually(
            lambda: client.http.get("/account").json()["renders"]["used"] == WAITING + 1, pause_s=1
        )


def _refusal(tenant: RunningStack) -> httpx.Response | None:
    try:
        answer = httpx.get(f"{tenant.files_host}/healthz")
    except httpx.HTTPError:
        return None
    return answer if answer.status_code != 200 else None


@pytest.mark.parametrize("part", ["dynoxide", "ministack.py"])
def test_death_of_a_part_ends_the_server(
    server: RunningServer, tenant: RunningStack, part: str
) -> None:
    with ApiClient(tenant, tenant.live_key) as client:
        render = client.render().json()["id"]
    (victim,) = [
        each
        for each in server.members()
        if part in each.name() or any(word.endswith(part) for word in _words(each))
        if not any("infra.local.dynoxide" in word for word in _words(each))
    ]

    victim.kill()

    assert server.process.wait(PATIENCE_S) == 1
    server.start()
    tenant = server.seen_by(tenant.workspace, tenant.test_key, tenant.live_key)
    with ApiClient(tenant, tenant.live_key) as client:
        assert client.get(render)["status"] == "succeeded"
        assert client.render().status_code == 200


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []
