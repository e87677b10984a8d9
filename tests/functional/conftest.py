"""What functional tests stand on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.bootstrap import state
from chalicelib.engine.schemas.worker import SchemaWorker
from infra.package.needs import NEEDS
from tests.builders.operator import Tool
from tests.builders.service import Aws, Service, in_process_aws


@pytest.fixture(scope="session")
def aws() -> Iterator[Aws]:
    """Give one in-process AWS to all tests."""
    with in_process_aws() as running:
        yield running


@pytest.fixture(scope="session", autouse=True)
def schemas() -> Iterator[None]:
    """Give one process that checks schemas to all tests; none starts it without need."""
    worker = SchemaWorker()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state, "SchemaWorker", lambda: worker)
        yield
    worker.close()


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
