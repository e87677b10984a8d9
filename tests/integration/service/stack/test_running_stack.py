"""The running stack as its user sees it: files, ports, keys, limits and the log."""

import json
import urllib.error
import urllib.request
from typing import Any

import psutil
import pytest

from infra.local.paths import StackFolder
from infra.local.running_stack import RunningStack
from tests.builders.waiting import eventually

pytestmark = pytest.mark.integration


def get(stack: RunningStack, path: str, key: str | None = None) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    request = urllib.request.Request(stack.files_host + path, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


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
    head = psutil.Process(stack.pid)
    for process in (head, *head.children(recursive=True)):
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
            FilterExpression="body = :body",
            ExpressionAttributeValues={
                ":pk": {"S": "DLQ#renders"},
                ":body": {"S": "no render at all"},
            },
        )["Items"]

    (letter,) = eventually(letters)
    assert letter["reason"]["S"].startswith("not JSON")


def test_the_structured_log_is_json_line_by_line(stack: RunningStack) -> None:
    get(stack, "/healthz")

    def requests() -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in stack.log().splitlines()]
        return [line for line in lines if line.get("path") == "/healthz" and "kind" in line]

    line = eventually(requests)[0]
    assert (line["kind"], line["method"], line["status"]) == ("request", "GET", 200)
    assert line["request_id"].startswith("req_")
