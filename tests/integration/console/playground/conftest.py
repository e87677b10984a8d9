"""What the tests of the playground share: a client of the API beside the person."""

from collections.abc import Iterator

import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient


@pytest.fixture
def api(stack: RunningStack) -> Iterator[ApiClient]:
    """Give a client with the key that the person uses."""
    with ApiClient(stack, stack.test_key) as client:
        yield client
