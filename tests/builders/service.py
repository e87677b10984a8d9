"""The whole service in one process: the real app and render function over moto, a fake engine."""

import contextlib
import io
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, cached_property
from typing import Any, cast, override

import boto3
import pytest
from moto import mock_aws

from chalicelib.adapters.aws.session import Clients
from chalicelib.api._app import App
from chalicelib.api.routes import ENDPOINTS
from chalicelib.bootstrap import render, workers
from chalicelib.bootstrap.api import ApiServices
from chalicelib.bootstrap.operator import Operator
from chalicelib.core.ids import RandomIds, WorkspaceId
from chalicelib.engine.job import Job, Outcome, Produced
from chalicelib.features.dead_letters.model import DeadLetter
from chalicelib.features.dead_letters.repository import DeadLetters
from chalicelib.features.due.message import LookAt
from chalicelib.features.facts.message import TellFact
from chalicelib.features.workspaces.model import SCOPES, Mode
from chalicelib.settings import (
    ApiSettings,
    DeadLettersSettings,
    OperatorSettings,
    RelaySettings,
    RenderSettings,
    TickSettings,
    UpkeepSettings,
)
from functions.dead_letters import handler as dead_letters
from functions.render import handler
from infra.local.pollers import sqs_event
from infra.local.resources import create_resources
from infra.template import load
from tests.builders.http import Answer, request
from tests.fakes.edge import FixedClock

REGION = "us-east-1"
QUEUES = ("Renders", "Events", "Upkeep")
PDF = b"%PDF-1.7 a document of the fake engine"


class FakeEngine:
    """Makes one small file of each job and remembers the jobs."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.before: Callable[[Job], None] = lambda _job: None
        self.content = PDF
        self.pages = 2

    def run(self, job: Job) -> Outcome:
        self.jobs.append(job)
        self.before(job)
        kind = job.output.formats[0]
        content_type = {"pdf": "application/pdf", "png": "image/png"}[kind]
        produced = Produced(kind, self.content, content_type, self.pages, None, None)
        return Outcome((produced,), (), (), {"load_ms": 1, "print_ms": 2}, cold=False)


class LambdaClient:
    """Runs functions in this process, as `boto3.client("lambda")` would call them."""

    class exceptions:  # noqa: N801 -- as botocore names it
        class TooManyRequestsException(Exception):  # noqa: N818
            """No room."""

    def __init__(self, service: "Service") -> None:
        self._service = service

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803
        assert FunctionName == self._service.settings.render_function
        assert len(Payload) < 6_291_456, "Lambda takes 6 MB"
        self._service.last_event = json.loads(Payload)
        failure = next(self._service.invocations, None)
        try:
            if failure is not None:
                raise failure
            answer = self._service.serve(json.loads(Payload), f"call-{next(self._service.calls)}")
        except FunctionKilled:
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(b"{}")}
        return {"Payload": io.BytesIO(json.dumps(answer).encode())}


class FunctionKilled(BaseException):
    """The process of a function ends here."""


class Dynamodb:
    """The client of moto; a function can die before it commits."""

    def __init__(self, service: "Service", client: Any) -> None:
        self._service = service
        self._client = client

    def __getattr__(self, name: str) -> Any:
        if name == "transact_write_items" and self._service.dies_after_storing:
            self._service.dies_after_storing = False
            raise FunctionKilled
        return getattr(self._client, name)


class InProcessClients(Clients):
    """The clients of moto, and Lambda in this process."""

    def __init__(self, service: "Service", aws: "Aws") -> None:
        self._service = service
        for name in ("dynamodb", "s3", "sqs", "secretsmanager"):
            setattr(self, name, getattr(aws.shared, name))
        self.dynamodb = cast("Any", Dynamodb(service, aws.shared.dynamodb))

    @override
    def function(self, read_timeout_s: float) -> Any:
        return LambdaClient(self._service)


class Service:
    """The service, its clock, and what a test says to it."""

    def __init__(self, aws: "Aws") -> None:
        self.clock = FixedClock()
        self.engine = FakeEngine()
        self.calls = itertools.count()
        self.last_event: dict[str, Any] = {}
        self.dies_after_storing = False
        self.invocations: Iterator[BaseException | None] = iter(())
        self.clients = InProcessClients(self, aws)
        made = create_resources(load(), aws.client, aws.next_stack(), region=REGION, at_once=1)
        self.made = made
        self.settings = ApiSettings(
            main_table=made["MainTable"]["Ref"],
            transient_table=made["TransientTable"]["Ref"],
            bucket=made["FilesBucket"]["Ref"],
            renders_queue_url=made["RendersQueue"]["Ref"],
            events_queue_url=made["EventsQueue"]["Ref"],
            render_function=made["RenderFunction"]["Ref"],
            signing_secret=made["SigningSecret"]["Ref"],
            base_url="https://api.test/v1",
            files_host="https://files.test",
            region="eu",
        )
        self.operator = Operator(
            OperatorSettings(self.settings.main_table, "eu"),
            self.clients,
            clock=self.clock,
            ids=RandomIds(),
        )
        self.workspace = self.create_workspace()
        self.live = self.key("live")
        self.test = self.key("test")

    @cached_property
    def services(self) -> ApiServices:
        return ApiServices(self.settings, self.clients, clock=self.clock, ids=RandomIds())

    @cached_property
    def app(self) -> App:
        return App(ENDPOINTS, lambda: self.services)

    def create_workspace(self, plan: str = "scale") -> WorkspaceId:
        return self.operator.create_workspace("A workspace", plan=plan, regions=["eu"]).id

    def key(self, mode: Mode, workspace: WorkspaceId | None = None, **more: Any) -> str:
        options = {"scopes": SCOPES} | more
        keys = self.operator.manage_keys
        return keys.create(workspace or self.workspace, mode=mode, **options).text

    def call(self, method: str, target: str, **more: Any) -> Answer:
        """Send a request with the live key, or with `key`."""
        return request(self.app, method, target, **({"key": self.live} | more))

    def render(
        self,
        *,
        headers: Mapping[str, str] | None = None,
        key: str | None = None,
        **fields: Any,
    ) -> Answer:
        """Send POST /v1/renders with a small document."""
        body = {"input": {"type": "html", "html": "<p>Hello</p>"}} | fields
        return self.call(
            "POST", "/v1/renders", json_body=body, headers=headers, key=key or self.live
        )

    def serve(self, event: dict[str, Any], invocation: str = "invocation-1") -> dict[str, Any]:
        """Run the render function's handler on an event."""
        settings = RenderSettings(
            main_table=self.settings.main_table,
            bucket=self.settings.bucket,
            renders_queue_url=self.settings.renders_queue_url,
            renders_dead_letters_url=self.made["RendersDeadLetters"]["Ref"],
            events_queue_url=self.settings.events_queue_url,
            chromium_dir="unused",
            fonts_dir="unused",
            browser_sandbox="on",
        )
        execute = render.execute_render(settings, self.clients, self.engine.run, self.clock)
        host = handler.Host(execute, render.inbox(settings, self.clients))
        return handler.serve(event, invocation, host)

    def deliver_again(self) -> None:
        """Deliver the message of the newest render, whether or not its function survives it."""
        newest = self.call("GET", "/v1/renders").json["data"][0]
        body = {"v": 1, "workspace_id": self.workspace, "render_id": newest["id"]}
        record = {"messageId": "m", "body": json.dumps(body | {"request_id": "r"})}
        with contextlib.suppress(FunctionKilled):
            self.serve({"Records": [record]}, f"delivery-{next(self.calls)}")

    def work_off_queue(self) -> list[str]:
        """Receive what is queued, run it, and return the ids of the messages that failed."""
        return self.work_off("Renders", self.serve)

    def work_off(self, queue: str, serve: Callable[[dict[str, Any]], dict[str, Any]]) -> list[str]:
        """Receive what is in a queue, hand it over, and return the ids of what failed."""
        url = self.made[f"{queue}Queue" if queue in QUEUES else queue]["Ref"]
        received = self.clients.sqs.receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=10,
            WaitTimeSeconds=0,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        messages = received.get("Messages", [])
        answer = serve(sqs_event(messages, f"arn:aws:sqs:x:y:{url.rsplit('/', 1)[-1]}"))
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
        return workers.tick(settings, self.clients, self.clock)()

    def look_after(self) -> list[str]:
        """Let the upkeep work off its queue."""
        settings = UpkeepSettings(
            main_table=self.settings.main_table,
            bucket=self.settings.bucket,
            renders_queue_url=self.settings.renders_queue_url,
            events_queue_url=self.settings.events_queue_url,
            upkeep_queue_url=self.made["UpkeepQueue"]["Ref"],
            upkeep_dead_letters_url=self.made["UpkeepDeadLetters"]["Ref"],
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
            bucket=self.settings.bucket,
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
        letters = DeadLetters(self.services.tables, self.settings.transient_table)
        return list(letters.of(queue.lower()))

    def usage(self) -> dict[str, int]:
        """Return the workspace's statistics, all days together."""
        page = self.services.tables.query(
            self.settings.main_table,
            "PK = :pk",
            {":pk": f"WS#{self.workspace}#USE#{self.clock.now():%Y-%m}"},
        )
        total: Counter[str] = Counter()
        for item in page.items:
            total.update({k: v for k, v in item.items() if isinstance(v, int)})
        return dict(total)

    def limits(self) -> dict[str, Any]:
        """Return the workspace's limits item."""
        return self.operator.limits.get(self.workspace)

    def facts(self, render_id: str) -> list[dict[str, Any]]:
        """Return the facts beside a render, in order."""
        page = self.services.tables.query(
            self.settings.main_table,
            "PK = :pk AND begins_with(SK, :fact)",
            {":pk": f"WS#{self.workspace}#RND#{render_id}", ":fact": "FACT#"},
        )
        return page.items

    def objects(self) -> list[str]:
        """Return the keys of all objects in the bucket."""
        listed = self.clients.s3.list_objects_v2(Bucket=self.settings.bucket)
        return sorted(row["Key"] for row in listed.get("Contents", []))


class Aws:
    """One moto for many tests: its clients are made once, each test has resources of its own."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self.client = cache(lambda name: boto3.client(name, region_name=REGION))
        self.shared = Clients()

    def next_stack(self) -> str:
        return f"stack{next(self._numbers)}"


@contextmanager
def in_process_aws() -> Iterator[Aws]:
    """Yield AWS in this process; nothing of it is left afterwards."""
    variables = {
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }
    with pytest.MonkeyPatch.context() as environment, mock_aws():
        for name, value in variables.items():
            environment.setenv(name, value)
        yield Aws()
