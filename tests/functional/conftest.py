"""What functional tests stand on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders.operator import Tool
from tests.builders.service import Aws, Service, in_process_aws


@pytest.fixture(scope="session")
def aws() -> Iterator[Aws]:
    """Give one in-process AWS to all tests."""
    with in_process_aws() as running:
        yield running


@pytest.fixture
def service(aws: Aws) -> Service:
    """Give the whole service over resources of its own and a fake engine."""
    return Service(aws)


@pytest.fixture
def tool(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """Give the operator tool over the service's tables."""
    tool = Tool(tmp_path, monkeypatch)
    tool.use(service.settings.main_table, service.made)
    return tool
