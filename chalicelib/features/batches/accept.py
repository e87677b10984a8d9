"""Accept a batch: check it, store its items in chunks, and write its row."""

import datetime as dt
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from copy import replace
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import ConditionFailed
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import validation_error
from chalicelib.core.ids import BatchId, IdGenerator, RenderId
from chalicelib.core.json import JsonObject
from chalicelib.engine.job import PageJob
from chalicelib.features.batches.bodies import BatchTemplate, Chunk, CsvForm, csv_key, pack_lines
from chalicelib.features.batches.csv.reader import check_csv_mapping, read_csv_format
from chalicelib.features.batches.model import Batch, Combine
from chalicelib.features.batches.stores import BatchStores
from chalicelib.features.renders.accept.check_uploads import check_uploads
from chalicelib.features.renders.accept.command import (
    RenderCommand,
    check_command,
    check_plan_features,
)
from chalicelib.features.renders.accept.new_render import new_render
from chalicelib.features.renders.accept.resolve_storage import ResolveStorage
from chalicelib.features.renders.accept.resolve_template import ResolveTemplate
from chalicelib.features.renders.idempotency.model import Accepted202, IdempotencyRecord
from chalicelib.features.renders.idempotency.repository import IdempotencyRecords
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.webhooks.request_webhook import AcceptRequestWebhook, RequestWebhook
from chalicelib.features.workspaces.limits.model import NOTHING, RateState, Reservation
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.service_state.repository import ServiceStates

log = logging.getLogger(__name__)

# The function that announces a batch has ended by then.
_ANNOUNCED_FOR: Final = dt.timedelta(minutes=10)
_STORED_AT_ONCE: Final = 8
_CSV_POINTER: Final = "/csv_upload_id"
CSV_HEAD_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True)
class CsvItems:
    """Items that are the records of an uploaded CSV."""

    upload_id: str
    mapping: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class BatchCommand:
    """Requested batch: `render` is the common part of its renders, `items` as in the request."""

    render: RenderCommand
    items: Sequence[JsonObject] | CsvItems
    combine: Combine
    webhook: RequestWebhook | None


@dataclass(frozen=True, slots=True)
class AcceptedBatch:
    """Accepted batch; `is_repeat`: an earlier request with the same Idempotency-Key made it."""

    batch: Batch
    is_repeat: bool = False


class AcceptBatch(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Acceptance of batches; idempotent by key, also after a crash at any line."""

    stores: BatchStores
    templates: ResolveTemplate
    storage: ResolveStorage
    uploads: ReadUploads
    webhooks: AcceptRequestWebhook
    limits: WorkspaceLimits
    idempotency: IdempotencyRecords
    objects: Objects
    state: ServiceStates
    region: str
    clock: Clock
    ids: IdGenerator

    def __call__(
        self,
        command: BatchCommand,
        on_rate_counted: Callable[[RateState], object] = lambda _rate: None,
    ) -> AcceptedBatch:
        """Accept a command; `on_rate_counted` gets the rate once the request is counted.

        Raises as `CreateRender` does, except refusals of data, concurrency and allowance, and
        `validation_error` for a file that is no CSV.
        """
        render, now = command.render, self.clock.now()
        check_command(render, self.region)
        on_rate_counted(self.limits.count_creation(render.workspace, now))
        if render.idempotency is not None:
            record = self.idempotency.find(render.idempotency, now)
            if record is not None:
                return self._answer_repeat(render, record)
        self.state.require_normal()
        if render.delivery_policy.zero_retention and command.combine.kinds:
            message = "with retention none nothing is kept that could be combined"
            raise validation_error("/combine", message, "not_allowed")
        render = self.storage(self.templates(render, render.version))
        command = replace(command, render=render)
        self._check(command)
        csv = self._csv(command)
        batch, chunks = self._new_batch(command, now), self._chunks(command)
        starts = [chunk.first for chunk in chunks]
        self.stores.batches.announce(batch, starts, format_rfc3339(now + _ANNOUNCED_FOR))
        crash_if_armed(CrashPoint.BATCH_ANNOUNCED)
        self._store(command, batch, csv, chunks)
        crash_if_armed(CrashPoint.BATCH_STORED)
        return self._commit(render, batch, now)

    def _commit(self, command: RenderCommand, batch: Batch, now: dt.datetime) -> AcceptedBatch:
        """Write row, idempotency record and due item in one transaction."""
        writes = [
            *self.stores.batches.acceptance(batch),
            self.stores.leases.activation(batch.workspace_id),
        ]
        key = command.idempotency
        if key is not None:
            accepted = Accepted202("queued", None)
            record = self.idempotency.creation(key, RenderId(batch.id), now, accepted)
            writes.insert(0, record)
        try:
            self.stores.table.transact(writes)
        except ConditionFailed as conflict:
            if key is None or conflict.index != 0:
                raise
            earlier = self.idempotency.read(conflict.item, key, now)
            assert earlier is not None, "the record that refused this one is not there"
            if earlier.render_id != RenderId(batch.id):
                # Its row is due soon: what it has stored is erased then.
                return self._answer_repeat(command, earlier)
        crash_if_armed(CrashPoint.BATCH_ACCEPTED)
        log.info("batch accepted", extra={"batch": batch.id, "items": batch.total})
        return AcceptedBatch(batch)

    def _answer_repeat(self, command: RenderCommand, record: IdempotencyRecord) -> AcceptedBatch:
        key = command.workspace.id, BatchId(record.render_id)
        batch = self.stores.batches.get(key)
        assert batch is not None, record.render_id
        return AcceptedBatch(batch, is_repeat=True)

    def _check(self, command: BatchCommand) -> None:
        render = command.render
        check_plan_features(render)
        _check_delivery(command)
        check_uploads(render.job, render.workspace, self.uploads)
        if command.webhook is not None:
            self.webhooks.check(command.webhook, render.key_mode)
            self.webhooks.prepare(render.workspace.id, render.key_mode)

    def _new_batch(self, command: BatchCommand, now: dt.datetime) -> Batch:
        render = command.render
        assert render.template_id is not None
        return Batch(
            id=BatchId(self.ids.new("bat", now)),
            workspace_id=render.workspace.id,
            status="queued",
            test=render.key_mode == "test",
            total=0 if isinstance(command.items, CsvItems) else len(command.items),
            template_id=render.template_id,
            template_version=render.template_version,
            created_at=format_rfc3339(now),
            request_id=render.request_id,
            expires_in_s=render.delivery_policy.expires_in_s,
            retention_days=render.delivery_policy.retention_days,
            history_days=render.workspace.plan.history_days,
            reference=render.reference,
            metadata=render.metadata,
            webhook=command.webhook,
            combine=command.combine,
            is_csv=isinstance(command.items, CsvItems),
            purges_items=bool(command.combine.kinds) and not render.delivery_policy.hosted,
            zero_retention=render.delivery_policy.zero_retention,
        )

    def _csv(self, command: BatchCommand) -> CsvForm | None:
        """Return how the CSV is to be read; raises `upload_not_found` and `validation_error`."""
        items = command.items
        if not isinstance(items, CsvItems):
            return None
        workspace_id = command.render.workspace.id
        upload = self.uploads.get_ready(workspace_id, {_CSV_POINTER: items.upload_id})
        version = self.objects.find(upload[_CSV_POINTER].key)
        if version is None:
            raise validation_error(_CSV_POINTER, "is gone; upload the file again", "not_found")
        size = min(version.size, CSV_HEAD_BYTES)
        head = self.objects.get_range(version, 0, size)
        form = read_csv_format(
            head, is_whole=size == version.size, has_mapping=items.mapping is not None
        )
        if items.mapping is not None:
            check_csv_mapping(form.columns, items.mapping)
        return CsvForm(form, items.mapping)

    def _chunks(self, command: BatchCommand) -> list[Chunk]:
        if isinstance(command.items, CsvItems):
            return []
        return list(_inline_chunks(command.items))

    def _store(
        self, command: BatchCommand, batch: Batch, csv: CsvForm | None, chunks: Sequence[Chunk]
    ) -> None:
        """Store the common part, and the chunks or the copy of the CSV."""
        self.stores.bodies.store_template(_template(command, batch, csv))
        if isinstance(command.items, CsvItems):
            uploads = {_CSV_POINTER: command.items.upload_id}
            upload = self.uploads.get_ready(batch.workspace_id, uploads)[_CSV_POINTER]
            if self.objects.copy(upload.key, csv_key(*batch.key)) is None:
                raise validation_error(_CSV_POINTER, "is gone; upload the file again", "not_found")
            return
        with ThreadPoolExecutor(_STORED_AT_ONCE) as pool:
            tasks = [
                pool.submit(
                    copy_context().run, self.stores.bodies.store_chunk, batch.key, number, chunk
                )
                for number, chunk in enumerate(chunks)
            ]
        for task in tasks:
            task.result()


def _template(command: BatchCommand, batch: Batch, csv: CsvForm | None) -> BatchTemplate:
    render, now = command.render, dt.datetime.fromtimestamp(0, dt.UTC)
    reservation = Reservation(NOTHING, has_lease=False, is_settled_by_relay=True)
    template = replace(
        new_render(render, RenderId(""), reservation, now),
        source="batch",
        batch_id=batch.id,
        is_combined=batch.purges_items,
        reference=None,
        metadata=None,
    )
    assert isinstance(render.job, PageJob)
    return BatchTemplate(template, render.job, csv)


def _inline_chunks(items: Sequence[JsonObject]) -> Iterator[Chunk]:
    first = 0
    for lines in pack_lines(json.dumps(item).encode() for item in items):
        yield Chunk(first, is_csv=False, lines=lines)
        first += len(lines)


def _check_delivery(command: BatchCommand) -> None:
    """Raise `validation_error` for files that could not be made."""
    combine, job = command.combine, command.render.job
    assert isinstance(job, PageJob)
    if not combine.merged_pdf:
        return
    if "pdf" not in job.output.formats or job.output.is_zipped:
        message = "needs items that are PDFs: ask for format pdf"
        raise validation_error("/combine/merged_pdf", message, "not_allowed")
    if job.output.pdf.protection is not None:
        message = "cannot merge protected PDFs; leave protection out"
        raise validation_error("/combine/merged_pdf", message, "not_allowed")
