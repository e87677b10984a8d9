"""The whole service in one process: the real app and render function over moto, a fake engine."""

import contextlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final, cast, override

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import Table
from chalicelib.api.edge.app import App
from chalicelib.api.routes import BLUEPRINTS
from chalicelib.bootstrap import render
from chalicelib.bootstrap.api import ApiServices
from chalicelib.bootstrap.operator import OperatorServices
from chalicelib.core.ids import RandomIdGenerator, WorkspaceId
from chalicelib.engine.ports import Egress, NoEgress
from chalicelib.engine.schemas.worker import SchemaWorker
from chalicelib.features.workspaces.keys.model import SCOPES
from chalicelib.features.workspaces.model import Mode
from chalicelib.settings import ApiSettings, OperatorSettings, RenderSettings
from functions.render.serve import RenderServices, serve
from infra.local.paths import INSTALL_DIR
from tests.builders.aws_actions import AwsActionRecorder, acting_as
from tests.builders.background_functions import BackgroundFunctions
from tests.builders.http import ApiAnswer, request
from tests.builders.in_process_aws import MotoAws
from tests.builders.lambda_client import EngineInvocation, FunctionKilled, LambdaClient
from tests.builders.limits_view import limits_with_rows
from tests.builders.openapi import check_described
from tests.fakes.api_services import FixedClock
from tests.fakes.engine import FakeEngine
from tests.fakes.pdf_tools import InProcessWorker

if TYPE_CHECKING:
    from chalicelib.engine.conformance.checks import VerdictJson
    from chalicelib.engine.schemas.check_schemas import SchemaChecker


class KillableDynamodb:
    """DynamoDB client of moto that can kill the function before a commit."""

    def __init__(self, service: "Service", client: Any) -> None:
        self._service = service
        self._client = client

    def __getattr__(self, name: str) -> Any:
        if name == "transact_write_items" and self._service.kill_before_commit:
            self._service.kill_before_commit = False
            raise FunctionKilled
        return getattr(self._client, name)


class InProcessClients(AwsClients):
    """The clients of moto, and Lambda in this process."""

    def __init__(self, service: "Service", aws: MotoAws) -> None:
        self._service = service
        for name in ("dynamodb", "s3", "sqs", "secretsmanager", "kms"):
            setattr(self, name, getattr(aws.shared, name))
        self.dynamodb = cast("Any", KillableDynamodb(service, aws.shared.dynamodb))

    @override
    def lambda_client(self, read_timeout_s: float) -> Any:
        return LambdaClient(self._service)


class Service(BackgroundFunctions):
    """The service with its clock, and the requests that a test sends."""

    def __init__(self, aws: MotoAws) -> None:
        self.clock = FixedClock()
        self.engine = FakeEngine()
        self.calls = itertools.count()
        self.last_event: dict[str, Any] = {}
        self.kill_before_commit = False
        self.verdicts: Callable[[dict[str, Any]], list[VerdictJson]] | None = None
        self.tenancy = "shared"
        self.validate_tenants: list[str | None] = []
        self.invoke_failures: Iterator[BaseException | None] = iter(())
        self.engine_calls: list[EngineInvocation] = []
        self.engine_failures: Iterator[BaseException | None] = iter(())
        self.schemas: SchemaChecker = shared_schemas()
        self.schema_calls: list[EngineInvocation] = []
        self.email_failures: Iterator[BaseException | None] = iter(())
        self.upload_failures: Iterator[BaseException | None] = iter(())
        self.tool_calls: list[EngineInvocation] = []
        self.tool_failures: Iterator[BaseException | None] = iter(())
        self.tool_worker = InProcessWorker()
        self.tool_egress: Egress = NoEgress()
        self.schema_failures: Iterator[BaseException | None] = iter(())
        self._aws = aws
        self.clients = InProcessClients(self, aws)
        self.resources = made = aws.take_stack()
        self.aws_actions = AwsActionRecorder(made)
        self.settings = ApiSettings(
            main_table=made["MainTable"]["Ref"],
            transient_table=made["TransientTable"]["Ref"],
            bucket=made["FilesBucket"]["Ref"],
            renders_queue_url=made["RendersQueue"]["Ref"],
            renders_low_queue_url=made["RendersLowQueue"]["Ref"],
            events_queue_url=made["EventsQueue"]["Ref"],
            render_function=made["RenderFunction"]["Ref"],
            engine_function=made["EngineFunction"]["Ref"],
            pdf_tools_function=made["PdfToolsFunction"]["Ref"],
            schemas_function=made["SchemasFunction"]["Ref"],
            send_email_function=made["SendEmailFunction"]["Ref"],
            upload_files_function=made["UploadFilesFunction"]["Ref"],
            signing_secret=made["SigningSecret"]["Ref"],
            data_key=made["DataKey"]["Ref"],
            webhooks_queue_url=made["WebhooksQueue"]["Ref"],
            batches_queue_url=made["BatchesQueue"]["Ref"],
            emails_queue_url=made["EmailsQueue"]["Ref"],
            gateway_url="https://gateway.test",
            egress_allow="127.0.0.1/32:9",
            egress_ips="203.0.113.7, 203.0.113.8",
            base_url="https://api.test/v1",
            files_host="https://files.test",
            pages_dir=str(INSTALL_DIR / "pages"),
            guides_dir=str(INSTALL_DIR / "guides"),
            console_dir=str(INSTALL_DIR / "console"),
            region="eu",
        )
        self.operator = OperatorServices(
            OperatorSettings(main_table=self.settings.main_table, region="eu"),
            self.clients,
            clock=self.clock,
            ids=RandomIdGenerator(),
        )
        self.workspace = self.create_workspace()
        self.live = self.key("live")
        self.test = self.key("test")

    @cached_property
    def services(self) -> ApiServices:
        return ApiServices(self.settings, self.clients, clock=self.clock, ids=RandomIdGenerator())

    @property
    def main_table(self) -> Table:
        return self.services.state.main_table

    @property
    def transient_table(self) -> Table:
        return self.services.state.transient_table

    @property
    def app(self) -> App:
        """Return the app of all services, which serves this one for now.

        Another one is served in this thread when its app is asked for.
        """
        _SERVED.set(self)
        return shared_app()

    def create_workspace(self, plan: str = "scale") -> WorkspaceId:
        return self.operator.create_workspace("A workspace", plan=plan, regions=["eu"]).id

    def key(self, mode: Mode, workspace: WorkspaceId | None = None, **more: Any) -> str:
        options = {"scopes": SCOPES} | more
        keys = self.operator.manage_keys
        return keys.create(workspace or self.workspace, mode=mode, **options).text

    def call(self, method: str, target: str, **more: Any) -> ApiAnswer:
        """Send a request with the live key, or with `key`."""
        with acting_as("APIHandler"):
            answer = request(self.app, method, target, **({"key": self.live} | more))
        check_described(method, target, answer)
        return answer

    def render(
        self,
        *,
        headers: Mapping[str, str] | None = None,
        key: str | None = None,
        **fields: Any,
    ) -> ApiAnswer:
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
            renders_low_queue_url=self.settings.renders_low_queue_url,
            batch_items_queue_url=self.resources["BatchItemsQueue"]["Ref"],
            renders_dead_letters_url=self.resources["RendersDeadLetters"]["Ref"],
            events_queue_url=self.settings.events_queue_url,
            engine_function=self.settings.engine_function,
            pdf_tools_function=self.resources["PdfToolsFunction"]["Ref"],
            validate_function=self.resources["ValidateFunction"]["Ref"] if self.verdicts else "",
            tenancy=self.tenancy,
        )
        services = RenderServices(
            execute=render.execute_render(settings, self.clients, self.clock),
            consumers=render.render_consumers(settings, self.clients),
            validate_received=render.validate_received(settings, self.clients, self.clock),
        )
        with acting_as("RenderFunction"):
            return dict(serve(event, invocation, services))

    def redeliver(self) -> None:
        """Deliver the message of the newest render, even if its function dies."""
        newest = self.call("GET", "/v1/renders").json["data"][0]
        body = {"v": 1, "workspace_id": self.workspace, "render_id": newest["id"]}
        record = {"messageId": "m", "body": json.dumps(body | {"request_id": "r"})}
        with contextlib.suppress(FunctionKilled):
            self.serve({"Records": [record]}, f"delivery-{next(self.calls)}")

    @override
    def count_messages(self, url: str) -> int:
        return self._aws.count_messages(url)

    @override
    def run_queued(self, queue: str = "Renders") -> list[str]:
        """Receive the queued renders, run them, and return the ids of the messages that failed."""
        return self.run_batch(
            queue, lambda event: self.serve(event, f"delivery-{next(self.calls)}")
        )

    def limits(self) -> dict[str, Any]:
        """Return the workspace's limits item, with the holds that the rows of renders have."""
        page = self.main_table.query(
            "LPK = :list",
            {":list": f"WS#{self.workspace}#RND"},
            index="lists",
        )
        ids = [(f"WS#{self.workspace}#RND#{row['LSK']}", "META") for row in page.items]
        rows = self.main_table.get_many(ids)
        return limits_with_rows(self.operator.limits.get(self.workspace), rows)

    def rows(self, render_id: str) -> list[dict[str, Any]]:
        """Return a render's row and its events, in order."""
        page = self.main_table.query(
            "PK = :pk",
            {":pk": f"WS#{self.workspace}#RND#{render_id}"},
        )
        return page.items

    def events(self, render_id: str) -> list[dict[str, Any]]:
        """Return the events of a render, in order."""
        return [row for row in self.rows(render_id) if row["SK"].startswith("EVENT#")]

    def objects(self) -> list[str]:
        """Return the keys of all objects in the bucket."""
        listed = self.clients.s3.list_objects_v2(Bucket=self.settings.bucket)
        return sorted(row["Key"] for row in listed.get("Contents", []))


_SERVED: Final[ContextVar[Service]] = ContextVar("served")


@cache
def shared_app() -> App:
    """Return the app of all services: to route its paths takes longer than to serve a request."""
    return App(BLUEPRINTS, lambda: _SERVED.get().services)


@cache
def shared_schemas() -> SchemaWorker:
    """Return the schema worker that all services share; its process starts on first use."""
    return SchemaWorker()
