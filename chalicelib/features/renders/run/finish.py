"""Finish a render: store its files, then write state, files and event in one transaction."""

import datetime as dt
import hashlib
import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from copy import replace
from functools import partial
from itertools import batched

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import TRANSACTION_LIMIT, ConditionFailed, Table
from chalicelib.core.clock import Clock, epoch_ms, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import FileId, derived_id
from chalicelib.core.redact_url import redacted_text, redacted_texts
from chalicelib.core.text import safe_filename
from chalicelib.engine.context import RenderedFile, RenderTrace
from chalicelib.engine.delivery.emails import EmailContents, contents_key
from chalicelib.engine.job import RenderOutcome
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.files.model import StoredFile
from chalicelib.features.files.repository import MAX_FINAL_RECORDS, FileOwner, Files
from chalicelib.features.renders.events import final_event
from chalicelib.features.renders.file_keys import file_key
from chalicelib.features.renders.model import Render, StorageReceipt
from chalicelib.features.renders.receipts.repository import upload_targets
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.final_row import (
    file_retention,
    redact_files,
    redact_render,
    shortened_to_fit,
)
from chalicelib.features.renders.run.settle import SettleAndPublish

log = logging.getLogger(__name__)


class FinishRender(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Final state of claimed renders, written once; a late attempt changes nothing (decision 5)."""

    table: Table
    renders: Renders
    files: Files
    objects: Objects
    events: EventOutbox
    settle_and_publish: SettleAndPublish
    clock: Clock

    def succeed(
        self,
        render: Render,
        outcome: RenderOutcome,
        emails: EmailContents | None = None,
        storage: tuple[StorageReceipt, ...] = (),
    ) -> Render:
        """Store the files, the emails, the receipts of uploads to come and the success.

        Return the current render.
        """
        started = self.clock.now()
        formats = tuple(file.format for file in outcome.files)
        targets = upload_targets(storage, len(formats))
        render = replace(render, file_formats=formats, storage=storage, upload_targets=targets)
        retention = file_retention(render, outcome, has_emails=emails is not None)
        expires_at = format_rfc3339(started + retention) if retention is not None else None
        files = tuple(
            _stored_file(render, n, produced, outcome.filename, expires_at)
            for n, produced in enumerate(outcome.files)
        )
        if expires_at is not None and files:
            try:
                render = self._announce(render)
            except ConditionFailed:
                # The render was ended, or a later attempt runs it.
                return self._resolve_conflict(render)
            self._store_all(files, outcome)
        if emails is not None:
            self._store_emails(render, emails)
        store_ms = epoch_ms(self.clock.now()) - epoch_ms(started)
        succeeded = replace(
            render,
            status="succeeded",
            files=files,
            billed=not render.test,
            result=None if outcome.result is None else dict(outcome.result),
            invoice=None if outcome.invoice_totals is None else dict(outcome.invoice_totals),
            expires_at=expires_at,
            files_purged_at=format_rfc3339(started) if expires_at is None else None,
        )
        timings = {**outcome.trace.timings, "store_ms": store_ms, "cold": outcome.is_cold_start}
        return self._finish(_with_trace(succeeded, outcome.trace), timings)

    def fail(self, render: Render, failure: RenderFailure) -> Render:
        """Store the failure; return the current render."""
        members = {"code": failure.code, "message": failure.detail} | failure.members
        trace, result = members.pop("trace", RenderTrace()), members.pop("result", None)
        if failure.errors:
            members["errors"] = [entry._asdict() for entry in failure.errors]
        failed = replace(render, status="failed", error=members, result=result)
        return self._finish(_with_trace(failed, trace), trace.timings)

    def _announce(self, render: Render) -> Render:
        """Name other files than the requested ones in the row before they exist.

        A crash leaves none behind.
        """
        if render.file_formats == render.requested_formats:
            return render
        formats = {str(render.attempt): render.file_formats}
        announced = replace(render, announced={**render.announced, **formats})
        self.table.write(self.renders.announcement(announced))
        return announced

    def _store_emails(self, render: Render, emails: EmailContents) -> None:
        key = contents_key(render.workspace_id, render.id)
        self.objects.put_data(key, msgspec.json.encode(emails))
        crash_if_armed(CrashPoint.RENDER_EMAILS_STORED)

    def _store_all(self, files: Sequence[StoredFile], outcome: RenderOutcome) -> None:
        """Store the contents of all files in parallel."""
        first, *others = (
            partial(self._store, file, produced.content)
            for file, produced in zip(files, outcome.files, strict=True)
        )
        with ThreadPoolExecutor() as pool:
            tasks = [pool.submit(copy_context().run, store) for store in others]
            first()
        for task in tasks:
            task.result()

    def _store(self, file: StoredFile, content: bytes) -> None:
        digest = bytes.fromhex(file.sha256)
        self.objects.put(file.key, content, content_type=file.content_type, sha256=digest)
        crash_if_armed(CrashPoint.RENDER_STORED)

    def _finish(self, render: Render, timings: Mapping[str, int]) -> Render:
        now = self.clock.now()
        ended = replace(
            render, completed_at=format_rfc3339(now), timings=_timings(render, timings, now)
        )
        done = shortened_to_fit(ended)
        event = final_event(done, now)
        records = [
            *self.files.creations(
                [file for file in redact_files(done) if file.expires_at is not None],
                FileOwner(done.workspace_id, done.id),
            )
        ]
        for batch in batched(records[MAX_FINAL_RECORDS:], TRANSACTION_LIMIT, strict=False):
            # Nobody has their URLs before the final state; their time to live removes orphans.
            self.table.transact(batch)
        row = redact_render(done)
        self.renders.receipts.store(row)
        writes = [
            self.renders.finish_write(row),
            *records[:MAX_FINAL_RECORDS],
            self.events.creation(event),
        ]
        try:
            self.table.transact(writes)
        except ConditionFailed:
            return self._resolve_conflict(done)
        crash_if_armed(CrashPoint.RENDER_FINISHED)
        log.info("render ended", extra=_log_fields(done))
        self.settle_and_publish(done, event)
        return done

    def _resolve_conflict(self, attempted: Render) -> Render:
        """Return the current render and delete the files of this refused attempt."""
        current = self.renders.get(attempted.workspace_id, attempted.id)
        assert current is not None, attempted.id
        if current.attempt == attempted.attempt and not current.is_final:
            # The caller has left, and its function has stored the body and named it in the row.
            continued = replace(
                attempted, body_key=current.body_key, reservation=current.reservation
            )
            return self._finish(continued, attempted.timings or {})
        if current.is_final:
            self.settle_and_publish.settle(current)
            self._save_diagnostics(current, attempted)
        named = {file.key for file in current.files}
        refused = [
            file.key
            for file in attempted.files
            if file.expires_at is not None and file.key not in named
        ]
        self.objects.delete_many(refused)
        return current

    def _save_diagnostics(self, current: Render, attempted: Render) -> None:
        """Save the diagnostics of this attempt, if its render was canceled."""
        if (current.status, current.attempt) != ("canceled", attempted.attempt):
            return
        diagnosed = replace(
            current,
            warnings=attempted.warnings,
            logs=attempted.logs,
            explain=attempted.explain,
            timings=attempted.timings,
        )
        row = redact_render(shortened_to_fit(diagnosed))
        self.table.write(self.renders.diagnostics_write(row))


def _stored_file(
    render: Render, index: int, produced: RenderedFile, filename: str | None, expires_at: str | None
) -> StoredFile:
    created = parse_rfc3339(render.created_at)
    return StoredFile(
        id=FileId(derived_id("file", created, render.id, str(index))),
        format=produced.format,
        filename=safe_filename(
            filename, fallback=render.id, extension=produced.format, part=produced.part
        ),
        content_type=produced.content_type,
        bytes=len(produced.content),
        sha256=hashlib.sha256(produced.content).hexdigest(),
        pages=produced.pages,
        width=produced.width,
        height=produced.height,
        expires_at=expires_at,
        key=file_key(render, render.attempt, index, produced.format),
        part=produced.part,
    )


def _with_trace(render: Render, trace: RenderTrace) -> Render:
    """Return the render with the trace of a run; addresses in it are redacted."""
    return replace(
        render,
        warnings=tuple(redacted_texts(warning._asdict()) for warning in trace.warnings),
        logs=tuple(map(redacted_text, trace.logs)),
        explain=None if trace.explain is None else redacted_texts(trace.explain),
        error=None if render.error is None else redacted_texts(render.error),
    )


def _log_fields(done: Render) -> dict[str, object]:
    code = (done.error or {}).get("code")
    return {"status": done.status, "code": code, "attempt": done.attempt, "timings": done.timings}


def _timings(render: Render, stages: Mapping[str, int], now: dt.datetime) -> dict[str, int]:
    created = epoch_ms(parse_rfc3339(render.created_at))
    assert render.started_at is not None, render.id
    queue_ms = epoch_ms(parse_rfc3339(render.started_at)) - created
    return {"queue_ms": queue_ms, **stages, "total_ms": epoch_ms(now) - created}
