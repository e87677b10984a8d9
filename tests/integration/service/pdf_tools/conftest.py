"""Workspaces for tests of PDF tools."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenant, Tenants
from tests.builders.stack.tool_requests import RunTool, send_tool


@pytest.fixture(scope="session")
def live(tenants: Tenants) -> Iterator[ApiClient]:
    """Return a client with a live key of a large plan."""
    with tenants.create("tools", "scale") as tenant:
        yield tenant.client


@pytest.fixture(scope="session")
def run(live: ApiClient) -> RunTool:
    """Return what sends requests of tools with the live key."""
    return partial(send_tool, live)


@pytest.fixture
def tenant(tenants: Tenants) -> Iterator[Tenant]:
    """Create a workspace that waits for long."""
    with tenants.create("ends", "scale") as made:
        yield made


@pytest.fixture
def other(tenants: Tenants) -> Iterator[Tenant]:
    """Create a workspace that must not notice anything."""
    with tenants.create("other", "scale") as made:
        yield made


@pytest.fixture
def send(tenant: Tenant) -> RunTool:
    """Return what sends requests of tools."""
    return partial(send_tool, tenant.client)
