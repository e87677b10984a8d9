"""The whole service for tests: real emulators, real browser, real HTTP."""

from collections.abc import Iterator

import pytest

from infra.local.testing import RunningStack, running_stack
from tests.builders.client import Client


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    """Run one stack, on free ports and in a folder of its own, for all tests of this folder."""
    with running_stack() as running:
        yield running


@pytest.fixture(scope="session")
def live(stack: RunningStack) -> Iterator[Client]:
    """Give a client with the live key."""
    with Client(stack, stack.live_key) as client:
        yield client


@pytest.fixture(scope="session")
def test(stack: RunningStack) -> Iterator[Client]:
    """Give a client with the test key."""
    with Client(stack, stack.test_key) as client:
        yield client
