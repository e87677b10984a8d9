"""A stack that is asked what the document describes."""

from collections.abc import Iterator

import pytest

from infra.local.running_stack import RunningStack, running_stack


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    """Run one stack for all tests of this folder."""
    with running_stack() as running:
        yield running
