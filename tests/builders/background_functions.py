"""The functions behind queues and the schedule, run in this process when a test says so."""

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
    """What works in the background of a service over moto."""

    resources: Mapping[str, Mapping[str, str]]
    settings: ApiSettings
    clients: AwsClients
    clock: FixedClock
    workspace: WorkspaceId
    smtp_url = ""

    def run_batch(self, queue: str, serve: Callable[[dict[str, Any]], dict[str, Any]]) -> list[str]:
        """Receive what is in a queue, hand it over, and return the ids of what failed."""
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
        """Let the relay work off the events queue."""
        settings = RelaySettings(
            main_table=self.settings.main_table,
            bucket=self.settings.bucket,
            events_queue_url=self.settings.events_queue_url,
            events_dead_letters_url=self.resources["EventsDeadLetters"]["Ref"],
        )
        relay = workers.relay(settings, self.clients, self.clock)
        inbox = workers.relay_consumer(settings, self.clients)
        return self.run_batch(
            "Events",
            lambda event: inbox.process_batch(
                event["Records"], lambda message: relay(PublishEvent.from_json(message.body))
            ),
        )

    def tick(self) -> int:
        """Let the tick hand out what is due, and return how many items that were."""
        settings = TickSettings(
            main_table=self.settings.main_table,
            events_queue_url=self.settings.events_queue_url,
            maintenance_queue_url=self.resources["MaintenanceQueue"]["Ref"],
        )
        with acting_as("TickFunction"):
            return workers.tick(settings, self.clients, self.clock)()

    def run_maintenance(self) -> list[str]:
        """Let the upkeep work off its queue."""
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
        upkeep = workers.maintenance(settings, self.clients, self.clock)
        inbox = workers.maintenance_inbox(settings, self.clients)
        return self.run_batch(
            "Maintenance",
            lambda event: inbox.process_batch(
                event["Records"], lambda message: upkeep(DueItem.from_json(message.body))
            ),
        )

    def record_dead_letters(self, queue: str) -> list[str]:
        """Let the function of the dead letters work off those of a queue."""
        urls = {name: self.resources[f"{name}DeadLetters"]["Ref"] for name in QUEUES}
        settings = DeadLettersSettings(
            main_table=self.settings.main_table,
            transient_table=self.settings.transient_table,
            events_queue_url=self.settings.events_queue_url,
            renders_dead_letters_url=urls["Renders"],
            events_dead_letters_url=urls["Events"],
            maintenance_dead_letters_url=urls["Maintenance"],
        )
        bury = workers.dead_letters(settings, self.clients, self.clock)
        names = {url.rsplit("/", 1)[-1]: name.lower() for name, url in urls.items()}
        return self.run_batch(
            f"{queue}DeadLetters", lambda event: dead_letters.serve(event, bury, names)
        )

    def send(self, queue: str, body: str) -> None:
        """Put a message into one of the queues."""
        self.clients.sqs.send_message(
            QueueUrl=self.resources[f"{queue}Queue"]["Ref"], MessageBody=body, MessageGroupId="g"
        )

    def dead_letters(self, queue: str) -> list[DeadLetter]:
        """Return the records of what was given up."""
        letters = DeadLetters(Tables(self.clients), self.settings.transient_table, self.clock)
        return list(letters.of_queue(queue.lower()))

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
