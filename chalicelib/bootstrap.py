"""Wiring: builds what the functions and the operator tool work with, each part on first use."""

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from chalicelib.adapters.aws.functions import Function
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.secrets import Secret
from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.aws.table import Tables
from chalicelib.core.clock import Clock, SystemClock
from chalicelib.core.ids import Ids, RandomIds
from chalicelib.features.files.addresses import FileAddresses
from chalicelib.features.files.repository import Files
from chalicelib.features.renders.bodies import Bodies
from chalicelib.features.renders.clear import ClearRender
from chalicelib.features.renders.create import CreateRender
from chalicelib.features.renders.end import EndRender
from chalicelib.features.renders.enqueue import EnqueueRender
from chalicelib.features.renders.idempotency import IdempotencyRecords
from chalicelib.features.renders.present import PresentRender
from chalicelib.features.renders.read import ReadRenders
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run_now import RunNow
from chalicelib.features.workspaces.change import ChangeWorkspace
from chalicelib.features.workspaces.create import CreateWorkspace
from chalicelib.features.workspaces.keys import ManageKeys
from chalicelib.features.workspaces.limits_repository import Limits
from chalicelib.features.workspaces.repository import Keys, Workspaces
from chalicelib.settings import ApiSettings, OperatorSettings, RenderSettings

if TYPE_CHECKING:
    from chalicelib.features.renders.execute import Engine, ExecuteRender


# How long most callers wait: the gateway's own limit less the way back.
GATEWAY_WAIT_S: Final = 27.0


class ApiServices:
    """What the API function's views ask for."""

    def __init__(self, settings: ApiSettings, clients: Clients, *, clock: Clock, ids: Ids) -> None:
        """Build nothing yet."""
        self.settings = settings
        self.clients = clients
        self.clock = clock
        self.ids = ids

    def warm(self) -> None:
        """Make the clients and read the secret that the first request would wait for."""
        self.tables.get(self.settings.main_table, "HEALTH")
        assert self.secret.value
        self.render_function.warm(GATEWAY_WAIT_S)

    @cached_property
    def tables(self) -> Tables:  # noqa: D102
        return Tables(self.clients)

    @cached_property
    def workspaces(self) -> Workspaces:  # noqa: D102
        return Workspaces(self.tables, self.settings.main_table)

    @cached_property
    def keys(self) -> Keys:  # noqa: D102
        return Keys(self.tables, self.settings.main_table)

    @cached_property
    def limits(self) -> Limits:  # noqa: D102
        return Limits(self.tables, self.settings.main_table)

    @cached_property
    def renders(self) -> Renders:  # noqa: D102
        return Renders(self.tables, self.settings.main_table)

    @cached_property
    def idempotency(self) -> IdempotencyRecords:  # noqa: D102
        return IdempotencyRecords(self.tables, self.settings.transient_table)

    @cached_property
    def objects(self) -> Objects:  # noqa: D102
        return Objects(self.clients, self.settings.bucket)

    @cached_property
    def bodies(self) -> Bodies:  # noqa: D102
        return Bodies(self.objects)

    @cached_property
    def secret(self) -> Secret:  # noqa: D102
        return Secret(self.clients, self.settings.signing_secret)

    @cached_property
    def addresses(self) -> FileAddresses:  # noqa: D102
        return FileAddresses(
            files=Files(self.tables, self.settings.main_table),
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
            region=self.settings.region,
        )

    @cached_property
    def enqueue_render(self) -> EnqueueRender:  # noqa: D102
        return EnqueueRender(
            tables=self.tables,
            renders=self.renders,
            bodies=self.bodies,
            queue=Queue(self.clients, self.settings.renders_queue_url),
        )

    @cached_property
    def render_function(self) -> Function:  # noqa: D102
        return Function(self.clients, self.settings.render_function)

    @cached_property
    def end_render(self) -> EndRender:  # noqa: D102
        return EndRender(
            tables=self.tables,
            renders=self.renders,
            clear=ClearRender(limits=self.limits, bodies=self.bodies, objects=self.objects),
            clock=self.clock,
        )

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
    def present_render(self) -> PresentRender:  # noqa: D102
        return PresentRender(addresses=self.addresses, clock=self.clock)

    @cached_property
    def api_host(self) -> str:
        """Scheme, host and port of the API, without a path."""
        parts = urlsplit(self.settings.base_url)
        return f"{parts.scheme}://{parts.netloc}"

    @cached_property
    def cursor_key(self) -> bytes:
        """The secret that list cursors are signed with."""
        return self.secret.value

    @cached_property
    def checks(self) -> Mapping[str, Callable[[], Any]]:
        """What `/healthz` tries, by name; a check that raises has failed."""
        return {"state": lambda: self.tables.get(self.settings.main_table, "HEALTH")}


class Operator:
    """What the operator tool asks for."""

    def __init__(
        self, settings: OperatorSettings, clients: Clients, *, clock: Clock, ids: Ids
    ) -> None:
        """Build the use cases."""
        self.region = settings.region
        self.clock = clock
        tables = Tables(clients)
        self.workspaces = Workspaces(tables, settings.main_table)
        self.limits = Limits(tables, settings.main_table)
        self.keys = Keys(tables, settings.main_table)
        self.create_workspace = CreateWorkspace(
            tables=tables,
            workspaces=self.workspaces,
            limits=self.limits,
            clock=clock,
            ids=ids,
        )
        self.change_workspace = ChangeWorkspace(
            tables=tables, workspaces=self.workspaces, limits=self.limits
        )
        self.manage_keys = ManageKeys(workspaces=self.workspaces, keys=self.keys, clock=clock)


@cache
def api_services() -> ApiServices:
    """Return the API function's services, one set a process."""
    return ApiServices(ApiSettings.from_env(), Clients(), clock=SystemClock(), ids=RandomIds())


@cache
def operator() -> Operator:
    """Return the operator tool's use cases."""
    return Operator(OperatorSettings.from_env(), Clients(), clock=SystemClock(), ids=RandomIds())


def execute_render(
    settings: RenderSettings, clients: Clients, engine: "Engine", clock: Clock
) -> "ExecuteRender":
    """Return the render function's use case over an engine."""
    # Only the render function has what these modules need.
    from chalicelib.features.renders.execute import ExecuteRender
    from chalicelib.features.renders.finish import FinishRender

    tables = Tables(clients)
    renders = Renders(tables, settings.main_table)
    limits = Limits(tables, settings.main_table)
    objects = Objects(clients, settings.bucket)
    bodies = Bodies(objects)
    clear = ClearRender(limits=limits, bodies=bodies, objects=objects)
    finish = FinishRender(
        tables=tables,
        renders=renders,
        files=Files(tables, settings.main_table),
        objects=objects,
        clear=clear,
        clock=clock,
    )
    end = EndRender(tables=tables, renders=renders, clear=clear, clock=clock)
    return ExecuteRender(
        renders=renders,
        bodies=bodies,
        engine=engine,
        finish=finish,
        clear=clear,
        end=end,
        clock=clock,
    )
