"""A workspace of its own for webhooks: no other test's events come in between."""

import time
from collections.abc import Callable, Iterator

import pytest

from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenants


@pytest.fixture(scope="session")
def live(tenants: Tenants) -> Iterator[ApiClient]:
    """Return a client with its live key."""
    with tenants.create("webhooks", "scale") as tenant:
        yield tenant.client


@pytest.fixture(scope="session")
def wait_until() -> Callable[[Callable[[], bool]], None]:
    """Give what waits until a condition holds; on a busy machine that takes a while."""

    def wait(is_done: Callable[[], bool]) -> None:
        end = time.monotonic() + 90
        while not is_done():
            assert time.monotonic() < end
            time.sleep(0.05)

    return wait
