"""A server on a folder of its own, with a workspace and a live key."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.builders.stack.served import Server, server_on


class Tenant(NamedTuple):
    """Workspace on a server, and its live key."""

    workspace: str
    key: str


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server_on(tmp_path_factory.mktemp("serve") / "data") as server:
        yield server


@pytest.fixture
def tenant(server: Server) -> Tenant:
    """Start the server and make a workspace as an operator does."""
    server.start()
    workspace = str(server.platen("workspace", "create", "Acme")["id"])
    key = server.platen("key", "create", "--workspace", workspace, "--mode", "live")
    return Tenant(workspace, str(key["key"]))
