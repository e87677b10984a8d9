"""Fixture of forwarding: a forwarder to the receiver of the test."""

import pytest

from chalicelib.core.clock import SystemClock
from tests.builders.forwarding import Forwarding
from tests.builders.service import Service
from tests.fakes.webhook_receiver import WebhookReceiver


@pytest.fixture
def forwarding(service: Service, receiver: WebhookReceiver) -> Forwarding:
    """Give a forwarder that has not started yet."""
    service.clock.moment = SystemClock().now().replace(microsecond=0)
    return Forwarding(service, receiver)
