"""A workspace of its own for webhooks: no other test's events come in between."""

from collections.abc import Iterator

import pytest

from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenants


@pytest.fixture(scope="session")
def live(tenants: Tenants) -> Iterator[ApiClient]:
    """Return a client with its live key."""
    with tenants.create("webhooks", "scale") as tenant:
        yield tenant.client
