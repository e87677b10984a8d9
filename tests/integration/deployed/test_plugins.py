"""The plug-ins: a function runs as on Lambda, in a process that sees nothing of this checkout."""

import base64
import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from botocore.exceptions import BotoCoreError

from infra.local.emulators import client_factory
from infra.template import ROOT
from tests.builders.stack.localstack import LocalStackServer, running_localstack, zip_archive

pytestmark = pytest.mark.integration

CODE = """
import importlib.util, os, subprocess, sys, time

def act(event, context):
    time.sleep(event.get("sleep", 0))
    if "exit" in event:
        os._exit(event["exit"])
    if "child" in event:
        subprocess.Popen(["sleep", event["child"]])
    for line in event.get("lines", ()):
        print(line)
    time.sleep(event.get("then_sleep", 0))
    return {
        "pid": os.getpid(),
        "cwd": os.getcwd(),
        "path": sys.path,
        "environment": dict(os.environ),
        "found": [n for n in event.get("find", ()) if importlib.util.find_spec(n)],
        "read": [open(os.environ[n]).read() for n in event.get("read", ())],
        "remaining_ms": context.get_remaining_time_in_millis(),
    }
"""
ONE = {"python/helper.py": "", "data/text": "one", "data/both": "one"}
TWO = {"data/more": "two", "data/both": "two"}


@pytest.fixture(scope="module")
def function(cloud: LocalStackServer) -> str:
    return cloud.create_function(
        "act", zip_archive({"code.py": "", "act.py": CODE}), Handler="act.act"
    )


def test_each_invocation_at_once_has_a_process_and_it_is_used_again(
    cloud: LocalStackServer, function: str
) -> None:
    with ThreadPoolExecutor() as threads:
        calls = [threads.submit(cloud.invoke, function, {"sleep": 0.5}) for _ in range(2)]
        first = {call.result()[0]["pid"] for call in calls}

    assert len(first) == 2
    assert cloud.invoke(function)[0]["pid"] in first


def test_the_function_finds_its_folders_and_its_time(
    cloud: LocalStackServer, function: str
) -> None:
    told = cloud.invoke(function)[0]

    environment = told["environment"]
    assert environment["AWS_LAMBDA_FUNCTION_NAME"] == "act"
    assert environment["AWS_LAMBDA_INITIALIZATION_TYPE"] == "on-demand"
    assert environment["AWS_ENDPOINT_URL"] == cloud.url
    assert told["cwd"] == environment["LAMBDA_TASK_ROOT"] == told["path"][0]
    assert Path(environment["TMPDIR"]).is_dir()
    assert 20_000 < told["remaining_ms"] <= 30_000


def test_the_function_sees_its_code_and_the_standard_library_alone(
    cloud: LocalStackServer, function: str
) -> None:
    ours = ["chalicelib", "infra.template", "functions", "boto3", "pytest", "localstack", "pip"]

    told = cloud.invoke(function, {"find": ["act", "json", "_socket", *ours]})[0]

    assert told["found"] == ["act", "json", "_socket"]
    for folder in told["path"]:
        assert folder.startswith((str(cloud.folder), sys.base_prefix)), folder
        assert not folder.startswith(str(ROOT)), folder
        assert folder.startswith(str(cloud.folder)) or "site-packages" not in folder, folder
    assert not [name for name in told["environment"] if name in {"VIRTUAL_ENV", "PYTHONHOME"}]


def test_layers_lie_together_where_the_environment_says(cloud: LocalStackServer) -> None:
    layers = [
        cloud.publish_layer("one", zip_archive(ONE)),
        cloud.publish_layer("two", zip_archive(TWO)),
    ]
    variables = {"ONE": "/opt/data/text", "TWO": "/opt/data/more", "BOTH": "/opt/data/both"}
    function = cloud.create_function(
        "layered",
        zip_archive({"act.py": CODE}),
        Handler="act.act",
        Layers=layers,
        Environment={"Variables": variables},
    )

    told = cloud.invoke(function, {"read": ["ONE", "TWO", "BOTH"], "find": ["helper"]})[0]

    assert told["read"] == ["one", "two", "two"]
    assert told["found"] == ["helper"]


def test_a_timeout_ends_the_process_with_all_that_it_started(cloud: LocalStackServer) -> None:
    function = cloud.create_function(
        "slow", zip_archive({"act.py": CODE}), Handler="act.act", Timeout=1
    )
    child = f"60.{os.getpid()}"

    with ThreadPoolExecutor() as threads:
        call = threads.submit(cloud.invoke, function, {"child": child, "then_sleep": 20})
        eventually(lambda: command_runs("sleep", child))
        told, failed = call.result()

    assert failed == "Unhandled"
    assert told["errorType"] == "Sandbox.Timedout"
    assert "Task timed out after 1.00 seconds" in told["errorMessage"]
    assert not command_runs("sleep", child)
    assert cloud.invoke(function)[1] is None


def test_a_process_that_ends_is_told_and_replaced(cloud: LocalStackServer, function: str) -> None:
    told, failed = cloud.invoke(function, {"exit": 7})

    assert (failed, told["errorType"]) == ("Unhandled", "Runtime.ExitError")
    assert "exit status 7" in told["errorMessage"]
    assert cloud.invoke(function)[1] is None


def test_every_line_is_in_the_log_of_the_invocation_that_wrote_it(
    cloud: LocalStackServer, function: str
) -> None:
    client = cloud.client("lambda")
    for n in range(100):
        event = {"lines": [f"{n} one", f"{n} two"]}
        told = client.invoke(FunctionName=function, Payload=json.dumps(event), LogType="Tail")
        _, *lines, _ = base64.b64decode(told["LogResult"]).decode().splitlines()
        assert lines == event["lines"]


def test_a_function_that_cannot_be_imported_says_why(cloud: LocalStackServer) -> None:
    code = zip_archive({"act.py": "import nowhere"})
    function = cloud.create_function("broken", code, Handler="act.act")

    told, failed = cloud.invoke(function)

    assert (failed, told["errorType"]) == ("Unhandled", "Runtime.ImportModuleError")
    assert told["errorMessage"] == "No module named 'nowhere'"


def test_tables_lie_in_the_server_behind(cloud: LocalStackServer) -> None:
    cloud.client("dynamodb").create_table(
        TableName="behind",
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )

    behind = client_factory({"AWS_ENDPOINT_URL": cloud.dynamodb_url})("dynamodb")

    assert "behind" in behind.list_tables()["TableNames"]


def test_no_process_outlives_localstack() -> None:
    short = f"2.{os.getpid()}"
    with (
        running_localstack() as cloud,
        ThreadPoolExecutor() as threads,
    ):
        code = zip_archive({"act.py": CODE})
        function = cloud.create_function("act", code, Handler="act.act")
        pid = cloud.invoke(function)[0]["pid"]
        call = threads.submit(cloud.invoke, function, {"child": short, "then_sleep": 20})
        eventually(lambda: command_runs("sleep", short))

        psutil.Process(cloud.pid).kill()

        eventually(lambda: not running(pid))
        assert isinstance(call.exception(), BotoCoreError)


def running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def command_runs(*command: str) -> bool:
    return any(each.info["cmdline"] == [*command] for each in psutil.process_iter(["cmdline"]))


def eventually(check: Callable[[], Any], within_s: float = 5) -> None:
    until = time.monotonic() + within_s
    while not check():
        assert time.monotonic() < until
        time.sleep(0.02)
