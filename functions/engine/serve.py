"""Service of calls in the engine function."""

from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from chalicelib.adapters.json_logs import ids_in_payload, log_context
from chalicelib.adapters.net.presigned import PresignedHttpObjects
from chalicelib.adapters.tracing import SERVER, span
from chalicelib.bootstrap.cold_start import arm_crash_points
from chalicelib.bootstrap.invocation_errors import reported_errors
from chalicelib.core.clock import SystemClock
from chalicelib.core.tenancy import TenantGuard
from chalicelib.engine.on_stage import ON_STAGE
from chalicelib.engine.remote.calls import call_from_json
from chalicelib.engine.remote.execute import ExecuteCall

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from chalicelib.core.json import JsonObject
    from chalicelib.engine.remote.execute import Engine
    from chalicelib.engine.sandbox.walls import Walls
    from chalicelib.engine.schemas.check_schemas import CheckSchemas
    from chalicelib.settings import EngineSettings


class EngineServices(NamedTuple):
    """Services of this process."""

    execute: ExecuteCall
    tenant_guard: TenantGuard


def engine_services(settings: "EngineSettings", engine: "Engine", walls: "Walls") -> EngineServices:
    """Return the services over an engine; `walls` admits the processes that they start."""
    arm_crash_points(settings.crash_points)
    schemas = partial(_check_schemas, walls)
    execute = ExecuteCall(engine, PresignedHttpObjects(), schemas, SystemClock(), walls)
    return EngineServices(execute, TenantGuard(settings.tenancy))


def serve(event: "JsonObject", context: "LambdaContext", services: EngineServices) -> "JsonObject":
    """Return the JSON of the answer to a call.

    Log lines carry the ids in the event: request, render and workspace. Raises
    TenantIsolationError before anything is run, and InvocationError.
    """
    services.tenant_guard.admit(context.tenant_id)
    with (
        log_context(invocation=context.aws_request_id, **ids_in_payload(event)),
        reported_errors(),
        span("engine", "engine", kind=SERVER) as current,
    ):
        # A trace is rare, and so is what only it needs.
        token = None if current is None else ON_STAGE.set(current.write_stage)
        try:
            return services.execute(call_from_json(event)).to_json()
        finally:
            if token is not None:
                ON_STAGE.reset(token)


@cache
def _check_schemas(walls: "Walls") -> "CheckSchemas":
    # Imported late: no cold start waits for it (decision 7).
    from chalicelib.engine.schemas.check_schemas import CheckSchemas  # noqa: PLC0415
    from chalicelib.engine.schemas.worker import SchemaWorker  # noqa: PLC0415

    return CheckSchemas(schemas=SchemaWorker(walls=walls))
