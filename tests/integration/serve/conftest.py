"""A server on a folder of its own, with a workspace."""

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
