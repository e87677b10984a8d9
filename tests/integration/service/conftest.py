"""The whole service for tests: real emulators, real browser, real HTTP."""

from collections.abc import Iterator

import pytest

from infra.local.running_stack import RunningStack, running_stack
from tests.builders.stack.api_client import ApiClient


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    """Run one stack, on free ports and in a folder of its own, for all tests of this folder."""
    with running_stack() as running:
        yield running


@pytest.fixture(scope="session")
def live(stack: RunningStack) -> Iterator[ApiClient]:
    """Return a client with the live key."""
    with ApiClient(stack, stack.live_key) as client:
        yield client


@pytest.fixture(scope="session")
def test(stack: RunningStack) -> Iterator[ApiClient]:
    """Return a client with the test key."""
    with ApiClient(stack, stack.test_key) as client:
        yield client
