"""One LocalStack for all tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.builders.cloud import STACKS, Cloud, running_cloud


@pytest.fixture(scope="session")
def cloud() -> Iterator[Cloud]:
    """Run LocalStack with the plug-ins, on free ports and in a folder of its own."""
    with running_cloud(STACKS) as running:
        yield running
