"""Forwarder of the events of a service to a receiver."""

from typing import Any, Final

from chalicelib.bootstrap.operator_webhooks import ForwardService
from chalicelib.features.forwarding.forward import ForwardedEvent, ForwardEvents, ForwardTarget
from chalicelib.features.webhooks.signature import new_secret
from chalicelib.settings import ForwardSettings
from infra.operator import forward_webhooks
from tests.builders.service import Service
from tests.fakes.webhook_receiver import WebhookReceiver

SECRET: Final = new_secret()


class Forwarding:
    """Forwarder of the workspace of a service to a receiver."""

    def __init__(self, service: Service, receiver: WebhookReceiver) -> None:
        settings = {
            name: getattr(service.settings, name) for name in ForwardSettings.__annotations__
        }
        self.service = ForwardService(ForwardSettings(**settings), service.clients, service.clock)
        self.events: ForwardEvents = self.service.make_forwarder(
            service.workspace, forward_webhooks._connect
        )
        self.target = ForwardTarget(url=receiver.url, secrets=[SECRET])

    def poll(self, **target: Any) -> list[ForwardedEvent]:
        chosen = {"url": self.target.url, "secrets": [SECRET], **target}
        return list(self.events.forward_new(ForwardTarget(**chosen)))

    def types(self) -> list[str]:
        return [event.type for event in self.poll()]
