"""Service whose functions die at the armed crash points."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders.crash.in_process.stack import ServiceStack, service_stack
from tests.builders.service import MotoAws


@pytest.fixture
def stack(aws: MotoAws, tmp_path: Path) -> Iterator[ServiceStack]:
    """Run a service for one case."""
    with service_stack(aws, tmp_path) as running:
        yield running
