"""Schema validator over the schemas function, which has no rights."""

from dataclasses import dataclass
from typing import Final

from chalicelib.adapters.aws.functions import FunctionBusy
from chalicelib.adapters.aws.remote_engine import EngineCallContext, EngineLost, RemoteEngine
from chalicelib.core.clock import Clock
from chalicelib.core.errors import FieldError, RenderFailure, no_capacity_error
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import Json, JsonObject

# The rest of the budget is for the check itself.
_MAX_WAIT_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class RemoteSchemas:
    """Schema validator of one workspace, for one check at a time.

    `folder`: prefix of the temporary objects, for a request that is too large for an invocation.
    The process of a check bounds its own time. A check that is late has waited for others, so all
    methods raise `region_degraded` then, and no `render_timeout`.
    """

    function: RemoteEngine
    tenant: WorkspaceId
    folder: str
    clock: Clock

    def check_schema(
        self, schema: Json, *, budget_s: float, prefix: str = "/schema"
    ) -> list[FieldError]:
        """Return the findings of a schema itself, with pointers below `prefix`."""
        return self._ask({"schema": schema, "prefix": prefix}, budget_s)

    def validate(
        self, schema: Json, data: Json, *, budget_s: float, prefix: str = "/data"
    ) -> list[FieldError]:
        """Return the findings that keep data from fitting a valid schema."""
        return self._ask({"schema": schema, "data": data, "prefix": prefix}, budget_s)

    def _ask(self, request: JsonObject, budget_s: float) -> list[FieldError]:
        now = self.clock.now().timestamp()
        ends_at = now + budget_s
        context = EngineCallContext(
            tenant=self.tenant,
            folder=self.folder,
            ends_at=ends_at,
            slot_ends_at=min(ends_at, now + _MAX_WAIT_S),
            may_store=False,
        )
        purpose = "the check against the JSON Schema"
        try:
            return list(self.function.check_schema(request, context))
        except (FunctionBusy, EngineLost) as loss:
            raise no_capacity_error(purpose) from loss
        except RenderFailure as failure:
            if failure.code == "render_timeout":
                raise no_capacity_error(purpose) from failure
            raise
