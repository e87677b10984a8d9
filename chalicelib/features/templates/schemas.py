"""A template's JSON Schema: it is sound when it is kept, and data fit it before they are used."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from chalicelib.core import json
from chalicelib.core.errors import FieldError, RenderFailure, ServiceError, invalid
from chalicelib.features.templates.model import Source

MOST_BYTES: Final = 256_000
# Five seconds of processor time, on a machine that others use as well.
_MOST_S: Final = 15.0


class Schemas(Protocol):
    """Evaluates schemas, within a budget."""

    def faults(self, schema: Any, *, deadline: float, prefix: str = ...) -> list[FieldError]:
        """Return what is wrong with a schema; raises `template_fuel_exhausted`."""
        ...

    def findings(
        self, schema: Any, data: Any, *, deadline: float, prefix: str = ...
    ) -> list[FieldError]:
        """Return what keeps data from fitting; raises `template_fuel_exhausted`."""
        ...


class CheckSchemas:
    """Checks schemas, and data against them."""

    def __init__(self, schemas: Schemas) -> None:
        """Evaluate them there."""
        self._schemas = schemas

    def source(self, source: Source) -> None:
        """Refuse a source whose schema could not be used; raises `validation_error`."""
        if source.schema is None:
            return
        size = len(json.dumps(source.schema).encode())
        if size > MOST_BYTES:
            message = f"has {size} bytes; a schema has {MOST_BYTES} at most"
            raise invalid("/schema", message, "wrong_length")
        try:
            faults = self._schemas.faults(source.schema, deadline=time.time() + _MOST_S)
        except RenderFailure as exhausted:
            message = f"is too complex: {exhausted.detail}"
            raise invalid("/schema", message, "not_allowed") from exhausted
        if faults:
            detail = _told(faults, "The schema")
            raise ServiceError("validation_error", detail, errors=faults)

    def data(
        self,
        schema: Mapping[str, Any] | None,
        data: Mapping[str, Any],
        *,
        whose: str = "The data",
        prefix: str = "/data",
        within_s: float = _MOST_S,
    ) -> None:
        """Refuse data that do not fit.

        Raises `data_schema_mismatch`, `template_fuel_exhausted`, or `render_timeout`.
        """
        if schema is None:
            return
        deadline = time.time() + min(within_s, _MOST_S)
        found = self._schemas.findings(schema, data, deadline=deadline, prefix=prefix)
        if found:
            raise RenderFailure("data_schema_mismatch", _told(found, whose), errors=found)


def _told(found: Sequence[FieldError], whose: str) -> str:
    first, more = found[0], len(found) - 1
    others = f" (and {more} more)" if more else ""
    return f"{whose}: {first.path} {first.message}{others}."
