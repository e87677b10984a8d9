"""Handler of the webhook queues: makes the attempts that are due, those of a batch at once."""

import secrets

from chalicelib.adapters.aws.messages import QueueConsumer, QueueConsumers, ReceivedMessage
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.bootstrap.work_function import ServeEvent, WorkFunction, WorkParts
from chalicelib.features.webhooks.deliver import SendWebhook
from chalicelib.features.webhooks.deliveries import Deliveries
from chalicelib.features.webhooks.endpoints import Endpoints
from chalicelib.features.webhooks.log import EraseWebhooks
from chalicelib.features.webhooks.message import DeliverWebhook


def build(parts: WorkParts) -> ServeEvent:
    """Return the function that makes the attempts of a batch."""
    state, settings = parts.state, parts.settings
    deliveries = Deliveries(state.tables, state.main_table)
    send = SendWebhook(
        tables=state.tables,
        endpoints=Endpoints(state.tables, state.main_table),
        deliveries=deliveries,
        objects=state.objects,
        sealer=SecretSealer(parts.clients, settings.data_key, parts.clock),
        egress=GuardedEgress(allow=settings.egress_allow, own_hosts=settings.own_hosts),
        retries=parts.queue("webhooks_slow"),
        clock=parts.clock,
    )
    erase = EraseWebhooks(
        tables=state.tables, table=state.main_table, deliveries=deliveries, objects=state.objects
    )

    def deliver(message: ReceivedMessage) -> None:
        named = DeliverWebhook.from_json(message.body)
        if not send(named, secrets.token_hex(8)):
            erase.erase_expired(named.workspace_id, named.delivery_id, parts.clock.now())

    dead_letters = Queue(parts.clients, settings.dead_letters_url(parts.row.queues[0]))
    consumers = QueueConsumers(
        QueueConsumer(parts.queue(name), dead_letters) for name in parts.row.queues
    )
    return lambda event: consumers.process_concurrently(event["Records"], deliver)


handler = WorkFunction("deliver_webhook", build)
warm = handler.warm
warm_up_on_lambda(warm)
