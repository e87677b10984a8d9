"""Datasets: sample data of a template. If there are any, exactly one is the default."""

import logging
from collections.abc import Callable, Iterator, Sequence
from copy import replace
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Table, Write
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict, NotFound, ServiceError, validation_error
from chalicelib.core.ids import DatasetId, IdGenerator, is_id
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.templates.model import Dataset, StoredText, Template
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.source_texts import SourceTexts
from chalicelib.features.templates.store_source import StoreSource

log = logging.getLogger(__name__)

MAX_DATASETS: Final = 50
_MAX_TRIES: Final = 60


@dataclass(frozen=True, slots=True)
class DatasetInput:
    """Requested content of a dataset; `is_default` None leaves the default unchanged."""

    name: str
    data: JsonObject
    is_default: bool | None = None


class ReadDatasets(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reads the datasets of templates."""

    templates: Templates
    contents: SourceTexts

    def all(self, template: Template) -> list[Dataset]:
        """Return a template's datasets in the order of creation, without their data."""
        return self.templates.datasets(template, template.datasets)

    def one(self, template: Template, dataset_id: str) -> Dataset:
        """Return a dataset; raises `not_found`."""
        is_known = is_id("ds", dataset_id) and dataset_id in template.datasets
        found = self.templates.datasets(template, [DatasetId(dataset_id)]) if is_known else []
        if not found:
            detail = f"The template {template.id} has no dataset {dataset_id[:64]}."
            raise NotFound("not_found", detail)
        return found[0]

    def data(self, template: Template, dataset: Dataset) -> dict[str, Json]:
        """Return a dataset's data; raises `conflict` if it was changed or removed meanwhile."""
        try:
            text = self.contents.text(template.workspace_id, template.id, dataset.stored)
        except LookupError as missing:
            # Only an unchanged row makes a missing object a defect of ours.
            if self.templates.datasets(template, [dataset.id]) == [dataset]:
                raise
            detail = f"The dataset {dataset.id} has changed meanwhile; try again."
            raise Conflict("conflict", detail) from missing
        data: dict[str, Json] = json.loads_own(text)
        return data

    def each(self, template: Template) -> Iterator[tuple[Dataset, dict[str, Json]]]:
        """Yield every dataset with its data."""
        for dataset in self.all(template):
            yield dataset, self.data(template, dataset)


class ChangeDatasets(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Creates, replaces and deletes datasets; the last of two concurrent changes wins.

    `read` finds the datasets to change.
    """

    table: Table
    templates: Templates
    store: StoreSource
    read: ReadDatasets
    clock: Clock
    ids: IdGenerator

    def create(self, template: Template, requested: DatasetInput) -> tuple[Template, Dataset]:
        """Create a dataset; the first one becomes the default. Raises `conflict` above 50."""
        stored = self._store_data(template, requested)
        now = self.clock.now()
        at = format_rfc3339(now)
        dataset = Dataset(DatasetId(self.ids.new("ds", now)), requested.name, stored, at, at)

        def build_step(template: Template) -> _DatasetStep:
            if len(template.datasets) >= MAX_DATASETS:
                detail = (
                    f"The template has {MAX_DATASETS} datasets, and more it cannot have: "
                    "remove one."
                )
                raise Conflict("conflict", detail)
            first = template.default_dataset is None
            default = dataset.id if first or requested.is_default else template.default_dataset
            write = self.templates.dataset_creation(template, dataset)
            return _DatasetStep((*template.datasets, dataset.id), default, write, dataset)

        return self._retry_conflicts(template, build_step, stored)

    def replace(
        self, template: Template, dataset_id: str, requested: DatasetInput
    ) -> tuple[Template, Dataset]:
        """Replace a dataset; raises `not_found`."""
        self.read.one(template, dataset_id)
        stored = self._store_data(template, requested)

        def build_step(template: Template) -> _DatasetStep:
            before = self.read.one(template, dataset_id)
            default = template.default_dataset
            if requested.is_default is False and default == before.id:
                message = "one dataset must be the default: send true with another one instead"
                raise validation_error("/is_default", message, "not_allowed")
            dataset = replace(
                before,
                name=requested.name,
                stored=stored,
                updated_at=format_rfc3339(self.clock.now()),
                revision=before.revision + 1,
            )
            default = before.id if requested.is_default else default
            write = self.templates.dataset_change(template, dataset)
            return _DatasetStep(template.datasets, default, write, dataset, before.stored)

        return self._retry_conflicts(template, build_step, stored)

    def delete(self, template: Template, dataset_id: str) -> None:
        """Delete a dataset; if it was the default, the oldest remaining one becomes it."""

        def build_step(template: Template) -> _DatasetStep:
            dataset = self.read.one(template, dataset_id)
            remaining = tuple(each for each in template.datasets if each != dataset.id)
            default = template.default_dataset
            if default == dataset.id:
                default = remaining[0] if remaining else None
            write = self.templates.dataset_removal(template, dataset)
            return _DatasetStep(remaining, default, write, dataset, dataset.stored)

        self._retry_conflicts(template, build_step, None)

    def _store_data(self, template: Template, requested: DatasetInput) -> StoredText:
        return self.store.store_dataset(template, json.dumps(requested.data))

    def _retry_conflicts(
        self,
        template: Template,
        build_step: "Callable[[Template], _DatasetStep]",
        stored: StoredText | None,
    ) -> "tuple[Template, Dataset]":
        """Apply a step to the current template; repeat it after each concurrent change.

        `stored` is the new data; its object is removed if no row will name it.
        """
        new = _object_names(stored)
        for _ in range(_MAX_TRIES):
            try:
                step = build_step(template)
                changed = self._try_step(template, step, new)
                if changed is not None:
                    log.info("dataset changed", extra={"dataset": step.dataset.id})
                    return changed, step.dataset
                template = self.templates.one(template.workspace_id, template.id)
            except ServiceError:
                self.store.discard(template, new)
                raise
        self.store.discard(template, new)
        raise Conflict("conflict", "Others change these datasets all the time; try again.")

    def _try_step(
        self, template: Template, step: "_DatasetStep", new: list[str]
    ) -> Template | None:
        # The replaced object is listed in the transaction that drops it from its row, so that
        # maintenance finds it after a crash (decision 20).
        obsolete = _object_names(step.replaced)
        sets = {"datasets": step.datasets, "default_dataset": step.default}
        change = self.templates.change(
            template,
            sets,
            unchanged=("datasets", "default_dataset"),
            settled=new,
            unsettled=dict.fromkeys(obsolete, format_rfc3339(self.clock.now())),
            due_at=self.store.cleanup_due_at() if obsolete else None,
        )
        try:
            self.table.transact([change, step.write])
        except ConditionFailed:
            return None
        crash_if_armed(CrashPoint.TEMPLATE_WRITTEN)
        changed = replace(template, datasets=step.datasets, default_dataset=step.default)
        self.store.discard(changed, obsolete)
        return changed


@dataclass(frozen=True, slots=True)
class _DatasetStep:
    """One change of a template's datasets; `replaced` is the data that no row names afterwards."""

    datasets: Sequence[DatasetId]
    default: DatasetId | None
    write: Write
    dataset: Dataset
    replaced: StoredText | None = None


def _object_names(stored: StoredText | None) -> list[str]:
    return [] if stored is None or stored.object_name is None else [stored.object_name]
