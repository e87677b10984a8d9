"""Handler of PDF tools: their sources are content of strangers."""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from chalicelib.adapters.json_logs import configure_logging, ids_in_payload, log_context
from chalicelib.adapters.metrics import Metrics
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.adapters.net.presigned import PresignedHttpObjects
from chalicelib.bootstrap.cold_start import arm_crash_points, warm_up_on_lambda
from chalicelib.bootstrap.invocation_errors import reported_errors
from chalicelib.core.clock import SystemClock
from chalicelib.core.tenancy import TenantGuard, isolates_tenants
from chalicelib.engine.pdf_tools.run.tool_engine import PdfToolEngine, tool_worker
from chalicelib.engine.remote.calls import RunCall, call_from_json
from chalicelib.engine.remote.execute_tool import ExecuteToolCall
from chalicelib.engine.sandbox.walls import Walls
from chalicelib.engine.templating.worker import TemplateWorker
from chalicelib.settings import PdfToolsSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from chalicelib.core.json import Json, JsonObject


class PdfToolsServices(NamedTuple):
    """Services of this process."""

    execute: ExecuteToolCall
    tenant_guard: TenantGuard


def warm() -> None:
    """Start the process of the first request."""
    configure_logging("pdf_tools")
    _services()
    Metrics(PdfToolsSettings.from_env().stack, "pdf_tools").count("ColdStarts")


def handler(event: "dict[str, Json]", context: "LambdaContext") -> "JsonObject":
    """Answer a call; its tenant is that of the invocation."""
    configure_logging("pdf_tools")
    return serve(event, context, _services())


def serve(
    event: "JsonObject", context: "LambdaContext", services: PdfToolsServices
) -> "JsonObject":
    """Return the JSON of the answer to a call.

    Log lines carry the ids in the event: request, render and workspace. Raises
    TenantIsolationError before anything is run, and InvocationError.
    """
    services.tenant_guard.admit(context.tenant_id)
    with (
        log_context(invocation=context.aws_request_id, **ids_in_payload(event)),
        reported_errors(),
    ):
        call = call_from_json(event)
        assert isinstance(call, RunCall), "this function only makes files"
        return services.execute(call).to_json()


@cache
def _services() -> PdfToolsServices:
    settings = PdfToolsSettings.from_env()
    arm_crash_points(settings.crash_points)
    metrics = Metrics(settings.stack, "pdf_tools")
    walls = Walls(
        may_miss=isolates_tenants(settings.tenancy),
        on_missing=lambda _wall: metrics.count("WallsMissing"),
    )
    egress = GuardedEgress(allow=settings.egress_allow, own_hosts=settings.own_hosts)
    worker, templates = tool_worker(settings.fonts_dir, walls), TemplateWorker(walls=walls)
    engine = PdfToolEngine(egress, worker, templates)
    engine.start()
    execute = ExecuteToolCall(engine.run, PresignedHttpObjects(), SystemClock())
    return PdfToolsServices(execute, TenantGuard(settings.tenancy))


warm_up_on_lambda(warm)
