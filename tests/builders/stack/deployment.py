"""The packaged template, deployed to a LocalStack, and variants of its functions."""

import contextlib
import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from infra.local.paths import StackFolder, tail
from infra.local.processes import kill_process_trees
from infra.template import ROOT
from tests.builders.stack.localstack import LocalStackServer

STAGE: Final = "test"
STACK: Final = f"platen-{STAGE}"
DEPLOY_TIMEOUT_S: Final = 1_200
# Public hosts of the stage; on AWS these names lead to the gateway and to the function's URL.
API_HOST: Final = "https://api.test"
FILES_HOST: Final = "https://files.test"


@dataclass(frozen=True, slots=True)
class Deployment:
    """A deployed stack; `resources` are its physical ids by logical id."""

    cloud: LocalStackServer
    resources: Mapping[str, str]
    host: str

    @property
    def base_url(self) -> str:
        """Return the base URL of the API."""
        return f"{self.host}/v1"

    def platen(self, *arguments: str) -> dict[str, Any]:
        """Run the operator tool against the stage; return its answer."""
        command = [str(Path(sys.executable).with_name("platen")), "--stage", STAGE]
        ran = subprocess.run(
            [*command, *arguments, "--json"],
            env=_environment() | self.cloud.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        answer: dict[str, Any] = json.loads(ran.stdout)
        return answer

    def fetch_file(self, url: str) -> bytes:
        """Return a file by its signed URL."""
        assert url.startswith(f"{FILES_HOST}/"), url
        redirect = self.fetch(url.removeprefix(FILES_HOST))
        assert redirect.status_code == 302, redirect.text
        answer = httpx.get(redirect.headers["Location"])
        assert answer.headers["Content-Type"] == "application/pdf"
        return answer.content

    def fetch(self, target: str) -> httpx.Response:
        """Send a request to the API function's URL, its path and query as they are."""
        config = self.cloud.client("lambda").get_function_url_config(
            FunctionName=self.resources["APIHandler"]
        )
        # Its name does not resolve to this machine everywhere.
        url, host = httpx.URL(self.cloud.url), urlsplit(config["FunctionUrl"]).netloc
        here = url.copy_with(raw_path=target.encode())
        return httpx.get(here, headers={"Host": host}, timeout=40)

    def configuration(self, function: str) -> dict[str, Any]:
        """Return the configuration of a function, in the form that creates another one like it."""
        found = self.cloud.client("lambda").get_function_configuration(
            FunctionName=self.resources[function]
        )
        kept = ("Handler", "MemorySize", "Role", "Runtime", "Timeout")
        return {
            **{name: found[name] for name in kept},
            "Environment": {"Variables": found["Environment"]["Variables"]},
            "Layers": [layer["Arn"] for layer in found.get("Layers", [])],
        }

    @contextlib.contextmanager
    def reconfigured_function(self, function: str, **changes: Any) -> Iterator[str]:
        """Change the configuration of a function for the block; yield its name."""
        kept = self.configuration(function)
        try:
            yield self._configure(function, changes)
        finally:
            self._configure(function, {name: kept[name] for name in changes})

    def _configure(self, function: str, changes: Mapping[str, Any]) -> str:
        name = self.resources[function]
        self.cloud.client("lambda").update_function_configuration(FunctionName=name, **changes)
        return self.cloud.wait_until_active(name)

    def function_archive(self, function: str) -> bytes:
        """Return the archive that a function runs."""
        found = self.cloud.client("lambda").get_function(FunctionName=self.resources[function])
        location = urlsplit(found["Code"]["Location"])
        # The host name contains the bucket; it does not resolve to this machine everywhere.
        here = location._replace(netloc=urlsplit(self.cloud.url).netloc)
        answer = httpx.get(here.geturl(), headers={"Host": location.netloc})
        answer.raise_for_status()
        return answer.content


def without_folder(archive: bytes, folder: str) -> bytes:
    """Return an archive without one of its folders."""
    result = BytesIO()
    with zipfile.ZipFile(BytesIO(archive)) as old, zipfile.ZipFile(result, "w") as new:
        for entry in old.infolist():
            if not entry.filename.startswith(f"{folder}/"):
                new.writestr(entry, old.read(entry), zipfile.ZIP_STORED)
    return result.getvalue()


@contextlib.contextmanager
def running_deployment(cloud: LocalStackServer) -> Iterator[Deployment]:
    """Run the program of `make deploy STAGE=test`; yield as soon as the stack is complete.

    The AWS CLI polls only every 30 s; its exit code is asserted after the block.
    """
    command = [sys.executable, "-m", "infra.deploy", "up", "--stage", STAGE]
    hosts = ["--api-host", API_HOST, "--files-host", FILES_HOST]
    log = StackFolder(cloud.folder).log("deploy")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, *hosts],
            cwd=ROOT,
            env=_environment() | cloud.environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_until_complete(cloud, process, log)
        yield _find_deployment(cloud)
        assert process.wait(60) == 0, tail(log)
    finally:
        kill_process_trees(process)


def _environment() -> dict[str, str]:
    ours = ("AWS_", "PLATEN_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def _wait_until_complete(
    cloud: LocalStackServer, process: "subprocess.Popen[bytes]", log: Path
) -> None:
    until = time.monotonic() + DEPLOY_TIMEOUT_S
    # The second pass of a first deployment updates the stack.
    while _status(cloud) != "UPDATE_COMPLETE":
        assert process.poll() is None, tail(log)
        assert time.monotonic() < until, tail(log)
        time.sleep(1)


def _status(cloud: LocalStackServer) -> str | None:
    listed = cloud.client("cloudformation").list_stacks()["StackSummaries"]
    return next((row["StackStatus"] for row in listed if row["StackName"] == STACK), None)


def _find_deployment(cloud: LocalStackServer) -> Deployment:
    found = cloud.client("cloudformation").describe_stack_resources(StackName=STACK)
    rows = found["StackResources"]
    resources = {row["LogicalResourceId"]: row["PhysicalResourceId"] for row in rows}
    (stage,) = [row for row in rows if row["ResourceType"] == "AWS::ApiGateway::Stage"]
    path = f"_aws/execute-api/{resources['RestAPI']}/{stage['PhysicalResourceId']}"
    return Deployment(cloud, resources, f"{cloud.url}/{path}")
