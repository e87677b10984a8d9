"""Render object of the contract."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from copy import replace
from typing import Final

import msgspec

from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import NotFound, ServiceError
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.files.model import StoredFile
from chalicelib.features.files.signed_urls import Disposition, SignedFileUrls
from chalicelib.features.renders.idempotency.model import Accepted202
from chalicelib.features.renders.model import Render, StorageReceipt
from chalicelib.features.renders.receipts.repository import ReceiptRows

EMAIL_COUNTS: Final = ("sent", "failed", "unknown", "pending", "skipped", "canceled")
# Those of hundreds of files would fill the answer; `storage` has the errors of all.
_MAX_UPLOAD_WARNINGS: Final = 60
_UPLOAD_FAILED: Final = "storage_upload_failed"
_STAGES: Final = (
    *("queue_ms", "template_ms", "load_ms", "print_ms", "finish_ms", "validate_ms", "store_ms"),
    *("total_ms", "cold"),
)
_ZERO_BYTES: Final = dict.fromkeys(("html", "css", "script", "font", "image", "data", "other"), 0)


class PresentRender(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Presenter of renders, with freshly signed file URLs."""

    file_urls: SignedFileUrls
    receipt_rows: ReceiptRows
    clock: Clock
    region: str

    def __call__(self, render: Render, *, with_urls: bool = True) -> dict[str, Json]:
        """Return the render as JSON; fields without a value are null or empty.

        The files have signed URLs if `with_urls`, unless they are kept for a delivery that has not
        failed.
        """
        render = self.receipt_rows.with_receipts(render)
        with_urls = with_urls and (render.hosted or render.has_failed_delivery)
        url_expires_at = self.clock.now() + dt.timedelta(seconds=render.expires_in_s)
        return render_json(
            render,
            [
                _file_json(file, self._signed_url(file, url_expires_at) if with_urls else {})
                for file in render.files
            ],
            self.region,
        )

    def file_url(self, render: Render, file_id: str, disposition: Disposition) -> str:
        """Return a signed URL of a file; raises `not_found`, and `file_expired` without one."""
        file = next((each for each in render.files if each.id == file_id), None)
        if file is None:
            raise NotFound("not_found", f"This render has no file {file_id[:64]}.")
        render = self.receipt_rows.with_receipts(render)
        has_urls = render.hosted or render.has_failed_delivery
        if render.files_purged_at is not None or render.zero_retention or not has_urls:
            raise ServiceError("file_expired", "The file of this render is no longer kept.")
        expires_at = self.clock.now() + dt.timedelta(seconds=render.expires_in_s)
        return self.file_urls.signed_url(file, expires_at, disposition)

    def with_contents(self, render: Render, contents: Sequence[str]) -> dict[str, Json]:
        """Return the render as JSON; its files, also those that are not kept, have their contents.

        The contents are in base64.
        """
        files = [
            {**_file_json(file, {}), "content_base64": content}
            for file, content in zip(render.files, contents, strict=True)
        ]
        return {**self(render, with_urls=False), "files": files}

    def as_accepted(self, render: Render, accepted: Accepted202) -> dict[str, Json]:
        """Return the render as its first answer showed it, before it was final."""
        first_state = replace(
            render,
            status=accepted.status,
            files=(),
            warnings=(),
            error=None,
            billed=False,
            timings=None,
            logs=(),
            explain=None,
            result=None,
            invoice=None,
            storage=(),
            upload_targets=None,
            started_at=accepted.started_at,
            completed_at=None,
            expires_at=None,
            files_purged_at=None,
        )
        return self(first_state)

    def _signed_url(self, file: StoredFile, url_expires_at: dt.datetime) -> JsonObject:
        return {
            "url": self.file_urls.signed_url(file, url_expires_at),
            "url_expires_at": format_rfc3339(url_expires_at),
        }


def render_json(
    render: Render, files: Sequence[JsonObject], region: str | None = None
) -> dict[str, Json]:
    """Return a render as JSON with the JSON of its files, made in a region.

    Purged files are left out, and those that wait for their uploads with zero retention.
    """
    is_hidden = render.files_purged_at is not None or render.zero_retention
    return {
        **_request_json(render, region),
        "files": [] if is_hidden else list(files),
        "pages": render.page_count,
        "warnings": [*render.warnings, *_upload_warnings(render)],
        "error": render.error,
        "result": render.result,
        "invoice": render.invoice,
        "billed": render.billed,
        "billed_renders": int(render.billed),
        "storage": [_receipt_json(receipt) for receipt in render.storage],
        "emails": _email_counts(render),
        "timings": timings_json(render.timings),
        "logs": list(render.logs),
        "explain": _explain_json(render.explain),
        "created_at": render.created_at,
        "started_at": render.started_at,
        "completed_at": render.completed_at,
        "expires_at": render.expires_at,
        "files_purged_at": render.files_purged_at,
    }


def _request_json(render: Render, region: str | None) -> dict[str, Json]:
    """Return what a render is and what was requested of it."""
    return {
        "id": render.id,
        "object": "render",
        "status": render.status,
        "mode": render.mode,
        "test": render.test,
        "region": region,
        "kind": render.kind,
        "input": render.input,
        "input_type": render.input_type,
        "template": _template_json(render),
        "template_id": render.template_id,
        "template_version": render.template_version,
        "engine": render.engine,
        "engine_version": render.engine,
        "output": render.output,
        "output_format": render.output_format,
        "reference": render.reference,
        "metadata": render.metadata or {},
        "priority": render.priority,
        "source": render.source,
        "batch_id": render.batch_id,
    }


def _template_json(render: Render) -> JsonObject | None:
    if render.template_id is None:
        return None
    return {"id": render.template_id, "version": render.template_version}


def timings_json(timings: Mapping[str, int] | None) -> JsonObject:
    """Return the stages that ran, in their order."""
    known = timings or {}
    return {stage: known[stage] for stage in _STAGES if known.get(stage) is not None}


def render_json_without_urls(render: Render) -> dict[str, Json]:
    """Return a render as JSON; its files have no URLs."""
    return render_json(render, [_file_json(file, {}) for file in render.files])


def _file_json(file: StoredFile, url_fields: JsonObject) -> JsonObject:
    return {
        "id": file.id,
        "format": file.format,
        "filename": file.filename,
        "content_type": file.content_type,
        "bytes": file.bytes,
        "sha256": file.sha256,
        "pages": file.pages,
        "width": file.width,
        "height": file.height,
        **url_fields,
        "expires_at": file.expires_at,
    }


def _receipt_json(receipt: StorageReceipt) -> JsonObject:
    values = receipt._asdict()
    del values["file_index"], values["attempts"]
    return values


def _upload_warnings(render: Render) -> Iterator[JsonObject]:
    """Yield a warning for each upload that has failed for good; one for all beyond a bound."""
    failed = [
        (receipt.destination_id, receipt.error["message"])
        for receipt in render.storage
        if receipt.status == "failed" and receipt.error is not None
    ]
    for destination_id, reason in failed[:_MAX_UPLOAD_WARNINGS]:
        message = f"A file is not at its storage destination: {reason}"
        yield {"code": _UPLOAD_FAILED, "message": message, "detail": destination_id}
    more = len(failed) - _MAX_UPLOAD_WARNINGS
    if more > 0:
        message = f"{more} more files are not at their storage destinations: see storage."
        yield {"code": _UPLOAD_FAILED, "message": message, "detail": None}


def _explain_json(explain: JsonObject | None) -> dict[str, Json] | None:
    """Return `explain` with bytes of every resource type; rows omit the types without any."""
    if explain is None:
        return None
    sizes = explain.get("bytes")
    return {**explain, "bytes": {**_ZERO_BYTES, **(sizes if isinstance(sizes, Mapping) else {})}}


def _email_counts(render: Render) -> dict[str, Json] | None:
    """Return the emails of a render by their state, or None if it is of no template."""
    if render.template_id is None:
        return None
    counts = render.email_counts
    if counts is None:
        # Until the relay has made sends of them they are to come.
        counts = {"pending": render.email_count} if render.status == "succeeded" else {}
    return {name: counts.get(name, 0) for name in EMAIL_COUNTS}
