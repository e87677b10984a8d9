"""A template's JSON Schema: it is sound when it is kept, and data fit it before they are used."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from chalicelib.core import json
from chalicelib.core.errors import FieldError, RenderFailure, ServiceError, validation_error
from chalicelib.features.templates.model import SourceBundle

MAX_SCHEMA_BYTES: Final = 256_000
# Five seconds of processor time, on a machine that others use as well.
_BUDGET_S: Final = 15.0


class SchemaChecker(Protocol):
    """Evaluates schemas, within a budget."""

    def check_schema(self, schema: Any, *, deadline: float, prefix: str = ...) -> list[FieldError]:
        """Return what is wrong with a schema; raises `template_fuel_exhausted`."""
        ...

    def validate(
        self, schema: Any, data: Any, *, deadline: float, prefix: str = ...
    ) -> list[FieldError]:
        """Return what keeps data from fitting; raises `template_fuel_exhausted`."""
        ...


class CheckSchemas:
    """Checks schemas, and data against them."""

    def __init__(self, schemas: SchemaChecker) -> None:
        """Evaluate them there."""
        self._schemas = schemas

    def check_source(self, source: SourceBundle) -> None:
        """Refuse a source whose schema could not be used; raises `validation_error`."""
        if source.schema is None:
            return
        size = len(json.dumps(source.schema).encode())
        if size > MAX_SCHEMA_BYTES:
            message = f"has {size} bytes; a schema has {MAX_SCHEMA_BYTES} at most"
            raise validation_error("/schema", message, "wrong_length")
        try:
            faults = self._schemas.check_schema(source.schema, deadline=time.time() + _BUDGET_S)
        except RenderFailure as exhausted:
            message = f"is too complex: {exhausted.detail}"
            raise validation_error("/schema", message, "not_allowed") from exhausted
        if faults:
            detail = _summary(faults, "The schema")
            raise ServiceError("validation_error", detail, errors=faults)

    def check_data(
        self,
        schema: Mapping[str, Any] | None,
        data: Mapping[str, Any],
        *,
        subject: str = "The data",
        prefix: str = "/data",
        budget_s: float = _BUDGET_S,
    ) -> None:
        """Refuse data that do not fit.

        Raises `data_schema_mismatch`, `template_fuel_exhausted`, or `render_timeout`.
        """
        if schema is None:
            return
        deadline = time.time() + min(budget_s, _BUDGET_S)
        found = self._schemas.validate(schema, data, deadline=deadline, prefix=prefix)
        if found:
            raise RenderFailure("data_schema_mismatch", _summary(found, subject), errors=found)


def _summary(found: Sequence[FieldError], subject: str) -> str:
    first, more = found[0], len(found) - 1
    others = f" (and {more} more)" if more else ""
    return f"{subject}: {first.path} {first.message}{others}."
