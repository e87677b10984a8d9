"""A stack that the programs of the quickstart talk to, through a relay."""

from collections.abc import Iterator

import pytest

from infra.local.running_stack import RunningStack, running_stack
from tests.integration.quickstarts.relay import Relay, running_relay


@pytest.fixture(scope="session")
def relay() -> Iterator[Relay]:
    """Run the relay, which each test clears."""
    with running_relay() as running:
        yield running


@pytest.fixture(scope="session")
def stack(relay: Relay) -> Iterator[RunningStack]:
    """Run one stack for all tests of this folder; it reaches the relay alone."""
    with running_stack(PLATEN_EGRESS_ALLOW=relay.allowed) as running:
        relay.service = running.base_url.removesuffix("/v1")
        yield running
