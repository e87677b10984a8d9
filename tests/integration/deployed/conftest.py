"""One LocalStack for all tests of this folder, and the package deployed to it once."""

from collections.abc import Iterator

import pytest

from tests.builders.client import Client
from tests.builders.cloud import STACKS, Cloud, running_cloud
from tests.builders.deployment import Deployment, deployed


@pytest.fixture(scope="session")
def cloud() -> Iterator[Cloud]:
    """Run LocalStack with the plug-ins, on free ports and in a folder of its own."""
    with running_cloud(STACKS) as running:
        yield running


@pytest.fixture(scope="session")
def deployment(cloud: Cloud) -> Iterator[Deployment]:
    """Build the package and deploy it."""
    with deployed(cloud) as made:
        yield made


@pytest.fixture(scope="session")
def workspace(deployment: Deployment) -> str:
    """Make a workspace with the operator tool."""
    made = deployment.platen("workspace", "create", "Deployed", "--plan", "growth")
    return str(made["id"])


@pytest.fixture(scope="session")
def live(deployment: Deployment, workspace: str) -> Iterator[Client]:
    """Give a client with a live key, through the gateway."""
    yield from _client(deployment, workspace, "live")


@pytest.fixture(scope="session")
def test(deployment: Deployment, workspace: str) -> Iterator[Client]:
    """Give a client with a test key, through the gateway."""
    yield from _client(deployment, workspace, "test")


def _client(deployment: Deployment, workspace: str, mode: str) -> Iterator[Client]:
    key = deployment.platen("key", "create", "--workspace", workspace, "--mode", mode)["key"]
    with Client(deployment, key) as client:
        yield client
