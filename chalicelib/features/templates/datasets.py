"""Datasets: data that a template is tried with; exactly one is the default, where there is any."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import replace
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.table import ConditionFailed, Tables, Write
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict, NotFound, ServiceError, validation_error
from chalicelib.core.ids import DatasetId, IdGenerator, is_id
from chalicelib.features.templates.model import Dataset, StoredText, Template
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.source_texts import SourceTexts
from chalicelib.features.templates.store_source import StoreSource

log = logging.getLogger(__name__)

MAX_DATASETS: Final = 50
_MAX_TRIES: Final = 60


@dataclass(frozen=True, slots=True)
class DatasetInput:
    """A dataset as it is asked for; `is_default` None: whoever is it stays it."""

    name: str
    data: Mapping[str, Any]
    is_default: bool | None = None


class ReadDatasets:
    """Reads datasets."""

    def __init__(self, *, templates: Templates, contents: SourceTexts) -> None:
        """Read from the stores."""
        self._templates = templates
        self._contents = contents

    def all(self, template: Template) -> list[Dataset]:
        """Return a template's datasets in the order in which they were made, without their data."""
        return self._templates.datasets(template, template.datasets)

    def one(self, template: Template, dataset_id: str) -> Dataset:
        """Return a dataset; raises `not_found`."""
        known = is_id("ds", dataset_id) and dataset_id in template.datasets
        found = self._templates.datasets(template, [DatasetId(dataset_id)]) if known else []
        if not found:
            detail = f"The template {template.id} has no dataset {dataset_id[:64]}."
            raise NotFound("not_found", detail)
        return found[0]

    def data(self, template: Template, dataset: Dataset) -> dict[str, Any]:
        """Return a dataset's data; raises `not_found` where it was changed or removed meanwhile."""
        try:
            text = self._contents.text(template.workspace_id, template.id, dataset.stored)
        except LookupError as gone:
            if self._templates.datasets(template, [dataset.id]) == [dataset]:
                raise
            detail = f"The dataset {dataset.id} has changed meanwhile; try again."
            raise Conflict("conflict", detail) from gone
        data: dict[str, Any] = json.loads_own(text)
        return data

    def each(self, template: Template) -> Iterator[tuple[Dataset, dict[str, Any]]]:
        """Return all datasets with their data, one after the other."""
        for dataset in self.all(template):
            yield dataset, self.data(template, dataset)


class ChangeDatasets:
    """Makes, replaces and removes datasets; of two who change one, the last one stays."""

    def __init__(
        self,
        *,
        tables: Tables,
        templates: Templates,
        store: StoreSource,
        read: ReadDatasets,
        clock: Clock,
        ids: IdGenerator,
    ) -> None:
        """Build from the stores."""
        self._tables = tables
        self._templates = templates
        self._store = store
        self._read = read
        self._clock = clock
        self._ids = ids

    def create(self, template: Template, wanted: DatasetInput) -> tuple[Template, Dataset]:
        """Make a dataset, the default one where it is the first; raises `conflict` at fifty."""
        stored = self._store_data(template, wanted)
        now = self._clock.now()
        at = format_rfc3339(now)
        dataset = Dataset(DatasetId(self._ids.new("ds", now)), wanted.name, stored, at, at)

        def step(template: Template) -> _DatasetStep:
            if len(template.datasets) >= MAX_DATASETS:
                detail = (
                    f"The template has {MAX_DATASETS} datasets, and more it cannot have: "
                    "remove one."
                )
                raise Conflict("conflict", detail)
            first = template.default_dataset is None
            default = dataset.id if first or wanted.is_default else template.default_dataset
            write = self._templates.dataset_creation(template, dataset)
            return _DatasetStep((*template.datasets, dataset.id), default, write, dataset)

        return self._retry_conflicts(template, step, stored)

    def replace(
        self, template: Template, dataset_id: str, wanted: DatasetInput
    ) -> tuple[Template, Dataset]:
        """Replace a dataset; raises `not_found`."""
        self._read.one(template, dataset_id)
        stored = self._store_data(template, wanted)

        def step(template: Template) -> _DatasetStep:
            before = self._read.one(template, dataset_id)
            default = template.default_dataset
            if wanted.is_default is False and default == before.id:
                message = "one dataset must be the default: send true with another one instead"
                raise validation_error("/is_default", message, "not_allowed")
            dataset = replace(
                before,
                name=wanted.name,
                stored=stored,
                updated_at=format_rfc3339(self._clock.now()),
                revision=before.revision + 1,
            )
            default = before.id if wanted.is_default else default
            write = self._templates.dataset_change(template, dataset)
            return _DatasetStep(template.datasets, default, write, dataset, before.stored)

        return self._retry_conflicts(template, step, stored)

    def delete(self, template: Template, dataset_id: str) -> None:
        """Remove a dataset; the oldest one left is the default where this one was."""

        def step(template: Template) -> _DatasetStep:
            dataset = self._read.one(template, dataset_id)
            left = tuple(each for each in template.datasets if each != dataset.id)
            default = template.default_dataset
            if default == dataset.id:
                default = left[0] if left else None
            write = self._templates.dataset_removal(template, dataset)
            return _DatasetStep(left, default, write, dataset, dataset.stored)

        self._retry_conflicts(template, step, None)

    def _store_data(self, template: Template, wanted: DatasetInput) -> StoredText:
        return self._store.store_dataset(template, json.dumps(wanted.data))

    def _retry_conflicts(
        self,
        template: Template,
        step: "Callable[[Template], _DatasetStep]",
        stored: StoredText | None,
    ) -> "tuple[Template, Dataset]":
        """Take a step from the template as it stands, until nobody comes in between."""
        new = _object_names(stored)
        for _ in range(_MAX_TRIES):
            try:
                wanted = step(template)
                changed = self._try_step(template, wanted, new)
                if changed is not None:
                    log.info("dataset changed", extra={"dataset": wanted.dataset.id})
                    return changed, wanted.dataset
                template = self._templates.one(template.workspace_id, template.id)
            except ServiceError:
                self._store.discard(template, new)
                raise
        self._store.discard(template, new)
        raise Conflict("conflict", "Others change these datasets all the time; try again.")

    def _try_step(
        self, template: Template, step: "_DatasetStep", new: list[str]
    ) -> Template | None:
        over = _object_names(step.replaced)
        sets = {"datasets": step.datasets, "default_dataset": step.default}
        change = self._templates.change(
            template,
            sets,
            unchanged=("datasets", "default_dataset"),
            settled=new,
            unsettled=dict.fromkeys(over, format_rfc3339(self._clock.now())),
            due_at=self._store.cleanup_due_at() if over else None,
        )
        try:
            self._tables.transact([change, step.write])
        except ConditionFailed:
            return None
        crash_if_armed(CrashPoint.TEMPLATE_WRITTEN)
        changed = replace(template, datasets=step.datasets, default_dataset=step.default)
        self._store.discard(changed, over)
        return changed


@dataclass(frozen=True, slots=True)
class _DatasetStep:
    """What becomes of a template's datasets; `over`: what nobody names any more."""

    datasets: Sequence[DatasetId]
    default: DatasetId | None
    write: Write
    dataset: Dataset
    replaced: StoredText | None = None


def _object_names(stored: StoredText | None) -> list[str]:
    return [] if stored is None or stored.object_name is None else [stored.object_name]
