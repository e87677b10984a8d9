"""The functions behind queues and the schedule, run in this process on request of a test."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from unittest.mock import patch

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import Table
from chalicelib.bootstrap.work import (
    WORK,
    dead_letters_resource,
    queue_resource,
)
from chalicelib.bootstrap.work_function import WorkParts
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.dead_letters.repository import DeadLetter, DeadLetters
from chalicelib.features.destinations.outgoing import OpenStore
from chalicelib.settings import ApiSettings, WorkSettings
from functions.combine_batch import handler as combine_batch
from functions.dead_letters import handler as dead_letters
from functions.deliver_webhook import handler as deliver_webhook
from functions.maintenance import handler as maintenance
from functions.relay import handler as relay
from functions.release_batch import handler as release_batch
from functions.send_email import handler as send_email
from functions.tick import handler as tick
from functions.upload_files import handler as upload_files
from infra.local.event_sources import sqs_event
from tests.builders.aws_actions import acting_as
from tests.fakes.api_services import FixedClock

_ALL_PARTITIONS: Any = DueKind.partitions
QUEUES = ("Renders", "Events", "Maintenance", "Webhooks")
_FUNCTIONS = {
    "Renders": "RenderFunction",
    "RendersLow": "RenderFunction",
    "Events": "RelayFunction",
    "Maintenance": "MaintenanceFunction",
    "Webhooks": "DeliverWebhookFunction",
    "WebhooksSlow": "DeliverWebhookFunction",
    "Batches": "ReleaseBatchFunction",
    "BatchItems": "RenderFunction",
    "Combine": "CombineBatchFunction",
    "Emails": "SendEmailFunction",
    "Uploads": "UploadFilesFunction",
}
# A batch that is not done after so many rounds never is.
_MAX_ROUNDS = 1_000


class BackgroundFunctions(ABC):
    """Background functions of a service over moto."""

    resources: Mapping[str, Mapping[str, str]]
    settings: ApiSettings
    clients: AwsClients
    clock: FixedClock
    workspace: WorkspaceId
    # By kind; None: the stores themselves.
    stores: Mapping[str, OpenStore] | None = None
    smtp_url = ""

    def run_batch(self, queue: str, serve: Callable[[Any], Mapping[str, Any]]) -> list[str]:
        """Receive the messages of a queue, serve them, and return the ids of failed ones.

        Without messages no function is called, as on Lambda.
        """
        if not self.waiting(queue):
            return []
        url = self.queue_url(queue)
        received = self.clients.sqs.receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=self.batch_size(queue),
            WaitTimeSeconds=0,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        messages = received.get("Messages", [])
        event = sqs_event(messages, f"arn:aws:sqs:x:y:{url.rsplit('/', 1)[-1]}")
        with acting_as(_FUNCTIONS.get(queue, "DeadLettersFunction")):
            answer = serve(event)
        failed = [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]
        for message in messages:
            if message["MessageId"] not in failed:
                self.clients.sqs.delete_message(
                    QueueUrl=url, ReceiptHandle=message["ReceiptHandle"]
                )
        return failed

    def batch_size(self, queue: str) -> int:  # noqa: ARG002 -- of every queue
        """Return how many messages of a queue a function gets at most."""
        return 10

    def queue_url(self, queue: str) -> str:
        """Return the address of a queue, or of a dead-letter queue by its whole name."""
        name = f"{queue}Queue"
        return self.resources[name if name in self.resources else queue]["Ref"]

    def work_parts(self, name: str) -> WorkParts:
        """Return the parts of a function of the registry of work."""
        row = WORK[name]
        values = vars(self.settings) | {
            "smtp_url": self.smtp_url,
            "smtp_secret": self.resources["MailSecret"]["Ref"],
        }
        values |= {
            setting_name: self.resources[resource]["Ref"]
            for row_of_queue in WORK.values()
            for queue in row_of_queue.queues
            for setting_name, resource in (
                (f"{queue}_queue_url", queue_resource(queue)),
                (f"{queue}_dead_letters_url", dead_letters_resource(queue)),
            )
            if resource in self.resources
        }
        # A function knows the settings that its row names, and no other.
        own = {key: value for key, value in values.items() if key in row.all_settings}
        return WorkParts(row, WorkSettings(**own), self.clients, self.clock)

    def relay_events(self) -> list[str]:
        """Run the relay on the messages of the events queue."""
        return self.run_batch("Events", relay.build(self.work_parts("relay")))

    def tick(self) -> int:
        """Run the tick, and return how many due items it dispatched.

        It asks for the partitions that are not empty: those are few of eighty.
        """
        filled = self._partitions_of_due_items()

        def partitions(kind: DueKind) -> list[str]:
            return [each for each in _ALL_PARTITIONS.fget(kind) if each in filled]

        with (
            patch.object(DueKind, "partitions", property(partitions)),
            acting_as("TickFunction"),
        ):
            serve: Callable[[Any], Mapping[str, Any]] = tick.build(self.work_parts("tick"))
            handed: int = serve({})["handed"]
        return handed

    def _partitions_of_due_items(self) -> set[str]:
        pages = self.clients.dynamodb.get_paginator("scan").paginate(
            TableName=self.settings.main_table, IndexName="due", ProjectionExpression="DPK"
        )
        return {row["DPK"]["S"] for page in pages for row in page["Items"]}

    def run_maintenance(self) -> list[str]:
        """Run the maintenance on the messages of its queue."""
        return self.run_batch("Maintenance", maintenance.build(self.work_parts("maintenance")))

    def deliver_webhooks(self) -> list[str]:
        """Run the webhook function on the messages of both its queues."""
        serve = deliver_webhook.build(self.work_parts("deliver_webhook"))
        return [
            failed
            for queue in ("Webhooks", "WebhooksSlow")
            for failed in self.run_batch(queue, serve)
        ]

    def release_batches(self) -> list[str]:
        """Run the releaser on the messages of the batches queue."""
        return self.run_batch("Batches", release_batch.build(self.work_parts("release_batch")))

    def combine_batches(self) -> list[str]:
        """Run the combining function on the messages of its queue."""
        return self.run_batch("Combine", combine_batch.build(self.work_parts("combine_batch")))

    def send_emails(self) -> list[str]:
        """Run the function that sends emails on the messages of its queue."""
        return self.run_batch("Emails", send_email.build(self.work_parts("send_email")))

    def upload_files(self) -> list[str]:
        """Run the function that uploads files on the messages of its queue."""
        return self.run_batch("Uploads", self.upload_function())

    def upload_function(self) -> Callable[[Any], Mapping[str, Any]]:
        """Return the function that uploads files, to the stores of a test if there are any."""
        parts = self.work_parts("upload_files")
        if self.stores is None:
            return upload_files.build(parts)
        return upload_files.build_with(parts, self.stores)

    @abstractmethod
    def run_queued(self, queue: str = "Renders") -> list[str]:
        """Run the render function on the messages of one of its queues."""

    def run_batches(self, between: Callable[[], object] = lambda: None) -> None:
        """Release, render, count and combine items of batches until no message waits.

        `between` is called after each round of releases.
        """
        for _ in range(_MAX_ROUNDS):
            if not any(map(self.waiting, ("Batches", "BatchItems", "Events", "Combine"))):
                return
            assert self.release_batches() == []
            between()
            assert self.run_queued("BatchItems") == []
            assert self.relay_events() == []
            assert self.combine_batches() == []
        message = "the batches do not come to an end"
        raise AssertionError(message)

    def waiting(self, queue: str) -> int:
        """Return the number of messages in a queue that may be received now."""
        return self.count_messages(self.queue_url(queue))

    @abstractmethod
    def count_messages(self, url: str) -> int:
        """Return the number of messages in a queue that may be received now, by its address."""

    def process_queues(self) -> None:
        """Process the messages of all queues, and those that result from them."""
        for _ in range(3):
            self.run_maintenance()
            self.run_queued()
            self.release_batches()
            self.run_queued("BatchItems")
            self.combine_batches()
            self.relay_events()
            self.deliver_webhooks()

    def process_due(self) -> None:
        """Process everything due or queued."""
        self.tick()
        self.process_queues()

    def record_dead_letters(self, queue: str) -> list[str]:
        """Run the dead-letter function on the dead letters of a queue."""
        serve = dead_letters.build(self.work_parts("dead_letters"))
        return self.run_batch(f"{queue}DeadLetters", serve)

    def send(self, queue: str, body: str) -> None:
        """Put a message into one of the queues."""
        self.clients.sqs.send_message(
            QueueUrl=self.resources[f"{queue}Queue"]["Ref"], MessageBody=body, MessageGroupId="g"
        )

    def dead_letters(self, queue: str) -> list[DeadLetter]:
        """Return the recorded dead letters of a queue."""
        letters = DeadLetters(
            table=Table(self.clients, self.settings.transient_table), clock=self.clock
        )
        return list(letters.of_queue(queue.lower()))

    def usage(self) -> dict[str, int]:
        """Return the workspace's statistics, all days together."""
        page = Table(self.clients, self.settings.main_table).query(
            "PK = :pk",
            {":pk": f"WS#{self.workspace}#USE#{self.clock.now():%Y-%m}"},
        )
        total: Counter[str] = Counter()
        for item in page.items:
            total.update({k: v for k, v in item.items() if isinstance(v, int) and "#" not in k})
        return dict(total)
