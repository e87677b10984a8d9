"""Final row of a render: file retention, redaction, and the size limit of a row."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from copy import replace
from typing import Final

from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.problems import PROBLEMS
from chalicelib.core.text import safe_filename
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.remote.calls import MAX_RETURNED_BYTES
from chalicelib.features.files.model import StoredFile
from chalicelib.features.renders.model import Render, StorageReceipt
from chalicelib.features.renders.rows import outcome_json, request_json

# A file too large for the response is fetched from the bucket. Its URL is valid for a minute; a
# repeat of the request gets a new one.
_FETCH_WINDOW: Final = dt.timedelta(hours=1)
_REDACTED: Final = "With retention none its details are not kept."
_DEFAULT_LIVE_DAYS: Final = 30
_TEST_RETENTION: Final = dt.timedelta(hours=24)
# With zero retention, of files that wait for their uploads.
_MAX_UNRETAINED: Final = dt.timedelta(hours=24)
# An item of DynamoDB holds 400 KB; the rest is for the row's other attributes.
MAX_JSON_BYTES: Final = 380_000
# Bytes of a receipt without its key; it may have an ETag and an error.
_RECEIPT_BYTES: Final = 2_000
_VAT_BREAKDOWN: Final = "vat_breakdown"
_MAX_WARNINGS: Final = 10
_LOGS_OMITTED: Final = ("There was no room to keep what the page wrote to its console.",)


def file_retention(
    render: Render, outcome: RenderOutcome, *, has_emails: bool
) -> dt.timedelta | None:
    """Return the retention of a successful render's files, or None if they are not stored.

    Files that go by email, to a storage destination or into combined files are stored at least
    until that has happened.
    """
    if render.zero_retention:
        return _MAX_UNRETAINED if render.storage else None
    if render.hosted or render.is_combined or has_emails or render.storage:
        return retention(test=render.test, days=render.retention_days)
    fits = sum(len(file.content) for file in outcome.files) <= MAX_RETURNED_BYTES
    return None if fits or not render.returns_file else _FETCH_WINDOW


def fetchable_until(render: Render) -> dt.datetime | None:
    """Return the end of the time in which a caller fetches a file that no response holds."""
    if not render.returns_file or sum(file.bytes for file in render.files) <= MAX_RETURNED_BYTES:
        return None
    assert render.completed_at is not None, render.id
    return parse_rfc3339(render.completed_at) + _FETCH_WINDOW


def redact_render(render: Render) -> Render:
    """Return a final render for its row: with zero retention without any content (decision 17).

    File names, messages and console lines may contain text of templates, data and pages.
    """
    if not render.zero_retention:
        return render
    return replace(
        render,
        files=redact_files(render) if render.storage else (),
        storage=tuple(map(_redact_receipt, render.storage)),
        warnings=tuple(
            {"code": warning["code"], "message": _REDACTED, "detail": None}
            for warning in render.warnings
        ),
        error=None if render.error is None else _redacted_error(render.error),
        logs=(),
        explain=None,
        result=None,
        invoice=None,
    )


def _redact_receipt(receipt: StorageReceipt) -> StorageReceipt:
    """Return a receipt whose error says nothing of the data; its path finds the file."""
    if receipt.error is None:
        return receipt
    return receipt._replace(error={**receipt.error, "message": _REDACTED})


def redact_files(render: Render) -> tuple[StoredFile, ...]:
    """Return the files of a render for rows: with zero retention their names say nothing."""
    if not render.zero_retention:
        return render.files
    return tuple(
        file._replace(
            filename=safe_filename(None, fallback=render.id, extension=file.format, part=file.part),
            pages=None,
            width=None,
            height=None,
        )
        for file in render.files
    )


def retention(*, test: bool, days: int | None = None) -> dt.timedelta:
    """Return the retention of a render's files; `days` is for live renders only."""
    return _TEST_RETENTION if test else dt.timedelta(days=days or _DEFAULT_LIVE_DAYS)


def shortened_to_fit(render: Render) -> Render:
    """Return the render, reduced step by step until it fits into a row.

    The least informative fields go first.
    """
    # Many of them stand in rows of their own.
    in_row = render.storage if render.upload_targets is None else ()
    receipts = sum(_RECEIPT_BYTES + len((each.path or "").encode()) for each in in_row)
    for reduce in _REDUCTIONS:
        size = len(request_json(render).encode()) + len(outcome_json(render).encode())
        if size + receipts <= MAX_JSON_BYTES:
            break
        render = reduce(render)
    return render


def _redacted_error(error: JsonObject) -> JsonObject:
    code = str(error["code"])
    return {"code": code, "message": f"{PROBLEMS[code].title}. {_REDACTED}"}


def _with_short_reports(render: Render) -> Render:
    """Keep the verdict and the first error of each report."""
    report = (render.result or {}).get("conformance")
    if not isinstance(report, Mapping):
        return render
    shortened = {
        subject: {**part, "errors": _first(part["errors"]), "warnings": []}
        for subject, part in report.items()
        if isinstance(part, Mapping)
    }
    return replace(render, result={"conformance": shortened}) if shortened else render


def _with_short_error(render: Render) -> Render:
    """Keep the first of the errors; the message has their number."""
    error = render.error or {}
    if "errors" not in error:
        return render
    return replace(render, error={**error, "errors": _first(error["errors"])})


def _first(entries: Json) -> Sequence[Json]:
    return entries[:1] if isinstance(entries, list | tuple) else ()


def _without_breakdown(render: Render) -> Render:
    """Remove the VAT breakdown from an invoice's totals; its XML has it."""
    totals = {
        name: value for name, value in (render.invoice or {}).items() if name != _VAT_BREAKDOWN
    }
    return replace(render, invoice=totals or None)


_REDUCTIONS: Final[tuple[Callable[[Render], Render], ...]] = (
    lambda render: replace(render, logs=_LOGS_OMITTED),
    lambda render: replace(render, explain=None),
    _with_short_reports,
    _without_breakdown,
    lambda render: replace(render, warnings=render.warnings[:_MAX_WARNINGS]),
    _with_short_error,
)
