"""What a request carries: media type, size, JSON, query and model, checked in this order."""

from collections.abc import Iterable
from typing import Final

from chalicelib.api._endpoint import JSON, Call
from chalicelib.api._request import Request
from chalicelib.core import json
from chalicelib.core.errors import FieldError, ServiceError, pointer

_MEGABYTE: Final = 1_000_000
_PUBLIC_LIMIT_MB: Final = 1
_BODILESS: Final = frozenset({"GET", "HEAD", "DELETE"})


def read_into(call: Call, request: Request) -> None:
    """Fill the call's body and query; raises the code of the first check that fails."""
    has_json = request.method not in _BODILESS and _read_raw(call, request)
    _read_query(call, request)
    if has_json and call.endpoint.body is not None:
        if not call.endpoint.judges_body:
            _validate_body(call)
    elif has_json:
        _check_empty(call)
    if call.endpoint.idempotent:
        call.idempotency_key = request.idempotency_key()


def _read_raw(call: Call, request: Request) -> bool:
    # Tells whether there is JSON to validate: null is JSON too.
    row = call.endpoint
    kind = request.media_type() or JSON
    raw = request.body
    if raw and kind not in row.media_types:
        expected = " or ".join(row.media_types)
        raise ServiceError(
            "unsupported_media_type", f"{expected} is expected here, not {kind[:100]}."
        )
    encoding = request.headers.get("content-encoding", "identity")
    if raw and encoding != "identity":
        raise ServiceError(
            "unsupported_media_type", f"Send the body without Content-Encoding {encoding[:100]}."
        )
    _check_size(call, len(raw))
    call.raw_body = raw
    if kind != JSON or (not raw and row.body is None):
        return False
    call.json = json.loads(raw if raw or row.body_required else b"{}")
    return True


def _check_size(call: Call, size: int) -> None:
    limit = _PUBLIC_LIMIT_MB
    if call.known_caller is not None:
        limit = call.known_caller.workspace.plan.max_payload_mb
    if size > limit * _MEGABYTE:
        detail = f"The body has {size} bytes; the plan allows {limit} MB ({limit}000000 bytes)."
        raise ServiceError("payload_too_large", detail)


def _read_query(call: Call, request: Request) -> None:
    row = call.endpoint
    try:
        call.query_text = request.query()
        if row.query_model is None:
            _refuse(pointer([name], "/query") for name in call.query_text)
            return
        from chalicelib.contract.reading import read_query  # noqa: PLC0415 -- pydantic, see below

        call.query = read_query(row.query_model, call.query_text)
    except ServiceError as error:
        if error.code == row.bad_query:
            raise
        raise ServiceError(row.bad_query, "The address is altered.") from error


def _validate_body(call: Call) -> None:
    # Imported here: pydantic's models cost 100 ms that a cold start has no use for.
    from chalicelib.contract.reading import read_body  # noqa: PLC0415

    assert call.endpoint.body_model is not None
    call.body = read_body(call.endpoint.body_model, call.raw_body or b"{}", call.json)


def _check_empty(call: Call) -> None:
    if not isinstance(call.json, dict):
        detail = "No body is expected here."
        raise ServiceError("validation_error", detail, errors=[FieldError("", "unknown", detail)])
    _refuse(pointer([name]) for name in call.json)


def _refuse(pointers: Iterable[str]) -> None:
    errors = [FieldError(place, "unknown", "is not known here") for place in pointers]
    if errors:
        detail = f"{errors[0].path}: {errors[0].message}"
        raise ServiceError("validation_error", detail, errors=errors[:100])
