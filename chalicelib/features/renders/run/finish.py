"""Finish a render: its files into the bucket, then state, files and fact in one transaction."""

import base64
import hashlib
import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from copy import replace
from functools import partial
from typing import Any, Final

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.clock import Clock, epoch_ms, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import FileId, derived_id
from chalicelib.core.text import safe_filename
from chalicelib.engine.job import RenderedFile, RenderOutcome, RenderTrace
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.files.model import StoredFile
from chalicelib.features.files.repository import Files
from chalicelib.features.renders.events import final_event
from chalicelib.features.renders.model import DeliveryType, Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.after_final import SettleAndPublish, file_key, file_object_keys
from chalicelib.features.renders.run.final_row import file_retention, redacted, shortened_to_fit
from chalicelib.features.renders.run.protocol import MAX_RETURNED_BYTES

log = logging.getLogger(__name__)

MAX_OUTPUT_BYTES: Final = 100_000_000
_MAX_BYTES: Final[Mapping[DeliveryType, int]] = {
    "url": MAX_OUTPUT_BYTES,
    "none": MAX_OUTPUT_BYTES,
    "binary": 20_000_000,
    "base64": 10_000_000,
}


class FinishRender:
    """Brings a claimed render into its final state, once; a late attempt changes nothing."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        tables: Tables,
        renders: Renders,
        files: Files,
        objects: Objects,
        events: EventOutbox,
        settle_and_publish: SettleAndPublish,
        clock: Clock,
    ) -> None:
        """Build from the stores."""
        self._tables = tables
        self._renders = renders
        self._files = files
        self._objects = objects
        self._events = events
        self._settle_and_publish = settle_and_publish
        self._clock = clock

    def succeed(self, render: Render, outcome: RenderOutcome) -> Render:
        """Keep the files and the success; returns the render as it stands afterwards."""
        before = self._clock.now()
        kept = file_retention(render, outcome)
        expires = format_rfc3339(before + kept) if kept is not None else None
        files = tuple(
            _stored_file(render, n, produced, outcome.filename, expires)
            for n, produced in enumerate(outcome.files)
        )
        if expires is not None:
            self._store_all(render, files, outcome)
        store_ms = epoch_ms(self._clock.now()) - epoch_ms(before)
        done = replace(
            render,
            status="succeeded",
            files=files,
            billed=not render.test,
            result=None if outcome.result is None else dict(outcome.result),
            invoice=None if outcome.invoice_totals is None else dict(outcome.invoice_totals),
            expires_at=expires,
            files_purged_at=format_rfc3339(before) if expires is None else None,
        )
        timings = {**outcome.trace.timings, "store_ms": store_ms, "cold": outcome.is_cold_start}
        return self._finish(_with_trace(done, outcome.trace), timings)

    def fail(self, render: Render, failure: RenderFailure) -> Render:
        """Keep the failure; returns the render as it stands afterwards."""
        members = {"code": failure.code, "message": failure.detail} | failure.members
        trace, result = members.pop("trace", RenderTrace()), members.pop("result", None)
        if failure.errors:
            members["errors"] = [entry._asdict() for entry in failure.errors]
        failed = replace(render, status="failed", error=members, result=result)
        return self._finish(_with_trace(failed, trace), trace.timings)

    def _store_all(
        self, render: Render, files: Sequence[StoredFile], outcome: RenderOutcome
    ) -> None:
        """Store the bodies of all files, side by side."""
        first, *others = (
            partial(self._store, render, file, produced.content)
            for file, produced in zip(files, outcome.files, strict=True)
        )
        with ThreadPoolExecutor() as beside:
            stored = [beside.submit(copy_context().run, keep) for keep in others]
            first()
        for each in stored:
            each.result()

    def _store(self, render: Render, file: StoredFile, content: bytes) -> None:
        digest = bytes.fromhex(file.sha256)
        self._objects.put(file.key, content, content_type=file.content_type, sha256=digest)
        if render.delivery == "base64" and len(content) > MAX_RETURNED_BYTES:
            # The caller is sent to a body that is exactly what the answer would have been.
            text, (_, key) = base64.b64encode(content), file_object_keys(render, file.key)
            digest = hashlib.sha256(text).digest()
            self._objects.put(key, text, content_type="text/plain", sha256=digest)
        crash_if_armed(CrashPoint.RENDER_STORED)

    def _finish(self, render: Render, timings: Mapping[str, Any]) -> Render:
        now = self._clock.now()
        ended = replace(
            render, completed_at=format_rfc3339(now), timings=_timings(render, timings, now)
        )
        done = shortened_to_fit(ended)
        fact = final_event(done, now)
        writes = [
            self._renders.finish_write(redacted(done)),
            *(
                self._files.creation(file, done.workspace_id, done.id)
                for file in done.files
                if file.expires_at is not None
            ),
            self._events.creation(fact),
        ]
        try:
            self._tables.transact(writes)
        except ConditionFailed:
            return self._resolve_conflict(done)
        crash_if_armed(CrashPoint.RENDER_FINISHED)
        log.info("render ended", extra=_log_fields(done))
        self._settle_and_publish(done, fact)
        return done

    def _resolve_conflict(self, attempted: Render) -> Render:
        """Return the render as others left it; nothing of this attempt stays behind."""
        present = self._renders.get(attempted.workspace_id, attempted.id)
        assert present is not None, attempted.id
        if present.attempt == attempted.attempt and not present.is_final:
            # Its body was kept meanwhile, for the case that this attempt dies.
            return self._finish(
                replace(attempted, body_key=present.body_key), attempted.timings or {}
            )
        if present.is_final:
            self._settle_and_publish.settle(present)
            self._save_diagnostics(present, attempted)
        named = {file.key for file in present.files}
        for file in attempted.files:
            if file.expires_at is not None and file.key not in named:
                for key in file_object_keys(attempted, file.key):
                    self._objects.delete(key)
        return present

    def _save_diagnostics(self, current: Render, attempted: Render) -> None:
        """Keep how this attempt went, which was stopped by its owner or the end of its time."""
        if (current.status, current.attempt) != ("canceled", attempted.attempt):
            return
        told = replace(
            current,
            warnings=attempted.warnings,
            logs=attempted.logs,
            explain=attempted.explain,
            timings=attempted.timings,
        )
        self._tables.write(self._renders.diagnostics_write(redacted(shortened_to_fit(told))))


def _stored_file(
    render: Render, index: int, produced: RenderedFile, filename: str | None, expires_at: str | None
) -> StoredFile:
    created = parse_rfc3339(render.created_at)
    return StoredFile(
        id=FileId(derived_id("file", created, render.id, str(index))),
        format=produced.format,
        filename=safe_filename(filename, fallback=render.id, extension=produced.format),
        content_type=produced.content_type,
        bytes=len(produced.content),
        sha256=hashlib.sha256(produced.content).hexdigest(),
        pages=produced.pages,
        width=produced.width,
        height=produced.height,
        expires_at=expires_at,
        key=file_key(render, render.attempt, index, produced.format),
    )


def _with_trace(render: Render, trace: RenderTrace) -> Render:
    return replace(
        render,
        warnings=tuple(warning._asdict() for warning in trace.warnings),
        logs=trace.logs,
        explain=None if trace.explain is None else dict(trace.explain),
    )


def _log_fields(done: Render) -> dict[str, Any]:
    code = (done.error or {}).get("code")
    return {"status": done.status, "code": code, "attempt": done.attempt, "timings": done.timings}


def check_size(render: Render, outcome: RenderOutcome) -> None:
    """Raise `page_limit_exceeded` or `output_too_large` for what the render may not be."""
    most = _MAX_BYTES[render.delivery]
    if render.zero_retention and render.returns_file:
        most = MAX_RETURNED_BYTES
    for produced in outcome.files:
        if produced.pages is not None and produced.pages > render.max_pages:
            raise RenderFailure(
                "page_limit_exceeded",
                f"The document has {produced.pages} pages; {render.max_pages} are allowed by the "
                "plan and the request's max_pages.",
                trace=outcome.trace,
            )
        if len(produced.content) > most:
            raise RenderFailure(
                "output_too_large",
                f"The {produced.format} has {len(produced.content)} bytes; with delivery "
                f"{render.delivery}{_retention_note(render)} {most} are allowed.",
                trace=outcome.trace,
            )


def _retention_note(render: Render) -> str:
    return " and retention none" if render.zero_retention else ""


def _timings(render: Render, stages: Mapping[str, Any], now: Any) -> dict[str, Any]:
    created = epoch_ms(parse_rfc3339(render.created_at))
    assert render.started_at is not None, render.id
    queue_ms = epoch_ms(parse_rfc3339(render.started_at)) - created
    return {"queue_ms": queue_ms, **stages, "total_ms": epoch_ms(now) - created}
