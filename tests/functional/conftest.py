"""What functional tests stand on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.package.needs import NEEDS
from tests.builders.operator import Tool
from tests.builders.service import Aws, Service, in_process_aws


@pytest.fixture(scope="session")
def aws() -> Iterator[Aws]:
    """Give one in-process AWS to all tests."""
    with in_process_aws() as running:
        yield running


@pytest.fixture
def service(aws: Aws) -> Iterator[Service]:
    """Give the whole service over resources of its own and a fake engine.

    Nothing in this process refuses what a role does not allow: that is told afterwards.
    """
    service = Service(aws)
    with service.overheard.listening(service.clients):
        yield service
    assert service.overheard.refused(NEEDS) == []


@pytest.fixture
def tool(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """Give the operator tool over the service's tables."""
    tool = Tool(tmp_path, monkeypatch)
    tool.use(service.settings.main_table, service.made)
    return tool
