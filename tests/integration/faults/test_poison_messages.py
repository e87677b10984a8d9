"""Poisoned messages, and a message that kills its function, through real queues and redrive."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chalicelib.adapters.aws.messages import MAX_RECEIVE_COUNT
from chalicelib.core.crash_points import CrashPoint
from infra.local.running_stack import RunningStack, running_stack
from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually

pytestmark = pytest.mark.integration

GARBAGE = "\u20ac" * 80_000


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of armed crash points."""
    folder: Path = tmp_path_factory.mktemp("points")
    # The render function runs as another user where the tests run as root.
    folder.chmod(0o777)
    return folder


@pytest.fixture(scope="module")
def stack(points: Path) -> Iterator[RunningStack]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PLATEN_CRASH_POINTS", str(points))
        # A crash point ends a process, which must be that of its invocation alone.
        with running_stack(PLATEN_LOCAL_PROCESSES="invocation") as running:
            yield running


@pytest.fixture(scope="module")
def live(stack: RunningStack) -> Iterator[ApiClient]:
    with ApiClient(stack, stack.live_key) as client:
        yield client


def send(stack: RunningStack, queue: str, *bodies: str) -> None:
    """Put messages into a queue."""
    url = stack.resources[f"{queue}Queue"]["Ref"]
    sqs = stack.client("sqs")
    for body in bodies:
        sqs.send_message(QueueUrl=url, MessageBody=body, MessageGroupId="poison")


def letters(stack: RunningStack, queue: str, count: int) -> list[dict[str, Any]]:
    """Wait for `count` recorded dead letters of a queue and return them."""
    table = stack.resources["TransientTable"]["Ref"]

    def look() -> list[dict[str, Any]] | None:
        found = stack.client("dynamodb").query(
            TableName=table,
            KeyConditionExpression="PK = :pk",
            ExpressionAttributeValues={":pk": {"S": f"DLQ#{queue.lower()}"}},
        )["Items"]
        if len(found) < count:
            return None
        return [{name: next(iter(v.values())) for name, v in row.items()} for row in found]

    return eventually(look, pause_s=0.2)


@pytest.mark.breadth
def test_poisoned_messages_become_dead_letters_with_a_reason(
    stack: RunningStack, live: ApiClient
) -> None:
    bad = {
        "}{": "not JSON: Expecting value",
        "[" * 50_000: "not JSON: maximum recursion depth",
        GARBAGE: "not JSON: Expecting value",
        "[]": "a JSON object is expected, not list",
        json.dumps({"v": 2}): "UnknownVersion: a message of version 1 is expected, not 2",
        json.dumps({"v": 1}): "these texts are expected",
        json.dumps(
            {"v": "\x00\ud800"}
        ): r"UnknownVersion: a message of version 1 is expected, not '\x00\ud800'",
    }
    good = [live.render(mode="async").json()["id"]]
    for queue in ("Renders", "Events", "Maintenance"):
        send(stack, queue, *bad)
    good.append(live.render(mode="async").json()["id"])

    assert {live.wait_until_final(render_id)["status"] for render_id in good} == {"succeeded"}
    for queue in ("Renders", "Events", "Maintenance"):
        found = letters(stack, queue, len(bad))
        assert {row["body"] for row in found} == {body[:50_000] for body in bad}
        for row in found:
            (reason,) = [reason for body, reason in bad.items() if body[:50_000] == row["body"]]
            assert row["reason"].startswith(reason), row
    assert live.render().status_code == 200


@pytest.mark.breadth
def test_render_that_kills_its_function_at_every_delivery_is_lost(
    stack: RunningStack, live: ApiClient, points: Path
) -> None:
    file = points / str(int(CrashPoint.RENDER_BEGUN))
    file.write_text("1", encoding="utf-8")
    render_id = live.render(mode="async").json()["id"]
    deaths = 0

    def is_over() -> bool:
        nonlocal deaths
        if live.get(render_id)["status"] != "queued":
            return True
        if not file.exists():
            deaths += 1
            file.write_text("1", encoding="utf-8")
        return False

    eventually(is_over, pause_s=0.05)
    file.unlink()

    render = live.get(render_id)

    assert (render["status"], render["error"]["code"]) == ("failed", "render_lost")
    assert render["billed"] is False
    assert deaths == MAX_RECEIVE_COUNT
    (letter,) = [row for row in letters(stack, "Renders", 1) if render_id in row["body"]]
    assert letter["reason"] == "its function died, or ran out of time, at every delivery"
    assert letter["outcome"] == "the render ended as failed: render_lost"
    assert live.render().status_code == 200
