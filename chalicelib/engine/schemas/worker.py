"""The service's side of the schema process."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.engine.templating.worker import SandboxedWorker

_CHILD_MODULE: Final = "chalicelib.engine.schemas.child"
_SUBJECT: Final = "The check against the template's JSON Schema"


class SchemaWorker(SandboxedWorker):
    """Checks schemas, and data against them, within 5 s of processor time and 512 MB."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        """Prepare, as every worker."""
        super().__init__(_CHILD_MODULE, _SUBJECT, environment)

    def check_schema(
        self, schema: Any, *, deadline: float, prefix: str = "/schema"
    ) -> list[FieldError]:
        """Return what is wrong with a schema itself, with pointers below `prefix`.

        Raises RenderFailure `template_fuel_exhausted`, or `render_timeout` at the deadline (seconds
        since 1970).
        """
        return self._request_findings({"schema": schema, "prefix": prefix}, deadline)

    def validate(
        self, schema: Any, data: Any, *, deadline: float, prefix: str = "/data"
    ) -> list[FieldError]:
        """Return what keeps data from fitting a schema without faults; raises as `faults`."""
        request = {"schema": schema, "data": data, "prefix": prefix}
        return self._request_findings(request, deadline)

    def _request_findings(self, request: Mapping[str, Any], deadline: float) -> list[FieldError]:
        answer = self.call(request, deadline)
        if "exhausted" in answer:
            message = f"{self._subject} {answer['exhausted']}."
            raise RenderFailure("template_fuel_exhausted", message)
        return [FieldError(*finding) for finding in answer["findings"]]
