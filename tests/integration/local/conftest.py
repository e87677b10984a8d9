"""Two stacks side by side: one whose workspaces share processes, and one where they do not."""

from collections.abc import Iterator

import pytest

from infra.local.running_stack import RunningStack, running_stack


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    with running_stack() as running:
        yield running


@pytest.fixture(scope="session")
def isolating() -> Iterator[RunningStack]:
    with running_stack(PLATEN_LOCAL_TENANCY="workspace") as running:
        yield running
