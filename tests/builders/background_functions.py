"""The functions behind queues and the schedule, run in this process on request of a test."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import Tables
from chalicelib.bootstrap import workers
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.dead_letters.repository import DeadLetter, DeadLetters
from chalicelib.features.events.model import PublishEvent
from chalicelib.features.maintenance.due_items import DueItem
from chalicelib.settings import (
    ApiSettings,
    DeadLettersSettings,
    MaintenanceSettings,
    RelaySettings,
    TickSettings,
)
from functions.dead_letters import handler as dead_letters
from infra.local.event_sources import sqs_event
from tests.builders.aws_actions import acting_as
from tests.fakes.api_services import FixedClock

QUEUES = ("Renders", "Events", "Maintenance")
_FUNCTIONS = {
    "Renders": "RenderFunction",
    "RendersLow": "RenderFunction",
    "Events": "RelayFunction",
    "Maintenance": "MaintenanceFunction",
}


class BackgroundFunctions:
    """Background functions of a service over moto."""

    resources: Mapping[str, Mapping[str, str]]
    settings: ApiSettings
    clients: AwsClients
    clock: FixedClock
    workspace: WorkspaceId
    smtp_url = ""

    def run_batch(self, queue: str, serve: Callable[[dict[str, Any]], dict[str, Any]]) -> list[str]:
        """Receive the messages of a queue, serve them, and return the ids of those that failed."""
        name = f"{queue}Queue"
        url = self.resources[name if name in self.resources else queue]["Ref"]
        received = self.clients.sqs.receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=10,
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

    def relay_events(self) -> list[str]:
        """Run the relay on the messages of the events queue."""
        settings = RelaySettings(
            main_table=self.settings.main_table,
            bucket=self.settings.bucket,
            events_queue_url=self.settings.events_queue_url,
            events_dead_letters_url=self.resources["EventsDeadLetters"]["Ref"],
        )
        relay = workers.relay(settings, self.clients, self.clock)
        consumer = workers.relay_consumer(settings, self.clients)
        return self.run_batch(
            "Events",
            lambda event: consumer.process_batch(
                event["Records"], lambda message: relay(PublishEvent.from_json(message.body))
            ),
        )

    def tick(self) -> int:
        """Run the tick, and return how many due items it dispatched."""
        settings = TickSettings(
            main_table=self.settings.main_table,
            events_queue_url=self.settings.events_queue_url,
            maintenance_queue_url=self.resources["MaintenanceQueue"]["Ref"],
        )
        with acting_as("TickFunction"):
            return workers.tick(settings, self.clients, self.clock)()

    def run_maintenance(self) -> list[str]:
        """Run the maintenance on the messages of its queue."""
        settings = MaintenanceSettings(
            main_table=self.settings.main_table,
            bucket=self.settings.bucket,
            renders_queue_url=self.settings.renders_queue_url,
            renders_low_queue_url=self.settings.renders_low_queue_url,
            events_queue_url=self.settings.events_queue_url,
            maintenance_queue_url=self.resources["MaintenanceQueue"]["Ref"],
            maintenance_dead_letters_url=self.resources["MaintenanceDeadLetters"]["Ref"],
            smtp_url=self.smtp_url,
        )
        run_item = workers.maintenance(settings, self.clients, self.clock)
        consumer = workers.maintenance_consumer(settings, self.clients)
        return self.run_batch(
            "Maintenance",
            lambda event: consumer.process_batch(
                event["Records"], lambda message: run_item(DueItem.from_json(message.body))
            ),
        )

    def record_dead_letters(self, queue: str) -> list[str]:
        """Run the dead-letter function on the dead letters of a queue."""
        urls = {name: self.resources[f"{name}DeadLetters"]["Ref"] for name in QUEUES}
        settings = DeadLettersSettings(
            main_table=self.settings.main_table,
            transient_table=self.settings.transient_table,
            events_queue_url=self.settings.events_queue_url,
            renders_dead_letters_url=urls["Renders"],
            events_dead_letters_url=urls["Events"],
            maintenance_dead_letters_url=urls["Maintenance"],
        )
        record = workers.dead_letters(settings, self.clients, self.clock)
        names = {url.rsplit("/", 1)[-1]: dead_letter_queue(name) for name, url in urls.items()}
        return self.run_batch(
            f"{queue}DeadLetters", lambda event: dead_letters.serve(event, record, names)
        )

    def send(self, queue: str, body: str) -> None:
        """Put a message into one of the queues."""
        self.clients.sqs.send_message(
            QueueUrl=self.resources[f"{queue}Queue"]["Ref"], MessageBody=body, MessageGroupId="g"
        )

    def dead_letters(self, queue: str) -> list[DeadLetter]:
        """Return the recorded dead letters of a queue."""
        letters = DeadLetters(Tables(self.clients), self.settings.transient_table, self.clock)
        return list(letters.of_queue(dead_letter_queue(queue)))

    def usage(self) -> dict[str, int]:
        """Return the workspace's statistics, all days together."""
        page = Tables(self.clients).query(
            self.settings.main_table,
            "PK = :pk",
            {":pk": f"WS#{self.workspace}#USE#{self.clock.now():%Y-%m}"},
        )
        total: Counter[str] = Counter()
        for item in page.items:
            total.update({k: v for k, v in item.items() if isinstance(v, int) and "#" not in k})
        return dict(total)


def dead_letter_queue(queue: str) -> str:
    """Return the name by which `platen dlq` knows a queue of the template."""
    return {"Maintenance": "upkeep"}.get(queue, queue.lower())
