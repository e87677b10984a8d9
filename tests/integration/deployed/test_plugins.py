"""The LocalStack plug-ins: a function runs as on Lambda, isolated from the checkout."""

import base64
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from botocore.exceptions import BotoCoreError

from infra.local.emulators import client_factory
from infra.template import ROOT
from tests.builders.open_emulators import ANY_KEY
from tests.builders.stack.localstack import LocalStackServer, running_localstack, zip_archive
from tests.builders.waiting import eventually

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
        "tenant": context.tenant_id,
        "written": write(event.get("write")),
    }

def write(name):
    folder = os.environ["TMPDIR"]
    if name:
        open(os.path.join(folder, name), "w").close()
    return sorted(os.listdir(folder))
"""
ONE = {"python/helper.py": "", "data/text": "one", "data/both": "one"}
TWO = {"data/more": "two", "data/both": "two"}


@pytest.fixture(scope="module")
def function(cloud: LocalStackServer) -> str:
    return cloud.create_function(
        "act", zip_archive({"code.py": "", "act.py": CODE}), Handler="act.act"
    )


def test_concurrent_invocations_have_own_processes_that_are_reused(
    cloud: LocalStackServer, function: str
) -> None:
    with ThreadPoolExecutor() as threads:
        calls = [threads.submit(cloud.invoke, function, {"sleep": 0.5}) for _ in range(2)]
        first = {call.result()[0]["pid"] for call in calls}

    assert len(first) == 2
    assert cloud.invoke(function)[0]["pid"] in first


def test_environment_is_renewed_for_another_tenant(cloud: LocalStackServer) -> None:
    function = cloud.create_function(
        "tenants", zip_archive({"act.py": CODE}), Handler="act.act", Timeout=10
    )

    first = cloud.invoke(function, {"write": "a"}, tenant="ws_a")[0]
    again = cloud.invoke(function, {}, tenant="ws_a")[0]
    other = cloud.invoke(function, {}, tenant="ws_b")[0]
    none = cloud.invoke(function)[0]

    assert [each["tenant"] for each in (first, again, other, none)] == [
        *("ws_a", "ws_a", "ws_b"),
        None,
    ]
    assert first["pid"] == again["pid"]
    assert len({first["pid"], other["pid"], none["pid"]}) == 3
    assert [again["written"], other["written"], none["written"]] == [["a"], [], []]


def test_function_has_the_environment_folders_and_remaining_time_of_lambda(
    cloud: LocalStackServer, function: str
) -> None:
    answer = cloud.invoke(function)[0]

    environment = answer["environment"]
    assert environment["AWS_LAMBDA_FUNCTION_NAME"] == "act"
    assert environment["AWS_LAMBDA_INITIALIZATION_TYPE"] == "on-demand"
    assert environment["AWS_ENDPOINT_URL"] == cloud.url
    assert answer["cwd"] == environment["LAMBDA_TASK_ROOT"] == answer["path"][0]
    assert Path(environment["TMPDIR"]).is_dir()
    assert 20_000 < answer["remaining_ms"] <= 30_000


def test_function_imports_only_its_code_and_the_standard_library(
    cloud: LocalStackServer, function: str
) -> None:
    ours = ["chalicelib", "infra.template", "functions", "boto3", "pytest", "localstack", "pip"]

    answer = cloud.invoke(function, {"find": ["act", "json", "_socket", *ours]})[0]

    assert answer["found"] == ["act", "json", "_socket"]
    for folder in answer["path"]:
        assert folder.startswith((str(cloud.folder), sys.base_prefix)), folder
        assert not folder.startswith(str(ROOT)), folder
        assert folder.startswith(str(cloud.folder)) or "site-packages" not in folder, folder
    assert not [name for name in answer["environment"] if name in {"VIRTUAL_ENV", "PYTHONHOME"}]


def test_layers_are_merged_below_opt(cloud: LocalStackServer) -> None:
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

    answer = cloud.invoke(function, {"read": ["ONE", "TWO", "BOTH"], "find": ["helper"]})[0]

    assert answer["read"] == ["one", "two", "two"]
    assert answer["found"] == ["helper"]


def test_timeout_kills_the_process_and_its_children(cloud: LocalStackServer) -> None:
    function = cloud.create_function(
        "slow", zip_archive({"act.py": CODE}), Handler="act.act", Timeout=5
    )
    child = f"60.{os.getpid()}"

    with ThreadPoolExecutor() as threads:
        call = threads.submit(cloud.invoke, function, {"child": child, "then_sleep": 600})
        eventually(lambda: command_runs("sleep", child))
        answer, failed = call.result()

    assert failed == "Unhandled"
    assert answer["errorType"] == "Sandbox.Timedout"
    assert "Task timed out after 5.00 seconds" in answer["errorMessage"]
    assert not command_runs("sleep", child)
    assert cloud.invoke(function)[1] is None


def test_process_that_exits_is_reported_and_replaced(
    cloud: LocalStackServer, function: str
) -> None:
    answer, failed = cloud.invoke(function, {"exit": 7})

    assert (failed, answer["errorType"]) == ("Unhandled", "Runtime.ExitError")
    assert "exit status 7" in answer["errorMessage"]
    assert cloud.invoke(function)[1] is None


def test_log_of_an_invocation_has_exactly_its_own_lines(
    cloud: LocalStackServer, function: str
) -> None:
    client = cloud.client("lambda")
    for n in range(100):
        event = {"lines": [f"{n} one", f"{n} two"]}
        answer = client.invoke(FunctionName=function, Payload=json.dumps(event), LogType="Tail")
        _, *lines, _ = base64.b64decode(answer["LogResult"]).decode().splitlines()
        assert lines == event["lines"]


def test_import_error_of_a_function_is_reported(cloud: LocalStackServer) -> None:
    code = zip_archive({"act.py": "import nowhere"})
    function = cloud.create_function("broken", code, Handler="act.act")

    answer, failed = cloud.invoke(function)

    assert (failed, answer["errorType"]) == ("Unhandled", "Runtime.ImportModuleError")
    assert answer["errorMessage"] == "No module named 'nowhere'"


def test_tables_are_created_in_the_external_dynamodb(cloud: LocalStackServer) -> None:
    cloud.client("dynamodb").create_table(
        TableName="behind",
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )

    access = {"AWS_ENDPOINT_URL": cloud.dynamodb_url, **ANY_KEY.variables()}
    behind = client_factory(access)("dynamodb")

    assert "behind" in behind.list_tables()["TableNames"]


def test_no_process_outlives_localstack() -> None:
    short = f"9.{os.getpid()}"
    with (
        running_localstack() as cloud,
        ThreadPoolExecutor() as threads,
    ):
        code = zip_archive({"act.py": CODE})
        function = cloud.create_function("act", code, Handler="act.act")
        pid = cloud.invoke(function)[0]["pid"]
        call = threads.submit(cloud.invoke, function, {"child": short, "then_sleep": 600})
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
