"""What the API function's views ask for, each part built on first use."""

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any, Final

from chalicelib.adapters.aws.secrets import Secret
from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap import crash
from chalicelib.bootstrap.templates import TemplateServices
from chalicelib.core.clock import Clock, SystemClock
from chalicelib.core.ids import Ids, RandomIds
from chalicelib.features.files.addresses import FileAddresses
from chalicelib.features.renders.cancel import CancelRender
from chalicelib.features.renders.create import CreateRender
from chalicelib.features.renders.end import EndRender
from chalicelib.features.renders.enqueue import EnqueueRender
from chalicelib.features.renders.idempotency import IdempotencyRecords
from chalicelib.features.renders.preflight import PreflightRender
from chalicelib.features.renders.present import PresentRender
from chalicelib.features.renders.purge import PurgeFiles
from chalicelib.features.renders.read import ReadRenders
from chalicelib.features.renders.run_now import RunNow
from chalicelib.features.renders.validate_einvoice import ValidateEInvoice
from chalicelib.features.uploads.remove import RemoveUpload
from chalicelib.features.uploads.take import TakeUpload
from chalicelib.features.usage.read import ReadUsage
from chalicelib.features.workspaces.key_use import NoteKeyUse
from chalicelib.features.workspaces.repository import Keys
from chalicelib.settings import ApiSettings

# How long most callers wait: the gateway's own limit less the way back.
GATEWAY_WAIT_S: Final = 27.0


class ApiServices(TemplateServices):
    """What the API function's views ask for."""

    def __init__(self, settings: ApiSettings, clients: Clients, *, clock: Clock, ids: Ids) -> None:
        """Build nothing yet."""
        super().__init__(settings, clients, clock=clock, ids=ids)
        crash.arm(settings.crash_points)

    def warm(self) -> None:
        """Make the clients and read the secret that the first request would wait for."""
        self.tables.get(self.settings.main_table, "HEALTH")
        assert self.secret.value
        self.render_function.warm(GATEWAY_WAIT_S)
        Metrics(self.settings.stack, "api").count("ColdStarts")

    @cached_property
    def keys(self) -> Keys:  # noqa: D102
        return Keys(self.tables, self.settings.main_table, self.service_states)

    @cached_property
    def note_key_use(self) -> NoteKeyUse:  # noqa: D102
        return NoteKeyUse(self.keys)

    @cached_property
    def idempotency(self) -> IdempotencyRecords:  # noqa: D102
        return IdempotencyRecords(self.tables, self.settings.transient_table)

    @cached_property
    def secret(self) -> Secret:  # noqa: D102
        return Secret(self.clients, self.settings.signing_secret)

    @cached_property
    def addresses(self) -> FileAddresses:  # noqa: D102
        return FileAddresses(
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
            templates=self.put_templates,
            uploads=self.read_uploads,
            schemas=self.check_schemas,
            region=self.settings.region,
        )

    @cached_property
    def take_upload(self) -> TakeUpload:  # noqa: D102
        return TakeUpload(
            uploads=self.uploads, objects=self.objects, clock=self.clock, ids=self.ids
        )

    @cached_property
    def remove_upload(self) -> RemoveUpload:  # noqa: D102
        return RemoveUpload(uploads=self.uploads, objects=self.objects)

    @cached_property
    def preflight_render(self) -> PreflightRender:  # noqa: D102
        return PreflightRender(
            templates=self.put_templates,
            uploads=self.read_uploads,
            schemas=self.check_schemas,
            lint=self.lint_templates,
            places=self.places,
            region=self.settings.region,
        )

    @cached_property
    def validate_einvoice(self) -> ValidateEInvoice:  # noqa: D102
        return ValidateEInvoice(
            uploads=self.read_uploads,
            function=self.render_function,
            places=self.places,
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
        return self.end(self.conclude_render)

    @cached_property
    def cancel_render(self) -> CancelRender:  # noqa: D102
        return CancelRender(renders=self.renders, end=self.end_render, clock=self.clock)

    @cached_property
    def purge_files(self) -> PurgeFiles:  # noqa: D102
        return self.purge(self.conclude_render)

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
        return PresentRender(addresses=self.addresses, clock=self.clock)

    @cached_property
    def api_host(self) -> str:
        """What stands before `/v1`: a host, and its path where the API has no domain of its own."""
        return self.settings.base_url.removesuffix("/v1")

    @cached_property
    def cursor_key(self) -> bytes:
        """The secret that list cursors are signed with."""
        return self.secret.value

    @cached_property
    def checks(self) -> Mapping[str, Callable[[], Any]]:
        """What `/healthz` tries, by name; a check that raises has failed."""
        return {"state": lambda: self.tables.get(self.settings.main_table, "HEALTH")}


@cache
def api_services() -> ApiServices:
    """Return the API function's services, one set a process."""
    return ApiServices(ApiSettings.from_env(), Clients(), clock=SystemClock(), ids=RandomIds())
