"""Stack that refuses invocations, as Lambda does, when all functions are busy."""

from collections.abc import Iterator

import pytest

from infra.local.running_stack import RunningStack, running_stack
from tests.builders.stack.tenants import Tenants


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    """Run one stack for all tests of this folder."""
    with running_stack(PLATEN_LOCAL_THROTTLE="1") as running:
        yield running


@pytest.fixture(scope="session")
def tenants(stack: RunningStack) -> Tenants:
    """Create workspaces on that stack."""
    return Tenants(stack)
