"""Both stores of one machine, an empty bucket for each test, and the product's client for it."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Final, override

import pytest

from chalicelib.adapters.aws.session import AwsClients
from infra.local.access.keys import AccessKey
from infra.local.emulators import start_ministack
from infra.local.objects.start import start_object_store
from infra.local.paths import StackFolder
from infra.local.processes import Spawner
from infra.local.runner.environment import REGION
from tests.fakes.fault_injector import FaultInjector, FaultKind
from tests.fakes.fault_proxy import fault_proxy

BUCKET: Final = "streams"
KEY: Final = AccessKey.random()

type FaultyClients = Callable[[str, FaultKind], AwsClients]


class FirstCallFault(FaultInjector):
    """One fault, of the first call of an operation."""

    def __init__(self, operation: str, kind: FaultKind) -> None:
        super().__init__(0, {})
        self._planned = {operation: kind}

    @override
    def draw(self, operation: str, subject: str | None = None) -> FaultKind | None:
        return self._planned.pop(operation, None)


@pytest.fixture(scope="session", params=["MiniStack", "folder"])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run the store of `make run`, and then that of `make serve`."""
    with ExitStack() as cleanup:
        path = tmp_path_factory.mktemp("s3")
        if request.param == "folder":
            running = start_object_store(path / "objects", KEY)
            cleanup.callback(running.server.close)
            yield running.server.url
            return
        spawner = Spawner()
        cleanup.callback(spawner.close)
        emulator = start_ministack(StackFolder(path), spawner, KEY)
        cleanup.callback(emulator.stop)
        emulator.wait()
        yield emulator.url


@pytest.fixture
def environment(url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Point AWS tools of this process to the bucket, and return all variables of a child's."""
    for name, value in KEY.variables().items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, REGION)
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)
    return dict(os.environ)


@pytest.fixture
def clients(
    environment: dict[str, str],  # noqa: ARG001 -- for the endpoint
) -> Iterator[AwsClients]:
    """Give the clients as the product configures them, and an empty bucket."""
    clients = AwsClients()
    clients.s3.create_bucket(Bucket=BUCKET)
    yield clients
    for row in clients.s3.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        clients.s3.delete_object(Bucket=BUCKET, Key=row["Key"])
    for upload in clients.s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []):
        clients.s3.abort_multipart_upload(
            Bucket=BUCKET, Key=upload["Key"], UploadId=upload["UploadId"]
        )


@pytest.fixture
def faulty_clients(
    url: str,
    clients: AwsClients,  # noqa: ARG001 -- for the bucket
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[FaultyClients]:
    """Give clients whose first call of an operation fails in this way."""
    with ExitStack() as cleanup:

        def faulty(operation: str, kind: FaultKind) -> AwsClients:
            proxy = fault_proxy(url, FirstCallFault(operation, kind))
            monkeypatch.setenv("AWS_ENDPOINT_URL", cleanup.enter_context(proxy))
            return AwsClients()

        yield faulty
