"""What functional tests stand on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.bootstrap import shared_services
from chalicelib.engine.schemas.worker import SchemaWorker
from infra.package.needs import NEEDS
from tests.builders.operator import OperatorTool
from tests.builders.service import MotoAws, Service, in_process_aws


@pytest.fixture(scope="session")
def aws() -> Iterator[MotoAws]:
    """Give one in-process AWS to all tests."""
    with in_process_aws() as running:
        yield running


@pytest.fixture(scope="session", autouse=True)
def schemas() -> Iterator[None]:
    """Give one process that checks schemas to all tests; none starts it without need."""
    worker = SchemaWorker()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared_services, "SchemaWorker", lambda: worker)
        yield
    worker.close()


@pytest.fixture
def service(aws: MotoAws) -> Iterator[Service]:
    """Give the whole service over resources of its own and a fake engine.

    Nothing in this process refuses what a role does not allow: that is told afterwards.
    """
    service = Service(aws)
    with service.aws_actions.recording(service.clients):
        yield service
    assert service.aws_actions.actions_without_grant(NEEDS) == []


@pytest.fixture
def tool(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OperatorTool:
    """Give the operator tool over the service's tables."""
    tool = OperatorTool(tmp_path, monkeypatch)
    tool.use_service(service.settings.main_table, service.resources)
    return tool
