"""Checks of a template's JSON Schema: the schema before it is stored, data before a render."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import msgspec

from chalicelib.core import json
from chalicelib.core.errors import FieldError, RenderFailure, ServiceError, validation_error
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import Json, JsonObject

MAX_SCHEMA_BYTES: Final = 256_000
# Wall time for five seconds of processor time on a shared machine.
_BUDGET_S: Final = 15.0


class SchemaChecker(Protocol):
    """Port to the schema validator, which works within a budget (seconds)."""

    def check_schema(self, schema: Json, *, budget_s: float, prefix: str = ...) -> list[FieldError]:
        """Return the errors of a schema.

        Raises `template_fuel_exhausted` or `render_timeout`.
        """
        ...

    def validate(
        self, schema: Json, data: Json, *, budget_s: float, prefix: str = ...
    ) -> list[FieldError]:
        """Return the errors of data against a schema; raises as `check_schema`."""
        ...


class _HasSchema(Protocol):
    @property
    def schema(self) -> JsonObject | None: ...


class CheckSchemas(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Checks schemas, and data against them."""

    schemas: SchemaChecker

    def check_source(self, source: _HasSchema) -> None:
        """Raise `validation_error` for a source with an unusable schema."""
        if source.schema is None:
            return
        size = len(json.dumps(source.schema).encode())
        if size > MAX_SCHEMA_BYTES:
            message = f"has {size} bytes; a schema has {MAX_SCHEMA_BYTES} at most"
            raise validation_error("/schema", message, "wrong_length")
        try:
            errors = self.schemas.check_schema(source.schema, budget_s=_BUDGET_S)
        except RenderFailure as exhausted:
            message = f"is too complex: {exhausted.detail}"
            raise validation_error("/schema", message, "not_allowed") from exhausted
        if errors:
            detail = _summary(errors, "The schema")
            raise ServiceError("validation_error", detail, errors=errors)

    def check_data(
        self,
        schema: JsonObject | None,
        data: JsonObject,
        *,
        subject: str = "The data",
        prefix: str = "/data",
        budget_s: float = _BUDGET_S,
    ) -> None:
        """Check data against a schema; `budget_s` is at most 15 seconds.

        Raises `data_schema_mismatch`, `template_fuel_exhausted`, or `render_timeout`.
        """
        if schema is None:
            return
        errors = self.schemas.validate(
            schema, data, budget_s=min(budget_s, _BUDGET_S), prefix=prefix
        )
        if errors:
            raise RenderFailure("data_schema_mismatch", _summary(errors, subject), errors=errors)


# The checks of a workspace: each has an execution environment of its own.
type WorkspaceSchemas = Callable[[WorkspaceId], CheckSchemas]


def _summary(errors: Sequence[FieldError], subject: str) -> str:
    first, more = errors[0], len(errors) - 1
    others = f" (and {more} more)" if more else ""
    return f"{subject}: {first.path} {first.message}{others}."
