"""Functions of a batch in a benchmark: releaser and relay, and renders that make nothing."""

import datetime as dt
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, override

from chalicelib.adapters.aws.objects import Objects
from chalicelib.bootstrap.shared_services import SharedServices
from chalicelib.bootstrap.work import WORK
from chalicelib.bootstrap.work_function import ServeEvent, WorkParts
from chalicelib.core import json
from chalicelib.core.clock import SystemClock, format_rfc3339
from chalicelib.engine.job import RenderedFile, RenderOutcome, RenderTrace
from chalicelib.features.renders.model import Attempt
from chalicelib.features.renders.run.finish import FinishRender
from chalicelib.features.renders.run.protocol import QueuedRender
from chalicelib.settings import RenderSettings, WorkSettings
from infra.bench.batches.own_service import OwnProcess

_FILE: Final = RenderedFile("pdf", b"%PDF-", "application/pdf", pages=1)
_OUTCOME: Final = RenderOutcome((_FILE,), RenderTrace(), is_cold_start=False)


def build_releaser(process: OwnProcess) -> ServeEvent:
    """Return the releaser."""
    return _build(process, "release_batch")


def build_relay(process: OwnProcess) -> ServeEvent:
    """Return the relay."""
    return _build(process, "relay")


def _build(process: OwnProcess, name: str) -> ServeEvent:
    row = WORK[name]
    settings = WorkSettings.with_names(row.all_settings, process.variables)
    parts = WorkParts(row, settings, process.clients(name), SystemClock())
    # Imported by name, as Lambda does.
    serve: ServeEvent = import_module(f"functions.{name}.handler").build(parts)
    return serve


def build_renders(process: OwnProcess) -> Callable[[Any], Mapping[str, object]]:
    """Return what claims renders, reads their bodies, and writes their success."""
    renders = _Renders(process)

    def serve(event: Any) -> Mapping[str, object]:
        for record in event["Records"]:
            renders.end(QueuedRender.from_json(json.loads_own(record["body"])))
        return {"batchItemFailures": []}

    return serve


class _NoObjects(Objects):
    """Bucket that keeps no file of a render."""

    @override
    def put(self, key: str, body: bytes, *, content_type: str, sha256: bytes) -> None:
        pass


class _Renders:
    """Claims and final states of renders, with what the render function has for them."""

    def __init__(self, process: OwnProcess) -> None:
        settings, clock = RenderSettings.from_env(process.variables), SystemClock()
        clients = process.clients("render")
        state = SharedServices(
            clients, clock, main_table=settings.main_table, bucket=settings.bucket
        )
        self._state = state
        self._finish = FinishRender(
            tables=state.tables,
            renders=state.renders,
            files=state.files,
            objects=_NoObjects(clients, settings.bucket),
            events=state.outbox,
            settle_and_publish=state.make_settle_and_publish(settings.events_queue_url),
            clock=clock,
        )

    def end(self, message: QueuedRender) -> None:
        now = self._state.clock.now()
        until = format_rfc3339(now + dt.timedelta(minutes=5))
        attempt = Attempt(1, "bench", format_rfc3339(now), until)
        claim = self._state.renders.claim(message.workspace_id, message.render_id, attempt)
        assert claim is not None
        assert claim.is_mine, claim
        assert claim.render.body_key is not None
        assert self._state.bodies.get(claim.render.body_key) is not None
        self._finish.succeed(claim.render, _OUTCOME)
