"""Make a template: its draft and datasets, and version 1 at once where that is asked for."""

import logging
from collections.abc import Sequence
from copy import replace
from dataclasses import dataclass

from chalicelib.adapters.aws.table import Tables
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import validation_error
from chalicelib.core.ids import DatasetId, IdGenerator, TemplateId, WorkspaceId
from chalicelib.features.templates.draft import SourceCheck
from chalicelib.features.templates.model import Dataset, Draft, SourceBundle, Template, TemplateType
from chalicelib.features.templates.publish import DatasetDryRun, NewDataset, PublishTemplate
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.store_source import StoreSource

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NewTemplate:
    """What is asked for."""

    workspace_id: WorkspaceId
    name: str
    description: str | None
    type: TemplateType
    source: SourceBundle
    datasets: Sequence[NewDataset] = ()
    publish: bool = False


class CreateTemplate:
    """Makes templates, whole or not at all."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        tables: Tables,
        templates: Templates,
        store: StoreSource,
        checks: Sequence[SourceCheck],
        publish: PublishTemplate,
        dry_run: DatasetDryRun,
        clock: Clock,
        ids: IdGenerator,
    ) -> None:
        """Build from the stores and what publishing needs."""
        self._tables = tables
        self._templates = templates
        self._store = store
        self._checks = checks
        self._publish = publish
        self._dry_run = dry_run
        self._clock = clock
        self._ids = ids

    def __call__(self, wanted: NewTemplate, *, request_id: str, deadline: float) -> Template:
        """Make a template; raises what `Rehearse` raises, and has made nothing then."""
        for check in self._checks:
            check(wanted.source)
        template = self._new_template(wanted)
        if wanted.publish:
            self._dry_run(template, wanted.source, datasets=wanted.datasets, deadline=deadline)
        texts = [json.dumps(each.data) for each in wanted.datasets]
        stored, *data = self._store.store_new(template, wanted.source, texts)
        now = self._clock.now()
        writes = [
            self._templates.draft_write(template, Draft(1, stored, template.created_at)),
            *(
                self._templates.dataset_creation(
                    template,
                    Dataset(id_, each.name, kept, template.created_at, template.created_at),
                )
                for id_, each, kept in zip(template.datasets, wanted.datasets, data, strict=True)
            ),
        ]
        fact = None
        if wanted.publish:
            version, more, fact = self._publish.first_version(template, stored, request_id, now)
            writes += more
            template = replace(template, live_version=version.number, published_revision=1)
        announced = any(each.object_name is not None for each in (stored, *data))
        made = self._templates.creation(template, announced=announced)
        self._tables.transact([made, *writes])
        crash_if_armed(CrashPoint.TEMPLATE_WRITTEN)
        log.info("template created", extra={"template": template.id})
        if fact is not None:
            self._publish.publish(fact)
        return template

    def _new_template(self, wanted: NewTemplate) -> Template:
        now = self._clock.now()
        datasets = tuple(DatasetId(self._ids.new("ds", now)) for _ in wanted.datasets)
        default = _default_index(wanted.datasets)
        return Template(
            id=TemplateId(self._ids.new("tpl", now)),
            workspace_id=wanted.workspace_id,
            name=wanted.name,
            description=wanted.description,
            type=wanted.type,
            status="active",
            created_at=format_rfc3339(now),
            updated_at=format_rfc3339(now),
            datasets=datasets,
            default_dataset=None if default is None else datasets[default],
        )


def _default_index(datasets: Sequence[NewDataset]) -> int | None:
    """Return which dataset is the default one: the first where none says so."""
    said = [n for n, each in enumerate(datasets) if each.is_default]
    if len(said) > 1:
        message = "is the second default; exactly one dataset is"
        raise validation_error(f"/datasets/{said[1]}/is_default", message, "not_allowed")
    return said[0] if said else 0 if datasets else None
