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
from chalicelib.core.clock import Clock, epoch_ms, parse_rfc3339, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import FileId, derived
from chalicelib.core.text import safe_filename
from chalicelib.engine.job import Outcome, Produced, Trace
from chalicelib.features.facts.repository import Facts
from chalicelib.features.files.model import StoredFile
from chalicelib.features.files.repository import Files
from chalicelib.features.renders.clear import file_key, keys_of_file
from chalicelib.features.renders.conclude import ConcludeRender
from chalicelib.features.renders.facts import final_fact
from chalicelib.features.renders.keeping import as_kept, kept_for
from chalicelib.features.renders.model import Delivery, Render
from chalicelib.features.renders.protocol import MAX_RETURNED_BYTES
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.room import with_room

log = logging.getLogger(__name__)

MAX_OUTPUT_BYTES: Final = 100_000_000
_MOST_BYTES: Final[Mapping[Delivery, int]] = {
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
        facts: Facts,
        conclude: ConcludeRender,
        clock: Clock,
    ) -> None:
        """Build from the stores."""
        self._tables = tables
        self._renders = renders
        self._files = files
        self._objects = objects
        self._facts = facts
        self._conclude = conclude
        self._clock = clock

    def succeeded(self, render: Render, outcome: Outcome) -> Render:
        """Keep the files and the success; returns the render as it stands afterwards."""
        before = self._clock.now()
        kept = kept_for(render, outcome)
        expires = rfc3339(before + kept) if kept is not None else None
        files = tuple(
            _stored(render, n, produced, outcome.filename, expires)
            for n, produced in enumerate(outcome.files)
        )
        if expires is not None:
            self._keep_all(render, files, outcome)
        store_ms = epoch_ms(self._clock.now()) - epoch_ms(before)
        done = replace(
            render,
            status="succeeded",
            files=files,
            billed=not render.test,
            result=None if outcome.result is None else dict(outcome.result),
            invoice=None if outcome.invoice is None else dict(outcome.invoice),
            expires_at=expires,
            files_purged_at=rfc3339(before) if expires is None else None,
        )
        timings = {**outcome.trace.timings, "store_ms": store_ms, "cold": outcome.cold}
        return self._end(_traced(done, outcome.trace), timings)

    def failed(self, render: Render, failure: RenderFailure) -> Render:
        """Keep the failure; returns the render as it stands afterwards."""
        members = {"code": failure.code, "message": failure.detail} | failure.members
        trace, result = members.pop("trace", Trace()), members.pop("result", None)
        if failure.errors:
            members["errors"] = [entry._asdict() for entry in failure.errors]
        failed = replace(render, status="failed", error=members, result=result)
        return self._end(_traced(failed, trace), trace.timings)

    def _keep_all(self, render: Render, files: Sequence[StoredFile], outcome: Outcome) -> None:
        """Store the bodies of all files, side by side."""
        first, *others = (
            partial(self._keep, render, file, produced.content)
            for file, produced in zip(files, outcome.files, strict=True)
        )
        with ThreadPoolExecutor() as beside:
            stored = [beside.submit(copy_context().run, keep) for keep in others]
            first()
        for each in stored:
            each.result()

    def _keep(self, render: Render, file: StoredFile, content: bytes) -> None:
        digest = bytes.fromhex(file.sha256)
        self._objects.put(file.key, content, content_type=file.content_type, sha256=digest)
        if render.delivery == "base64" and len(content) > MAX_RETURNED_BYTES:
            # The caller is sent to a body that is exactly what the answer would have been.
            text, (_, key) = base64.b64encode(content), keys_of_file(render, file.key)
            digest = hashlib.sha256(text).digest()
            self._objects.put(key, text, content_type="text/plain", sha256=digest)
        here(CrashPoint.RENDER_STORED)

    def _end(self, render: Render, timings: Mapping[str, Any]) -> Render:
        now = self._clock.now()
        ended = replace(render, completed_at=rfc3339(now), timings=_timings(render, timings, now))
        done = with_room(ended)
        fact = final_fact(done, now)
        writes = [
            self._renders.finish(as_kept(done)),
            *(
                self._files.creation(file, done.workspace_id, done.id)
                for file in done.files
                if file.expires_at is not None
            ),
            self._facts.creation(fact),
        ]
        try:
            self._tables.transact(writes)
        except ConditionFailed:
            return self._overtaken(done)
        here(CrashPoint.RENDER_FINISHED)
        log.info("render ended", extra=_told(done))
        self._conclude(done, fact)
        return done

    def _overtaken(self, mine: Render) -> Render:
        """Return the render as others left it; nothing of this attempt stays behind."""
        present = self._renders.get(mine.workspace_id, mine.id)
        assert present is not None, mine.id
        if present.attempt == mine.attempt and not present.is_final:
            # Its body was kept meanwhile, for the case that this attempt dies.
            return self._end(replace(mine, body_key=present.body_key), mine.timings or {})
        if present.is_final:
            self._conclude.settle(present)
            self._explain(present, mine)
        named = {file.key for file in present.files}
        for file in mine.files:
            if file.expires_at is not None and file.key not in named:
                for key in keys_of_file(mine, file.key):
                    self._objects.delete(key)
        return present

    def _explain(self, present: Render, mine: Render) -> None:
        """Keep how this attempt went, which was stopped by its owner or the end of its time."""
        if (present.status, present.attempt) != ("canceled", mine.attempt):
            return
        told = replace(
            present,
            warnings=mine.warnings,
            logs=mine.logs,
            explain=mine.explain,
            timings=mine.timings,
        )
        self._tables.write(self._renders.explaining(as_kept(with_room(told))))


def _stored(
    render: Render, n: int, produced: Produced, filename: str | None, expires: str | None
) -> StoredFile:
    created = parse_rfc3339(render.created_at)
    return StoredFile(
        id=FileId(derived("file", created, render.id, str(n))),
        format=produced.format,
        filename=safe_filename(filename, fallback=render.id, extension=produced.format),
        content_type=produced.content_type,
        bytes=len(produced.content),
        sha256=hashlib.sha256(produced.content).hexdigest(),
        pages=produced.pages,
        width=produced.width,
        height=produced.height,
        expires_at=expires,
        key=file_key(render, render.attempt, n, produced.format),
    )


def _traced(render: Render, trace: Trace) -> Render:
    return replace(
        render,
        warnings=tuple(warning._asdict() for warning in trace.warnings),
        logs=trace.logs,
        explain=None if trace.explain is None else dict(trace.explain),
    )


def _told(done: Render) -> dict[str, Any]:
    code = (done.error or {}).get("code")
    return {"status": done.status, "code": code, "attempt": done.attempt, "timings": done.timings}


def check_size(render: Render, outcome: Outcome) -> None:
    """Raise `page_limit_exceeded` or `output_too_large` for what the render may not be."""
    most = _MOST_BYTES[render.delivery]
    if render.zero_retention and render.answers_file:
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
                f"{render.delivery}{_without_keeping(render)} {most} are allowed.",
                trace=outcome.trace,
            )


def _without_keeping(render: Render) -> str:
    return " and retention none" if render.zero_retention else ""


def _timings(render: Render, stages: Mapping[str, Any], now: Any) -> dict[str, Any]:
    created = epoch_ms(parse_rfc3339(render.created_at))
    assert render.started_at is not None, render.id
    queue_ms = epoch_ms(parse_rfc3339(render.started_at)) - created
    return {"queue_ms": queue_ms, **stages, "total_ms": epoch_ms(now) - created}
