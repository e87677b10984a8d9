"""One server for all tests, with a workspace for each, and servers of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer, running_server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give the server of all tests, which may stop it, kill it and start it again."""
    with running_server(tmp_path_factory.mktemp("serve") / "data") as server:
        yield server


@pytest.fixture
def tenant(server: RunningServer) -> RunningStack:
    """Make a workspace as an operator does, on the server that runs then."""
    if not server.is_running:
        server.start()
    return server.create_tenant("Acme")


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[RunningServer]:
    """Give a server on an empty folder, not started."""
    with running_server(tmp_path / "data") as server:
        yield server
