"""Fixtures of webhooks: a receiver on this machine, which egress may reach."""

from collections.abc import Iterator

import pytest

from tests.builders.service import Service
from tests.builders.webhooks import allow_receiver
from tests.fakes.webhook_receiver import WebhookReceiver, webhook_receiver


@pytest.fixture
def receiver(service: Service) -> Iterator[WebhookReceiver]:
    """Run a receiver that the service may send to."""
    with webhook_receiver() as running:
        allow_receiver(service, running)
        yield running
