"""Fixtures of webhooks: a receiver on this machine, which egress may reach, and its time."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from chalicelib.features.webhooks.deliveries.send import PostWebhook
from functions.deliver_webhook import handler
from tests.builders.service import Service
from tests.builders.webhooks import receiver_of
from tests.fakes.webhook_receiver import WebhookReceiver


@pytest.fixture
def receiver(service: Service) -> Iterator[WebhookReceiver]:
    """Run a receiver that the service may send to; each delivery is verified at the end."""
    with receiver_of(service) as running:
        yield running


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Give the setter of the seconds that a receiver has for its answer."""

    def give(timeout_s: float) -> None:
        monkeypatch.setattr(handler, "PostWebhook", partial(PostWebhook, timeout_s=timeout_s))

    return give
