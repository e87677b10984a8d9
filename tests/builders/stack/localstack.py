"""LocalStack with the plug-ins of infra/localstack: functions run as processes, as deployed."""

import contextlib
import io
import json
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from infra.local.emulators import client_factory, start_localstack
from infra.local.paths import StackFolder, tail
from infra.local.processes import Spawner
from infra.local.runner.environment import REGION
from tests.builders.open_emulators import ANY_KEY, start_open_dynoxide
from tests.builders.waiting import PATIENCE_S

FUNCTION_SERVICES: Final = ("cloudwatch", "iam", "lambda", "logs", "s3", "sts")
STACK_SERVICES: Final = (
    *FUNCTION_SERVICES,
    "apigateway",
    "cloudformation",
    "dynamodb",
    "events",
    "kms",
    "secretsmanager",
    "sqs",
    "ssm",
)
ROLE: Final = "arn:aws:iam::000000000000:role/any"


@dataclass(frozen=True, slots=True)
class LocalStackServer:
    """A running LocalStack, and the DynamoDB behind it."""

    url: str
    dynamodb_url: str
    pid: int
    folder: Path
    client: Callable[[str], Any]

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment variables that point AWS tools to it."""
        return {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ENDPOINT_URL": self.url,
        }

    def log(self) -> str:
        """Return the end of LocalStack's log."""
        return tail(StackFolder(self.folder).log("localstack"))

    def invoke(
        self, function: str, event: Any = None, tenant: str | None = None
    ) -> tuple[Any, str | None]:
        """Invoke a function; return its answer, and `Unhandled` if it failed."""
        options = {"TenantId": tenant} if tenant else {}
        payload = json.dumps(event or {})
        answer = self.client("lambda").invoke(FunctionName=function, Payload=payload, **options)
        return json.loads(answer["Payload"].read()), answer.get("FunctionError")

    def create_function(self, name: str, code: bytes, **more: Any) -> str:
        """Create a function from an archive; return its name when it can be invoked."""
        bucket, s3 = "archives", self.client("s3")
        s3.create_bucket(Bucket=bucket)
        s3.put_object(Bucket=bucket, Key=name, Body=code)
        settings = {"Runtime": "python3.13", "Role": ROLE, "Timeout": 30} | more
        self.client("lambda").create_function(
            FunctionName=name, Code={"S3Bucket": bucket, "S3Key": name}, **settings
        )
        return self.wait_until_active(name)

    def publish_layer(self, name: str, content: bytes) -> str:
        """Publish a version of a layer; return its ARN."""
        client = self.client("lambda")
        made = client.publish_layer_version(LayerName=name, Content={"ZipFile": content})
        return str(made["LayerVersionArn"])

    def wait_until_active(self, name: str) -> str:
        """Return the name of a function that can be invoked."""
        until = time.monotonic() + PATIENCE_S
        while True:
            found = self.client("lambda").get_function_configuration(FunctionName=name)
            states = {found["State"], found.get("LastUpdateStatus", "Successful")}
            if states == {"Active", "Successful"}:
                return name
            assert "Failed" not in states, found
            assert time.monotonic() < until, found
            time.sleep(0.05)


def zip_archive(files: Mapping[str, str | bytes]) -> bytes:
    """Return files as a zip archive."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return content.getvalue()


@contextlib.contextmanager
def running_localstack(services: tuple[str, ...] = FUNCTION_SERVICES) -> Iterator[LocalStackServer]:
    """Run LocalStack and dynoxide on free ports, in a folder of their own, for the block."""
    with contextlib.ExitStack() as cleanup:
        path = _folder(cleanup)
        folder, spawner = StackFolder(path), Spawner()
        folder.scratch.mkdir()
        cleanup.callback(spawner.close)
        dynoxide = start_open_dynoxide(folder, spawner)
        cleanup.callback(dynoxide.stop)
        localstack = start_localstack(folder, spawner, _settings(services, dynoxide.url))
        cleanup.callback(localstack.stop)
        dynoxide.wait()
        localstack.wait()
        clients = client_factory({"AWS_ENDPOINT_URL": localstack.url, **ANY_KEY.variables()})
        yield LocalStackServer(localstack.url, dynoxide.url, localstack.process.pid, path, clients)


def _folder(cleanup: contextlib.ExitStack) -> Path:
    made = tempfile.TemporaryDirectory(prefix="platen-", ignore_cleanup_errors=True)
    path = Path(cleanup.enter_context(made))
    # Under root the browser runs as another user, who must reach this folder.
    path.chmod(0o711)
    return path


def _settings(services: tuple[str, ...], dynamodb_url: str) -> dict[str, str]:
    return {
        # Nineteen queues are polled, at a processor's expense.
        "LAMBDA_EVENT_SOURCE_MAPPING_MAX_BACKOFF_ON_EMPTY_POLL_SEC": "1",
        "LAMBDA_EVENT_SOURCE_MAPPING_POLL_INTERVAL_SEC": "1",
        "LAMBDA_RUNTIME_ENVIRONMENT_TIMEOUT": "60",
        "LAMBDA_RUNTIME_EXECUTOR": "process",
        "PLATEN_DYNAMODB_URL": dynamodb_url,
        "PROVIDER_OVERRIDE_DYNAMODB": "external",
        "SERVICES": ",".join(services),
    }
