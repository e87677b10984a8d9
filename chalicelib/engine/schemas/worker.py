"""Parent side of the schema process."""

import time
from collections.abc import Mapping, Sequence
from typing import Final, NotRequired, TypedDict

from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.core.json import Json
from chalicelib.engine.sandbox.sandboxed_worker import SandboxedWorker
from chalicelib.engine.sandbox.walls import Walls
from chalicelib.engine.schemas.limits import CPU_LIMIT

_CHILD_MODULE: Final = "chalicelib.engine.schemas.child"
_SUBJECT: Final = "The check against the template's JSON Schema"


class SchemaRequest(TypedDict):
    """Schema to check, or with `data` the schema that they must fit."""

    schema: Json
    data: NotRequired[Json]
    prefix: str


class SchemaResponse(TypedDict, total=False):
    """Findings of a check, or the limit that it exceeded."""

    findings: Sequence[tuple[str, str, str]]
    exhausted: str


class SchemaWorker(SandboxedWorker[SchemaResponse]):
    """Worker that checks schemas, and data against them, within `cpu_s` and 512 MB."""

    cpu_limit = CPU_LIMIT

    def __init__(
        self, environment: Mapping[str, str] | None = None, walls: Walls | None = None
    ) -> None:
        """Prepare without starting a process."""
        super().__init__(_CHILD_MODULE, _SUBJECT, environment, walls)

    def check_schema(
        self, schema: Json, *, budget_s: float, prefix: str = "/schema"
    ) -> list[FieldError]:
        """Return the findings of a schema itself, with pointers below `prefix`.

        Raises RenderFailure `template_fuel_exhausted`, or `render_timeout` after `budget_s`
        seconds.
        """
        return self._request_findings({"schema": schema, "prefix": prefix}, budget_s)

    def validate(
        self, schema: Json, data: Json, *, budget_s: float, prefix: str = "/data"
    ) -> list[FieldError]:
        """Return the findings that keep data from fitting a valid schema.

        Raises as `check_schema`.
        """
        request: SchemaRequest = {"schema": schema, "data": data, "prefix": prefix}
        return self._request_findings(request, budget_s)

    def _request_findings(self, request: SchemaRequest, budget_s: float) -> list[FieldError]:
        response = self.call(request, time.time() + budget_s)
        if "exhausted" in response:
            message = f"{self._subject} {response['exhausted']}."
            raise RenderFailure("template_fuel_exhausted", message)
        return [FieldError(*finding) for finding in response["findings"]]
