"""One LocalStack for all tests of this folder, and the package deployed to it once."""

from collections.abc import Iterator

import pytest

from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.deployment import Deployment, running_deployment
from tests.builders.stack.localstack import STACK_SERVICES, LocalStackServer, running_localstack


@pytest.fixture(scope="session")
def cloud() -> Iterator[LocalStackServer]:
    """Run LocalStack with the plug-ins, on free ports and in a folder of its own."""
    with running_localstack(STACK_SERVICES) as running:
        yield running


@pytest.fixture(scope="session")
def deployment(cloud: LocalStackServer) -> Iterator[Deployment]:
    """Build the package and deploy it."""
    with running_deployment(cloud) as made:
        yield made


@pytest.fixture(scope="session")
def workspace(deployment: Deployment) -> str:
    """Create a workspace with the operator tool."""
    made = deployment.platen("workspace", "create", "Deployed", "--plan", "growth")
    return str(made["id"])


@pytest.fixture(scope="session")
def live(deployment: Deployment, workspace: str) -> Iterator[ApiClient]:
    """Return a client with a live key, through the gateway."""
    yield from _client(deployment, workspace, "live")


@pytest.fixture(scope="session")
def test(deployment: Deployment, workspace: str) -> Iterator[ApiClient]:
    """Return a client with a test key, through the gateway."""
    yield from _client(deployment, workspace, "test")


def _client(deployment: Deployment, workspace: str, mode: str) -> Iterator[ApiClient]:
    key = deployment.platen("key", "create", "--workspace", workspace, "--mode", mode)["key"]
    with ApiClient(deployment, key) as client:
        yield client
