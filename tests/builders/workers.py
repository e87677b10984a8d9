"""The functions behind queues and the schedule, run in this process when a test says so."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.aws.table import Tables
from chalicelib.bootstrap import workers
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.dead_letters.model import DeadLetter
from chalicelib.features.dead_letters.repository import DeadLetters
from chalicelib.features.due.message import LookAt
from chalicelib.features.facts.message import TellFact
from chalicelib.settings import (
    ApiSettings,
    DeadLettersSettings,
    RelaySettings,
    TickSettings,
    UpkeepSettings,
)
from functions.dead_letters import handler as dead_letters
from infra.local.pollers import sqs_event
from tests.builders.grants import serving
from tests.fakes.edge import FixedClock

QUEUES = ("Renders", "Events", "Upkeep")
_FUNCTIONS = {
    "Renders": "RenderFunction",
    "RendersLow": "RenderFunction",
    "Events": "RelayFunction",
    "Upkeep": "UpkeepFunction",
}


class Workers:
    """What works in the background of a service over moto."""

    made: Mapping[str, Mapping[str, str]]
    settings: ApiSettings
    clients: Clients
    clock: FixedClock
    workspace: WorkspaceId
    smtp_url = ""

    def work_off(self, queue: str, serve: Callable[[dict[str, Any]], dict[str, Any]]) -> list[str]:
        """Receive what is in a queue, hand it over, and return the ids of what failed."""
        name = f"{queue}Queue"
        url = self.made[name if name in self.made else queue]["Ref"]
        received = self.clients.sqs.receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=10,
            WaitTimeSeconds=0,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        messages = received.get("Messages", [])
        event = sqs_event(messages, f"arn:aws:sqs:x:y:{url.rsplit('/', 1)[-1]}")
        with serving(_FUNCTIONS.get(queue, "DeadLettersFunction")):
            answer = serve(event)
        failed = [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]
        for message in messages:
            if message["MessageId"] not in failed:
                self.clients.sqs.delete_message(
                    QueueUrl=url, ReceiptHandle=message["ReceiptHandle"]
                )
        return failed

    def relay_facts(self) -> list[str]:
        """Let the relay work off the events queue."""
        settings = RelaySettings(
            main_table=self.settings.main_table,
            bucket=self.settings.bucket,
            events_queue_url=self.settings.events_queue_url,
            events_dead_letters_url=self.made["EventsDeadLetters"]["Ref"],
        )
        relay = workers.relay(settings, self.clients, self.clock)
        inbox = workers.relay_inbox(settings, self.clients)
        return self.work_off(
            "Events",
            lambda event: inbox.work_off(
                event["Records"], lambda message: relay(TellFact.from_json(message.body))
            ),
        )

    def tick(self) -> int:
        """Let the tick hand out what is due, and return how many items that were."""
        settings = TickSettings(
            main_table=self.settings.main_table,
            events_queue_url=self.settings.events_queue_url,
            upkeep_queue_url=self.made["UpkeepQueue"]["Ref"],
        )
        with serving("TickFunction"):
            return workers.tick(settings, self.clients, self.clock)()

    def look_after(self) -> list[str]:
        """Let the upkeep work off its queue."""
        settings = UpkeepSettings(
            main_table=self.settings.main_table,
            bucket=self.settings.bucket,
            renders_queue_url=self.settings.renders_queue_url,
            renders_low_queue_url=self.settings.renders_low_queue_url,
            events_queue_url=self.settings.events_queue_url,
            upkeep_queue_url=self.made["UpkeepQueue"]["Ref"],
            upkeep_dead_letters_url=self.made["UpkeepDeadLetters"]["Ref"],
            smtp_url=self.smtp_url,
        )
        upkeep = workers.upkeep(settings, self.clients, self.clock)
        inbox = workers.upkeep_inbox(settings, self.clients)
        return self.work_off(
            "Upkeep",
            lambda event: inbox.work_off(
                event["Records"], lambda message: upkeep(LookAt.from_json(message.body))
            ),
        )

    def bury(self, queue: str) -> list[str]:
        """Let the function of the dead letters work off those of a queue."""
        urls = {name: self.made[f"{name}DeadLetters"]["Ref"] for name in QUEUES}
        settings = DeadLettersSettings(
            main_table=self.settings.main_table,
            transient_table=self.settings.transient_table,
            events_queue_url=self.settings.events_queue_url,
            renders_dead_letters_url=urls["Renders"],
            events_dead_letters_url=urls["Events"],
            upkeep_dead_letters_url=urls["Upkeep"],
        )
        bury = workers.dead_letters(settings, self.clients, self.clock)
        names = {url.rsplit("/", 1)[-1]: name.lower() for name, url in urls.items()}
        return self.work_off(
            f"{queue}DeadLetters", lambda event: dead_letters.serve(event, bury, names)
        )

    def send(self, queue: str, body: str) -> None:
        """Put a message into one of the queues."""
        self.clients.sqs.send_message(
            QueueUrl=self.made[f"{queue}Queue"]["Ref"], MessageBody=body, MessageGroupId="g"
        )

    def dead_letters(self, queue: str) -> list[DeadLetter]:
        """Return the records of what was given up."""
        letters = DeadLetters(Tables(self.clients), self.settings.transient_table, self.clock)
        return list(letters.of(queue.lower()))

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
