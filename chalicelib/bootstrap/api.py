"""Services of the API function, each built on first use."""

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Final

from chalicelib.adapters.aws.secrets import Secret
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap.shared_services import arm_crash_points
from chalicelib.bootstrap.templates import TemplateServices
from chalicelib.core.clock import Clock, SystemClock
from chalicelib.core.ids import IdGenerator, RandomIdGenerator
from chalicelib.features.einvoices.validate import ValidateEInvoice
from chalicelib.features.files.signed_urls import SignedFileUrls
from chalicelib.features.previews.preflight import PreflightRender
from chalicelib.features.renders.accept.create import CreateRender
from chalicelib.features.renders.cancel import CancelRender
from chalicelib.features.renders.idempotency import IdempotencyRecords
from chalicelib.features.renders.present import PresentRender
from chalicelib.features.renders.purge import PurgeFiles
from chalicelib.features.renders.read import ReadRenders
from chalicelib.features.renders.run.end import EndRender
from chalicelib.features.renders.run.enqueue import EnqueueRender
from chalicelib.features.renders.run.run_now import RunNow
from chalicelib.features.uploads.create import CreateUpload, DeleteUpload
from chalicelib.features.usage.read import ReadUsage
from chalicelib.features.workspaces.keys.last_use import RecordKeyUse
from chalicelib.features.workspaces.repository import ApiKeys
from chalicelib.settings import ApiSettings

# The usual timeout of an invocation: the gateway's limit less the time for the response.
USUAL_WAIT_S: Final = 27.0


class ApiServices(TemplateServices):
    """Services of the API function, without those of templates (its base class)."""

    def __init__(
        self, settings: ApiSettings, clients: AwsClients, *, clock: Clock, ids: IdGenerator
    ) -> None:
        """Build nothing yet."""
        super().__init__(settings, clients, clock=clock, ids=ids)
        arm_crash_points(settings.crash_points)

    def warm_up(self) -> None:
        """Create the clients and read the secret before the first request needs them."""
        self.tables.get(self.settings.main_table, "HEALTH")
        assert self.secret.value
        self.render_function.prepare_client(USUAL_WAIT_S)
        Metrics(self.settings.stack, "api").count("ColdStarts")

    @cached_property
    def keys(self) -> ApiKeys:  # noqa: D102
        return ApiKeys(self.tables, self.settings.main_table, self.service_states)

    @cached_property
    def record_key_use(self) -> RecordKeyUse:  # noqa: D102
        return RecordKeyUse(self.keys)

    @cached_property
    def idempotency(self) -> IdempotencyRecords:  # noqa: D102
        return IdempotencyRecords(self.tables, self.settings.transient_table)

    @cached_property
    def secret(self) -> Secret:  # noqa: D102
        return Secret(self.clients, self.settings.signing_secret)

    @cached_property
    def signed_urls(self) -> SignedFileUrls:  # noqa: D102
        return SignedFileUrls(
            files=self.files,
            objects=self.objects,
            clock=self.clock,
            files_host=self.settings.files_host,
            secret=lambda: self.secret.value,
        )

    @cached_property
    def create_render(self) -> CreateRender:  # noqa: D102
        return CreateRender(
            tables=self.tables,
            renders=self.renders,
            limits=self.limits,
            idempotency=self.idempotency,
            bodies=self.bodies,
            clock=self.clock,
            ids=self.ids,
            state=self.service_states,
            templates=self.resolve_template,
            uploads=self.read_uploads,
            schemas=self.check_schemas,
            region=self.settings.region,
        )

    @cached_property
    def create_upload(self) -> CreateUpload:  # noqa: D102
        return CreateUpload(
            uploads=self.uploads, objects=self.objects, clock=self.clock, ids=self.ids
        )

    @cached_property
    def delete_upload(self) -> DeleteUpload:  # noqa: D102
        return DeleteUpload(uploads=self.uploads, objects=self.objects)

    @cached_property
    def preflight_render(self) -> PreflightRender:  # noqa: D102
        return PreflightRender(
            templates=self.resolve_template,
            uploads=self.read_uploads,
            schemas=self.check_schemas,
            lint=self.lint_templates,
            leases=self.leases,
            region=self.settings.region,
        )

    @cached_property
    def validate_einvoice(self) -> ValidateEInvoice:  # noqa: D102
        return ValidateEInvoice(
            uploads=self.read_uploads,
            function=self.render_function,
            leases=self.leases,
            clock=self.clock,
            region=self.settings.region,
        )

    @cached_property
    def enqueue_render(self) -> EnqueueRender:  # noqa: D102
        return EnqueueRender(
            tables=self.tables,
            renders=self.renders,
            bodies=self.bodies,
            queues=self.render_queues(
                self.settings.renders_queue_url, self.settings.renders_low_queue_url
            ),
            clock=self.clock,
        )

    @cached_property
    def end_render(self) -> EndRender:  # noqa: D102
        return self.make_end_render(self.settle_and_publish)

    @cached_property
    def cancel_render(self) -> CancelRender:  # noqa: D102
        return CancelRender(renders=self.renders, end=self.end_render, clock=self.clock)

    @cached_property
    def purge_files(self) -> PurgeFiles:  # noqa: D102
        return self.make_purge_files(self.settle_and_publish)

    @cached_property
    def run_now(self) -> RunNow:  # noqa: D102
        return RunNow(
            renders=self.renders,
            function=self.render_function,
            enqueue=self.enqueue_render,
            end=self.end_render,
            idempotency=self.idempotency,
            clock=self.clock,
        )

    @cached_property
    def read_renders(self) -> ReadRenders:  # noqa: D102
        return ReadRenders(tables=self.tables, table=self.settings.main_table, renders=self.renders)

    @cached_property
    def read_usage(self) -> ReadUsage:  # noqa: D102
        return ReadUsage(self.tables, self.settings.main_table)

    @cached_property
    def present_render(self) -> PresentRender:  # noqa: D102
        return PresentRender(file_urls=self.signed_urls, clock=self.clock)

    @cached_property
    def api_host(self) -> str:
        """URL of the API without `/v1`; it has a path if the API has no domain of its own."""
        return self.settings.base_url.removesuffix("/v1")

    @cached_property
    def cursor_key(self) -> bytes:
        """Secret that signs list cursors."""
        return self.secret.value

    @cached_property
    def checks(self) -> Mapping[str, Callable[[], object]]:
        """Checks of `/healthz` by name; a check that raises has failed."""
        return {"state": lambda: self.tables.get(self.settings.main_table, "HEALTH")}


@cache
def api_services() -> ApiServices:
    """Return the services of this process."""
    return ApiServices(
        ApiSettings.from_env(), AwsClients(), clock=SystemClock(), ids=RandomIdGenerator()
    )
