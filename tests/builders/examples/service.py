"""The service that the examples are sent to, and the customer's machines around it."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import replace
from typing import Any, Final, override

from chalicelib.contract.options.output import IMAGE_FORMATS
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import WorkspaceId
from chalicelib.engine.conformance.checks import Verdict, VerdictJson
from chalicelib.engine.context import JobContext
from chalicelib.engine.job import EngineJob, PageJob, RenderOutcome
from chalicelib.settings import ApiSettings
from tests.builders.http_providers import CONNECTIONS
from tests.builders.in_process_aws import MotoAws
from tests.builders.provider_events import event, registered_path, report
from tests.builders.service import Service
from tests.fakes.engine import FakeEngine, InProcessTemplates
from tests.fakes.http_provider import HttpProvider, ProviderReply, http_provider
from tests.fakes.store import FakeStore
from tests.fakes.webhook_receiver import WebhookReceiver, webhook_receiver

MEMBER: Final = "eva@acme.example"
# The number of an invoice that cannot be rendered.
FAULTY_NUMBER: Final = "2026-0043"
_MESSAGE_ID: Final = "<202611211200.4711@smtp-relay.mailin.fr>"
_ACCEPTED: Final = ProviderReply(201, {"messageId": _MESSAGE_ID})
_REFUSED: Final = ProviderReply(400, {"code": "invalid_parameter", "message": "invalid email"})
_PDF: Final = b"%PDF-1.7\n" + b"%" * 18_204
_VALIDATORS: Final = {
    "einvoice": "Saxon-HE 12.9",
    "pdfa": "veraPDF 1.30.2",
    "pdfua": "veraPDF 1.30.2",
}


class ExampleEngine(FakeEngine):
    """Engine whose files have the names and sizes that the request asks for."""

    @override
    def run(self, job: EngineJob, context: JobContext) -> RenderOutcome:
        if not isinstance(job, PageJob):
            return super().run(job, context)
        if job.output.filename is not None:
            options: dict[str, Any] = {"strict": False, "deadline": 0, "escape": False}
            name = InProcessTemplates().render(job.output.filename, job.data or {}, **options)
            job = replace(job, output=replace(job.output, filename=name))
        outcome = super().run(job, context)
        image = job.output.image
        files = tuple(
            file._replace(width=image.width or 800, height=image.height or 500)
            if file.format in IMAGE_FORMATS
            else file
            for file in outcome.files
        )
        return outcome._replace(files=files)


class ExampleService(Service):
    """The service of Acme, whose documents take a moment and whose machines all answer."""

    def __init__(self, aws: MotoAws, provider: HttpProvider, receiver: WebhookReceiver) -> None:
        """Make the service of a workspace with a member."""
        super().__init__(aws)
        base = provider.server.url("")
        ports = f"127.0.0.1/32:{receiver.port}"
        settings: dict[str, Any] = {f"email_base_{name}": base for name in CONNECTIONS}
        settings["egress_allow"] = f"{provider.server.egress_allow},{ports}"
        self.settings = ApiSettings(**vars(self.settings) | settings)
        self.email_provider = provider
        provider.usual = _ACCEPTED
        self.engine = ExampleEngine()
        self.stores = FakeStore().openers
        self.verdicts = _verdicts
        self.engine.content = _PDF
        self.engine.before_run = self._take_time
        self.operator.manage_members.add(self.workspace, MEMBER, "developer")
        self.operator.manage_members.verify(self.workspace, MEMBER)

    @override
    def create_workspace(self, plan: str = "scale") -> WorkspaceId:
        return self.operator.create_workspace("Acme GmbH", plan=plan, regions=["eu"]).id

    def deliver_emails(self) -> None:
        """Publish the events that wait, and send the emails and files that are made of them."""
        while any(map(self.waiting, ("Events", "Emails", "Uploads"))):
            assert self.relay_events() == []
            assert self.send_emails() == []
            assert self.upload_files() == []

    def refuse_next_email(self) -> None:
        """Let the provider refuse the next email, after those that wait."""
        self.deliver_emails()
        self.email_provider.replies.append(_REFUSED)

    def list_senders(self) -> None:
        """Let the provider answer the next test with the senders of an account."""
        sender = {"id": 1, "name": "Acme Billing", "email": "billing@acme.example", "active": True}
        self.email_provider.replies += [
            ProviderReply(200, {"email": "owner@acme.example", "plan": []}),
            ProviderReply(200, {"senders": [sender]}),
            ProviderReply(200, {"domains": [{"domain_name": "acme.example", "verified": True}]}),
        ]

    def register_for_events(self) -> None:
        """Register for the events of the provider, as it is due after a connection was made."""
        self._events_path = registered_path(self, self.email_provider)

    def report_delivery(self) -> None:
        """Report the emails so far as delivered, as the provider does."""
        moment = int(self.clock.now().timestamp() * 1_000)
        fields = {"email": "buchhaltung@lindner.example", "message-id": _MESSAGE_ID}
        body = event("delivered", ts_epoch=moment, **fields)
        assert report(self, self._events_path, body).status == 204
        self.deliver_emails()

    def _take_time(self, job: EngineJob) -> None:
        self.clock.advance(milliseconds=420)
        if isinstance(job, PageJob) and (job.data or {}).get("number") == FAULTY_NUMBER:
            message = "'discount' is undefined"
            raise RenderFailure("template_runtime_error", message)


def _verdicts(order: dict[str, Any]) -> list[VerdictJson]:
    return [Verdict((), _VALIDATORS[check["subject"]]).to_json() for check in order["checks"]]


@contextmanager
def example_service(aws: MotoAws) -> Iterator[tuple[ExampleService, WebhookReceiver]]:
    """Run the service, a provider of emails and a receiver of webhooks during the block."""
    with webhook_receiver() as receiver, http_provider() as provider:
        receiver.answer = b"ok"
        yield ExampleService(aws, provider, receiver), receiver
