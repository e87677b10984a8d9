"""Servers on folders of their own, with a workspace: one of a test, and one of all tests."""

from collections.abc import Iterator

import pytest

from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer, running_server


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with running_server(tmp_path_factory.mktemp("serve") / "data") as server:
        yield server


@pytest.fixture
def tenant(server: RunningServer) -> RunningStack:
    """Start the server and make a workspace as an operator does."""
    server.start()
    return server.create_tenant("Acme")


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server that no test stops."""
    with running_server(tmp_path_factory.mktemp("shared") / "data") as server:
        server.start()
        yield server


@pytest.fixture(scope="session")
def shared_tenant(shared_server: RunningServer) -> RunningStack:
    return shared_server.create_tenant("Shared")
