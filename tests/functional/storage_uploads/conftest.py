"""Store of a test in place of those of customers."""

import pytest

from tests.builders.service import Service
from tests.fakes.store import FakeStore


@pytest.fixture
def store(service: Service) -> FakeStore:
    """Return the store that all destinations of the service have."""
    fake = FakeStore()
    service.stores = fake.openers
    return fake
