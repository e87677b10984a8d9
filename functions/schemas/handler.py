"""Handler of JSON Schema checks: schemas and data are content of strangers."""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from chalicelib.adapters.json_logs import configure_logging, ids_in_payload, log_context
from chalicelib.adapters.metrics import Metrics
from chalicelib.adapters.net.presigned import PresignedHttpObjects
from chalicelib.bootstrap.cold_start import arm_crash_points, warm_up_on_lambda
from chalicelib.bootstrap.invocation_errors import reported_errors
from chalicelib.core.clock import SystemClock
from chalicelib.core.tenancy import TenantGuard, isolates_tenants
from chalicelib.engine.remote.calls import schema_call_from_json
from chalicelib.engine.remote.execute_schema import ExecuteSchemaCall
from chalicelib.engine.sandbox.walls import Walls
from chalicelib.engine.schemas.worker import SchemaWorker
from chalicelib.settings import SchemasSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from chalicelib.core.json import Json, JsonObject


class SchemaServices(NamedTuple):
    """Services of this process."""

    execute: ExecuteSchemaCall
    tenant_guard: TenantGuard


def warm() -> None:
    """Start the process of the checks."""
    configure_logging("schemas")
    _services()
    Metrics(SchemasSettings.from_env().stack, "schemas").count("ColdStarts")


def handler(event: "dict[str, Json]", context: "LambdaContext") -> "JsonObject":
    """Answer a call; its tenant is that of the invocation."""
    configure_logging("schemas")
    return serve(event, context, _services())


def serve(event: "JsonObject", context: "LambdaContext", services: SchemaServices) -> "JsonObject":
    """Return the JSON of the answer to a call.

    Log lines carry the ids in the event: request, render and workspace. Raises
    TenantIsolationError before anything is run, and InvocationError.
    """
    services.tenant_guard.admit(context.tenant_id)
    with (
        log_context(invocation=context.aws_request_id, **ids_in_payload(event)),
        reported_errors(),
    ):
        return services.execute(schema_call_from_json(event)).to_json()


@cache
def _services() -> SchemaServices:
    settings = SchemasSettings.from_env()
    arm_crash_points(settings.crash_points)
    metrics = Metrics(settings.stack, "schemas")
    walls = Walls(
        may_miss=isolates_tenants(settings.tenancy),
        on_missing=lambda _wall: metrics.count("WallsMissing"),
    )
    worker = SchemaWorker(walls=walls)
    worker.start()
    execute = ExecuteSchemaCall(schemas=worker, objects=PresignedHttpObjects(), clock=SystemClock())
    return SchemaServices(execute, TenantGuard(settings.tenancy))


warm_up_on_lambda(warm)
