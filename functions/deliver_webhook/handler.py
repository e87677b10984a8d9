"""Handler of the webhook queues: makes the attempts that are due, those of a batch at once."""

import secrets
from functools import partial

from chalicelib.adapters.aws.messages import (
    BatchResponse,
    QueueConsumer,
    QueueConsumers,
    QueueEvent,
    ReceivedMessage,
)
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.bootstrap.work_function import ServeEvent, WorkFunction, WorkParts
from chalicelib.features.webhooks.deliveries.deliver import SendWebhook
from chalicelib.features.webhooks.deliveries.message import DeliverWebhook
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from chalicelib.features.webhooks.deliveries.send import PostWebhook
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from chalicelib.features.webhooks.endpoints.secrets import SigningSecrets
from chalicelib.features.webhooks.erase import EraseWebhooks
from chalicelib.features.webhooks.leases.repository import (
    FAST_QUEUE,
    SLOW_QUEUE,
    BatchLeases,
    ReceiverLeases,
)


def build(parts: WorkParts) -> ServeEvent:
    """Return the function that makes the attempts of a batch."""
    state, settings = parts.state, parts.settings
    deliveries = Deliveries(table=state.main_table)
    endpoints = Endpoints(table=state.main_table)
    sealer = SecretSealer(parts.clients, settings.data_key, parts.clock)
    egress = GuardedEgress(allow=settings.egress_allow, own_hosts=settings.own_hosts)
    # What the first attempt needs is loaded before it: a second of a busy process.
    parts.clients.create("dynamodb", "kms", "sqs")
    egress.client().close()
    send = SendWebhook(
        table=state.main_table,
        endpoints=endpoints,
        deliveries=deliveries,
        objects=state.objects,
        post=PostWebhook(
            secrets=SigningSecrets(endpoints=endpoints, sealer=sealer),
            egress=egress,
            clock=parts.clock,
        ),
        retries=parts.queue("webhooks_slow"),
        clock=parts.clock,
        on_attempt=lambda status: parts.metrics.count("WebhookAttempts", status=status),
    )
    erase = EraseWebhooks(table=state.main_table, deliveries=deliveries, objects=state.objects)

    def deliver(batch: BatchLeases, message: ReceivedMessage) -> None:
        webhook_message = DeliverWebhook.from_json(message.body)
        if not send(webhook_message, batch, secrets.token_hex(8)):
            erase.erase_expired(
                webhook_message.workspace_id, webhook_message.delivery_id, parts.clock.now()
            )

    leases = ReceiverLeases(table=state.main_table)
    dead_letters = Queue(parts.clients, settings.dead_letters_url(parts.row.queues[0]))
    delivery_queues = {
        QueueConsumer(parts.queue(delivery_queue.name), dead_letters): delivery_queue
        for delivery_queue in (FAST_QUEUE, SLOW_QUEUE)
    }
    consumers = QueueConsumers(delivery_queues)

    def serve(event: QueueEvent) -> BatchResponse:
        consumer = consumers.consumer_of(event["Records"])
        batch = BatchLeases(leases, delivery_queues[consumer])
        return consumer.process_concurrently(event["Records"], partial(deliver, batch))

    return serve


handler = WorkFunction("deliver_webhook", build)
warm = handler.warm
warm_up_on_lambda(warm)
