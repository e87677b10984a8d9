"""Fixtures of the functional tests: in-process AWS, the service and the operator tool."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chalicelib.adapters.json_logs import log_context
from infra.package.needs import NEEDS
from tests.builders.in_process_aws import MotoAws, in_process_aws
from tests.builders.operator import OperatorTool
from tests.builders.service import Service, shared_schemas
from tests.builders.stack.msgspec_types import build_type_descriptions
from tests.builders.webhooks import allow_receiver
from tests.fakes.webhook_receiver import WebhookReceiver, webhook_receiver


@pytest.fixture(scope="session")
def aws() -> Iterator[MotoAws]:
    """Give one in-process AWS to all tests, of which some call it in threads."""
    build_type_descriptions()
    with in_process_aws() as running, rare_collections():
        yield running


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for garbage rarely in the block, and not among the modules and what moto stores.

    Looking through them again and again took a tenth of the tests' time.
    """
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def schemas() -> Iterator[None]:
    """End the schema worker process that all tests share."""
    yield
    shared_schemas().close()


@pytest.fixture
def service(aws: MotoAws) -> Iterator[Service]:
    """Give the whole service over separate resources and a fake engine.

    moto enforces no role: actions without a grant fail the test afterwards.
    """
    service = Service(aws)
    with service.aws_actions.recording(service.clients):
        yield service
    aws.give_back(service.resources)
    assert service.aws_actions.actions_without_grant(NEEDS) == []


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Call a busy function again almost at once: no test measures the pause."""
    for module in ("renders.run.run_now", "einvoices.validate"):
        monkeypatch.setattr(f"chalicelib.features.{module}._RETRY_PAUSE_S", 0.001)


@pytest.fixture
def tool(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OperatorTool:
    """Give the operator tool over the service's tables."""
    tool = OperatorTool(tmp_path, monkeypatch)
    tool.use_service(service.settings.main_table, service.resources)
    return tool


@pytest.fixture
def receiver(service: Service) -> Iterator[WebhookReceiver]:
    """Run a receiver on this machine that the service may send webhooks to."""
    with webhook_receiver() as running:
        allow_receiver(service, running)
        yield running


@pytest.fixture(autouse=True)
def log_ids() -> Iterator[None]:
    """End with each test the ids that its functions have bound to log lines."""
    with log_context():
        yield
