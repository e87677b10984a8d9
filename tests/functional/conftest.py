"""Fixtures of the functional tests: in-process AWS, the service and the operator tool."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.adapters.json_logs import log_context
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
    """Give one schema worker process to all tests; it starts on first use."""
    worker = SchemaWorker()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared_services, "SchemaWorker", lambda **_walls: worker)
        yield
    worker.close()


@pytest.fixture
def service(aws: MotoAws) -> Iterator[Service]:
    """Give the whole service over separate resources and a fake engine.

    moto enforces no role: actions without a grant fail the test afterwards.
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


@pytest.fixture(autouse=True)
def log_ids() -> Iterator[None]:
    """End with each test the ids that its functions have bound to log lines."""
    with log_context():
        yield
