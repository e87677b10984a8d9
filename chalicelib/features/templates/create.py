"""Creation of a template with its draft and datasets, and optionally its version 1."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from chalicelib.adapters.aws.table import Table, Write
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import DatasetId, IdGenerator, TemplateId, WorkspaceId
from chalicelib.features.templates.model import (
    Dataset,
    Draft,
    SourceBundle,
    StoredText,
    Template,
    TemplateType,
)
from chalicelib.features.templates.publish import (
    DatasetDryRun,
    NewDataset,
    PublishTemplate,
    default_index,
    with_live,
)
from chalicelib.features.templates.replace_draft import SourceCheck
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.store_source import StoreSource

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NewTemplate:
    """Request for a template; `publish` creates version 1 in the same transaction."""

    workspace_id: WorkspaceId
    name: str
    description: str | None
    type: TemplateType
    source: SourceBundle
    datasets: Sequence[NewDataset] = ()
    publish: bool = False


class CreateTemplate(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Creates templates in one transaction: all rows or none."""

    table: Table
    templates: Templates
    store: StoreSource
    checks: Sequence[SourceCheck]
    publish: PublishTemplate
    dry_run: DatasetDryRun
    clock: Clock
    ids: IdGenerator

    def __call__(self, request: NewTemplate, *, request_id: str, deadline: float) -> Template:
        """Create a template by the deadline (Unix seconds).

        Raises the errors of the checks and of the dry run; no template exists then.
        """
        for check in self.checks:
            check(request.workspace_id, request.source)
        template = self._new_template(request)
        picture = None
        if request.publish:
            picture = self.dry_run(
                template, request.source, datasets=request.datasets, deadline=deadline
            )
        texts = [json.dumps(each.data) for each in request.datasets]
        (stored, *data), thumbnail = self.store.store_new(template, request.source, texts, picture)
        now = self.clock.now()
        writes = self._source_writes(template, request.datasets, stored, data)
        event = None
        if request.publish:
            version, more_writes, event = self.publish.first_version(
                template, (stored, thumbnail), request_id, now
            )
            writes += more_writes
            template = with_live(template, version)._replace(published_revision=1)
        # What is in the bucket was announced first, as a row in status `creating` (decision 20).
        announced = thumbnail is not None or any(
            each.object_name is not None for each in (stored, *data)
        )
        creation = self.templates.creation(template, announced=announced)
        self.table.transact([creation, *writes])
        crash_if_armed(CrashPoint.TEMPLATE_WRITTEN)
        log.info("template created", extra={"template": template.id})
        if event is not None:
            self.publish.publish(event)
        return template

    def _source_writes(
        self,
        template: Template,
        datasets: Sequence[NewDataset],
        stored: StoredText,
        data: Sequence[StoredText],
    ) -> list[Write]:
        at = template.created_at
        new = (
            Dataset(id_, each.name, stored_data, at, at)
            for id_, each, stored_data in zip(template.datasets, datasets, data, strict=True)
        )
        return [
            self.templates.draft_write(template, Draft(1, stored, at)),
            *(self.templates.dataset_creation(template, each) for each in new),
        ]

    def _new_template(self, request: NewTemplate) -> Template:
        now = self.clock.now()
        datasets = tuple(DatasetId(self.ids.new("ds", now)) for _ in request.datasets)
        default = default_index(request.datasets)
        return Template(
            id=TemplateId(self.ids.new("tpl", now)),
            workspace_id=request.workspace_id,
            name=request.name,
            description=request.description,
            type=request.type,
            status="active",
            created_at=format_rfc3339(now),
            updated_at=format_rfc3339(now),
            datasets=datasets,
            default_dataset=None if default is None else datasets[default],
        )
