"""The whole stack as its user starts and stops it."""

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from infra.local import background
from infra.local.paths import StackFolder
from infra.local.running_stack import RunningStack, running_stack
from infra.template import ROOT

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def stack() -> Iterator[RunningStack]:
    with running_stack() as running:
        yield running


def get(stack: RunningStack, path: str, key: str | None = None) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    request = urllib.request.Request(stack.files_host + path, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def eventually(check: Callable[[], Any], within_s: float = 20) -> Any:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if found := check():
            return found
        time.sleep(0.1)
    return check()


def family(pid: int) -> list[psutil.Process]:
    head = psutil.Process(pid)
    return [head, *head.children(recursive=True)]


def left_over(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [process for process in processes if process.is_running() and not _is_zombie(process)]


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_run_file_has_urls_and_keys_and_is_private(stack: RunningStack) -> None:
    path = StackFolder(stack.folder).run_file
    run = json.loads(path.read_text())

    assert list(run) == ["base_url", "files_host", "workspace", "test_key", "live_key", "pid"]
    assert run["base_url"] == run["files_host"] + "/v1"
    assert path.stat().st_mode & 0o077 == 0


def test_objects_are_stored_in_the_folder_of_the_stack(stack: RunningStack) -> None:
    bucket = stack.resources["FilesBucket"]["Ref"]

    stack.client("s3").put_object(Bucket=bucket, Key="ws/large", Body=b"x" * 2_000_000)

    assert [path.name for path in stack.folder.rglob(bucket)] == [bucket]
    stack.client("s3").delete_object(Bucket=bucket, Key="ws/large")


def test_log_with_the_keys_is_private(stack: RunningStack) -> None:
    assert StackFolder(stack.folder).log("stack").stat().st_mode & 0o077 == 0


def test_demo_keys_authenticate(stack: RunningStack) -> None:
    assert get(stack, "/v1/renders")[0] == 401
    assert get(stack, "/v1/renders", stack.test_key)[0] == 200
    assert get(stack, "/v1/renders", stack.live_key)[0] == 200


def test_body_over_the_platform_limit_is_refused_by_the_gateway(stack: RunningStack) -> None:
    request = urllib.request.Request(f"{stack.base_url}/renders", data=b"x" * 5_000_000)

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=20)

    with refused.value as answer:
        assert answer.code == 413
        assert json.load(answer)["code"] == "payload_too_large"


def test_all_ports_listen_on_loopback(stack: RunningStack) -> None:
    for process in family(stack.pid):
        for connection in process.net_connections(kind="inet"):
            if connection.status == psutil.CONN_LISTEN:
                assert connection.laddr.ip in {"127.0.0.1", "::1"}, process


def test_unreadable_message_becomes_a_dead_letter(stack: RunningStack) -> None:
    stack.client("sqs").send_message(
        QueueUrl=stack.resources["RendersQueue"]["Ref"], MessageBody="no render at all"
    )

    def letters() -> Any:
        return stack.client("dynamodb").query(
            TableName=stack.resources["TransientTable"]["Ref"],
            KeyConditionExpression="PK = :pk",
            ExpressionAttributeValues={":pk": {"S": "DLQ#renders"}},
        )["Items"]

    (letter,) = eventually(letters)
    assert letter["body"] == {"S": "no render at all"}
    assert letter["reason"]["S"].startswith("not JSON")


def test_the_structured_log_is_json_line_by_line(stack: RunningStack) -> None:
    get(stack, "/healthz")

    def requests() -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in stack.log().splitlines()]
        return [line for line in lines if line.get("path") == "/healthz" and "kind" in line]

    line = eventually(requests)[0]
    assert (line["kind"], line["method"], line["status"]) == ("request", "GET", 200)
    assert line["request_id"].startswith("req_")


def test_port_in_use_is_named_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as occupied:
        port = str(occupied.getsockname()[1])
        command = [sys.executable, "-m", "infra.local", "up", "--port", port]
        ran = subprocess.run(
            [*command, "--dir", str(tmp_path)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )

    assert ran.returncode == 1
    assert f"port {port}" in ran.stderr
    assert "starting" not in ran.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopped_stack_leaves_nothing_behind_and_other_stacks_running(
    stack: RunningStack, tmp_path: Path, number: signal.Signals
) -> None:
    folder = StackFolder(tmp_path)
    started = background.start(folder, 0)
    processes = family(started["pid"])
    assert len(processes) > 4

    psutil.Process(started["pid"]).send_signal(number)
    eventually(lambda: not left_over(processes), 10)

    assert left_over(processes) == []
    assert background.find_running_stack(folder) is None
    assert folder.run_file.exists() == (number == signal.SIGKILL)
    assert get(stack, "/healthz")[0] == 200


def test_killed_stack_can_be_started_again(tmp_path: Path) -> None:
    folder = StackFolder(tmp_path)
    first = background.start(folder, 0)
    psutil.Process(first["pid"]).kill()
    psutil.wait_procs([psutil.Process(first["pid"])], timeout=5)

    second = background.start(folder, 0)

    assert second["workspace"] != first["workspace"]
    assert background.stop(folder)
    assert not folder.run_file.exists()
    assert not folder.scratch.exists()
