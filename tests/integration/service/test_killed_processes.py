"""Killed functions and browsers: no render is lost or counted twice."""

import concurrent.futures
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psutil
import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ENDLESS, HTML, ApiClient

pytestmark = pytest.mark.integration

SLOW = HTML + "<script>const end=Date.now()+2500;while(Date.now()<end);</script>"


def _workers(stack: RunningStack, handler: str) -> list[psutil.Process]:
    return [
        process
        for process in psutil.Process(stack.pid).children(recursive=True)
        if handler in " ".join(_command(process)) and "worker" in " ".join(_command(process))
    ]


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return []


def _limits(stack: RunningStack) -> dict[str, Any]:
    item = stack.client("dynamodb").get_item(
        TableName=stack.resources["MainTable"]["Ref"],
        Key={"PK": {"S": f"WS#{stack.workspace}#LIM"}, "SK": {"S": "META"}},
        ConsistentRead=True,
    )["Item"]
    return {
        "used": int(item["used"]["N"]),
        "left": int(item["quota_left"]["N"]),
        "holds": item["holds"]["M"],
        "leases": item["leases"]["M"],
    }


def _kill_while_rendering(stack: RunningStack) -> Iterator[int]:
    """Kill the processes of the render function; yield their pids."""
    for process in _workers(stack, "functions.render"):
        os.kill(process.pid, signal.SIGKILL)
        yield process.pid


def test_sync_render_survives_the_death_of_its_function(
    stack: RunningStack, live: ApiClient
) -> None:
    before = _limits(stack)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answer = pool.submit(live.render, SLOW)
        time.sleep(1.2)
        assert list(_kill_while_rendering(stack))

        render = answer.result().json()

    assert render["status"] == "succeeded", render
    after = _limits(stack)
    assert after["used"] == before["used"] + 1
    assert after["left"] == before["left"] - 1
    assert (after["holds"], after["leases"]) == ({}, {})


def test_queued_render_survives_the_death_of_its_function(
    stack: RunningStack, live: ApiClient
) -> None:
    before = _limits(stack)
    render_id = live.render(SLOW, mode="async").json()["id"]
    until = time.monotonic() + 20
    while live.get(render_id)["status"] == "queued" and time.monotonic() < until:
        time.sleep(0.05)
    assert list(_kill_while_rendering(stack))

    render = live.wait_until_final(render_id)

    assert render["status"] == "succeeded", str(render)[-700:]
    time.sleep(0.5)
    after = _limits(stack)
    assert after["used"] == before["used"] + 1
    # Its row has held, so its entry means nothing; the next admission removes it.
    assert after["holds"].keys() <= {render_id}
    assert after["leases"] == {}
    events = stack.client("dynamodb").query(
        TableName=stack.resources["MainTable"]["Ref"],
        KeyConditionExpression="PK = :pk AND begins_with(SK, :event)",
        ExpressionAttributeValues={
            ":pk": {"S": f"WS#{stack.workspace}#RND#{render_id}"},
            ":event": {"S": "EVENT#"},
        },
    )
    assert events["Count"] == 1
    assert live.render().status_code == 200


def test_killed_browser_is_replaced_within_the_render(stack: RunningStack, live: ApiClient) -> None:
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answer = pool.submit(live.render, SLOW)
        time.sleep(1.2)
        browsers = [
            process
            for process in psutil.Process(stack.pid).children(recursive=True)
            if "--remote-debugging-pipe" in (words := _command(process))
            and not any(word.startswith("--type=") for word in words)
        ]
        # Standby browsers first: a page that outlives two browsers is given up.
        for process in sorted(browsers, key=psutil.Process.create_time, reverse=True):
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
            time.sleep(0.2)

        render = answer.result().json()

    assert render["status"] == "succeeded", str(render)[-700:]
    assert live.render().status_code == 200


def test_page_that_never_yields_times_out_and_the_next_render_succeeds(live: ApiClient) -> None:
    begun = time.monotonic()

    answer = live.render(ENDLESS, output={"wait": {"timeout_ms": 1000}})

    assert answer.status_code == 422
    assert answer.json()["code"] == "wait_timeout"
    assert time.monotonic() - begun < 9
    assert live.render().status_code == 200


def test_same_idempotency_key_from_many_clients_makes_one_document(
    stack: RunningStack, live: ApiClient
) -> None:
    before = _limits(stack)["used"]

    def send(_n: int) -> tuple[int, str]:
        answer = live.render(headers={"Idempotency-Key": "many"})
        return answer.status_code, answer.json().get("id") or answer.json()["code"]

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(send, range(24)))

    made = {what for status, what in answers if status == 200}
    refused = {what for status, what in answers if status == 409}
    assert len(made) == 1
    assert refused <= {"idempotency_in_progress"}
    assert {status for status, _ in answers} <= {200, 409}
    after = _limits(stack)
    assert after["used"] == before + 1
    assert (after["holds"], after["leases"]) == ({}, {})
