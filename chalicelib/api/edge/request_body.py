"""Body and query of a request: checks of media type, size, JSON, query and model, in this order."""

import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chalicelib.api.edge.endpoint import JSON, Call, Endpoint
from chalicelib.api.edge.request import Request
from chalicelib.core import json
from chalicelib.core.errors import (
    FieldError,
    ServiceError,
    json_pointer,
    require_all,
    validation_error,
)

if TYPE_CHECKING:
    from multipart import MultipartPart

_MEGABYTE: Final = 1_000_000
_PUBLIC_MAX_MB: Final = 1
_BODILESS_METHODS: Final = frozenset({"GET", "HEAD", "DELETE"})
MULTIPART_TYPE: Final = "multipart/form-data"
_FILE_FIELD: Final = "file"


@dataclass(frozen=True, slots=True)
class FormFile:
    """File of a form, with the name and type that its sender gave.

    With `upload_id` its bytes are those of an upload.
    """

    filename: str
    content_type: str
    content: bytes
    upload_id: str | None = None


def read_body_and_query(call: Call, request: Request) -> None:
    """Fill the call's body and query; raises the code of the first check that fails."""
    has_json = request.method not in _BODILESS_METHODS and _read_raw(call, request)
    checks: list[Callable[[], object]] = [lambda: _read_query(call, request)]
    if has_json and call.endpoint.body is None:
        checks.append(lambda: _check_no_body(call))
    elif has_json and not call.endpoint.validates_body_itself:
        checks.append(lambda: _validate_body(call))
    if call.endpoint.takes_idempotency_key:
        checks.append(lambda: _read_idempotency_key(call, request))
    require_all(*checks)


def _read_idempotency_key(call: Call, request: Request) -> None:
    call.idempotency_key = request.idempotency_key()


def form_file(call: Call) -> FormFile:
    """Return the single file of a multipart form; raises `validation_error`."""
    parts = form_parts(call, max_parts=10)
    for part in parts:
        if part.name != _FILE_FIELD:
            raise validation_error(
                f"/{part.name[:100]}", f"is not known here; send {_FILE_FIELD}", "unknown"
            )
    if len(parts) != 1:
        raise validation_error(
            f"/{_FILE_FIELD}", "must be sent exactly once", "repeated" if parts else "missing"
        )
    (file,) = parts
    if not file.filename:
        raise validation_error(f"/{_FILE_FIELD}", "must be a file, with its filename", "wrong_type")
    if not file.size:
        raise validation_error(f"/{_FILE_FIELD}", "is empty", "too_short")
    return FormFile(file.filename, file.content_type, file.raw)


def form_parts(call: Call, max_parts: int) -> "list[MultipartPart]":
    """Return the fields and files of a multipart form; raises `validation_error`."""
    # Imported here: most requests carry no form.
    from multipart import MultipartError, MultipartParser, parse_options_header  # noqa: PLC0415

    boundary = parse_options_header(call.headers["content-type"])[1].get("boundary")
    if not boundary:
        raise validation_error("/headers/Content-Type", "names no boundary", "missing")
    size = len(call.raw_body)
    parser = MultipartParser(
        io.BytesIO(call.raw_body),
        boundary,
        content_length=size,
        strict=True,
        part_limit=max_parts,
        spool_limit=size,
        memory_limit=2 * size,
    )
    try:
        return list(parser)
    except MultipartError as damage:
        is_encoding = any(isinstance(each, UnicodeDecodeError) for each in damage.args)
        reason = "the names in it must be UTF-8" if is_encoding else damage.args[0]
        raise validation_error("", f"the form cannot be read: {reason}") from damage


def _read_raw(call: Call, request: Request) -> bool:
    """Read the raw body and its JSON; returns whether there is JSON to validate (null is)."""
    row = call.endpoint
    kind = request.media_type() or JSON
    raw = request.body
    if raw and kind not in row.media_types:
        raise ServiceError("unsupported_media_type", _unsupported_type(row, kind))
    encoding = request.headers.get("content-encoding", "identity")
    if raw and encoding != "identity":
        raise ServiceError(
            "unsupported_media_type",
            f"The body must be sent as it is, without Content-Encoding {encoding[:100]}.",
        )
    _check_size(call, len(raw))
    call.raw_body = raw
    if kind != JSON or (not raw and row.body is None):
        return False
    call.json = json.loads(raw if raw or row.body_required else b"{}")
    return True


def _unsupported_type(row: Endpoint, kind: str) -> str:
    """Return what a route takes in place of a body of this media type."""
    detail = f"{' or '.join(row.media_types)} is expected here, not {kind[:100]}."
    if row.body is None or MULTIPART_TYPE in row.media_types:
        return detail
    return (
        f"{detail} A file goes to POST /v1/uploads first, as {MULTIPART_TYPE} or announced as "
        f"{JSON}; name its upload_id here."
    )


def _check_size(call: Call, size: int) -> None:
    limit = _PUBLIC_MAX_MB
    if call.known_caller is not None:
        limit = call.known_caller.workspace.plan.max_payload_mb
    if size > limit * _MEGABYTE:
        detail = (
            f"The body has {size} bytes; the plan allows {limit} MB ({limit}000000 bytes). "
            "Announce a large file of up to 200 MB with POST /v1/uploads, "
            '{"filename": …, "bytes": …}, send it with the form of the answer, and name its '
            "upload_id in place of its content."
        )
        raise ServiceError("payload_too_large", detail)


def _read_query(call: Call, request: Request) -> None:
    row = call.endpoint
    if row.takes_raw_query:
        return
    try:
        model = row.query_model
        call.raw_query = request.query(() if model is None else model.repeatable)
        if model is None:
            _refuse_unknown_fields(json_pointer([name], "/query") for name in call.raw_query)
            return
        from chalicelib.contract.validation import read_query  # noqa: PLC0415 -- pydantic, see below

        call.query = read_query(model, call.raw_query)
    except ServiceError as error:
        if error.code == row.query_error_code:
            raise
        raise ServiceError(row.query_error_code, "The address is altered.") from error


def _validate_body(call: Call) -> None:
    # Imported here: pydantic's models take 100 ms, which a cold start does not need (decision 7).
    from chalicelib.contract.validation import read_body  # noqa: PLC0415

    assert call.endpoint.body_model is not None
    call.body = read_body(call.endpoint.body_model, call.raw_body or b"{}", call.json)


def _check_no_body(call: Call) -> None:
    if not isinstance(call.json, dict):
        detail = "No body is expected here."
        raise ServiceError("validation_error", detail, errors=[FieldError("", "unknown", detail)])
    _refuse_unknown_fields(json_pointer([name]) for name in call.json)


def _refuse_unknown_fields(pointers: Iterable[str]) -> None:
    message = "is not known here: this route takes none"
    errors = [FieldError(pointer, "unknown", message) for pointer in pointers]
    if errors:
        detail = f"{errors[0].path}: {errors[0].message}"
        raise ServiceError("validation_error", detail, errors=errors[:100])
