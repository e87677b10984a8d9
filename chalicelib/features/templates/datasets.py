"""Datasets: data that a template is tried with; exactly one is the default, where there is any."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import replace
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.table import ConditionFailed, Tables, Write
from chalicelib.core import json
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.errors import Conflict, NotFound, ServiceError, invalid
from chalicelib.core.ids import DatasetId, Ids, is_id
from chalicelib.features.templates.contents import TemplateContents
from chalicelib.features.templates.keeping import KeepSource
from chalicelib.features.templates.model import Dataset, Stored, Template
from chalicelib.features.templates.repository import Templates

log = logging.getLogger(__name__)

MOST: Final = 50
_ROUNDS: Final = 60


@dataclass(frozen=True, slots=True)
class WantedDataset:
    """A dataset as it is asked for; `is_default` None: whoever is it stays it."""

    name: str
    data: Mapping[str, Any]
    is_default: bool | None = None


class ReadDatasets:
    """Reads datasets."""

    def __init__(self, *, templates: Templates, contents: TemplateContents) -> None:
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
        data: dict[str, Any] = json.read_back(text)
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
        keep: KeepSource,
        read: ReadDatasets,
        clock: Clock,
        ids: Ids,
    ) -> None:
        """Build from the stores."""
        self._tables = tables
        self._templates = templates
        self._keep = keep
        self._read = read
        self._clock = clock
        self._ids = ids

    def create(self, template: Template, wanted: WantedDataset) -> tuple[Template, Dataset]:
        """Make a dataset, the default one where it is the first; raises `conflict` at fifty."""
        stored = self._kept(template, wanted)
        now = self._clock.now()
        at = rfc3339(now)
        dataset = Dataset(DatasetId(self._ids.new("ds", now)), wanted.name, stored, at, at)

        def step(template: Template) -> _Step:
            if len(template.datasets) >= MOST:
                detail = f"The template has {MOST} datasets, and more it cannot have: remove one."
                raise Conflict("conflict", detail)
            first = template.default_dataset is None
            default = dataset.id if first or wanted.is_default else template.default_dataset
            write = self._templates.dataset_creation(template, dataset)
            return _Step((*template.datasets, dataset.id), default, write, dataset)

        return self._until_done(template, step, stored)

    def replace(
        self, template: Template, dataset_id: str, wanted: WantedDataset
    ) -> tuple[Template, Dataset]:
        """Replace a dataset; raises `not_found`."""
        self._read.one(template, dataset_id)
        stored = self._kept(template, wanted)

        def step(template: Template) -> _Step:
            before = self._read.one(template, dataset_id)
            default = template.default_dataset
            if wanted.is_default is False and default == before.id:
                message = "one dataset must be the default: send true with another one instead"
                raise invalid("/is_default", message, "not_allowed")
            dataset = replace(
                before,
                name=wanted.name,
                stored=stored,
                updated_at=rfc3339(self._clock.now()),
                revision=before.revision + 1,
            )
            default = before.id if wanted.is_default else default
            write = self._templates.dataset_change(template, dataset)
            return _Step(template.datasets, default, write, dataset, before.stored)

        return self._until_done(template, step, stored)

    def delete(self, template: Template, dataset_id: str) -> None:
        """Remove a dataset; the oldest one left is the default where this one was."""

        def step(template: Template) -> _Step:
            dataset = self._read.one(template, dataset_id)
            left = tuple(each for each in template.datasets if each != dataset.id)
            default = template.default_dataset
            if default == dataset.id:
                default = left[0] if left else None
            write = self._templates.dataset_removal(template, dataset)
            return _Step(left, default, write, dataset, dataset.stored)

        self._until_done(template, step, None)

    def _kept(self, template: Template, wanted: WantedDataset) -> Stored:
        return self._keep.of_dataset(template, json.dumps(wanted.data))

    def _until_done(
        self, template: Template, step: "Callable[[Template], _Step]", stored: Stored | None
    ) -> "tuple[Template, Dataset]":
        """Take a step from the template as it stands, until nobody comes in between."""
        new = _names(stored)
        for _ in range(_ROUNDS):
            try:
                wanted = step(template)
                changed = self._try(template, wanted, new)
                if changed is not None:
                    log.info("dataset changed", extra={"dataset": wanted.dataset.id})
                    return changed, wanted.dataset
                template = self._templates.one(template.workspace_id, template.id)
            except ServiceError:
                self._keep.give_up(template, new)
                raise
        self._keep.give_up(template, new)
        raise Conflict("conflict", "Others change these datasets all the time; try again.")

    def _try(self, template: Template, step: "_Step", new: list[str]) -> Template | None:
        over = _names(step.over)
        sets = {"datasets": step.datasets, "default_dataset": step.default}
        change = self._templates.change(
            template,
            sets,
            still=("datasets", "default_dataset"),
            settled=new,
            unsettled=dict.fromkeys(over, rfc3339(self._clock.now())),
            due_at=self._keep.due_at() if over else None,
        )
        try:
            self._tables.transact([change, step.write])
        except ConditionFailed:
            return None
        here(CrashPoint.TEMPLATE_WRITTEN)
        changed = replace(template, datasets=step.datasets, default_dataset=step.default)
        self._keep.give_up(changed, over)
        return changed


@dataclass(frozen=True, slots=True)
class _Step:
    """What becomes of a template's datasets; `over`: what nobody names any more."""

    datasets: Sequence[DatasetId]
    default: DatasetId | None
    write: Write
    dataset: Dataset
    over: Stored | None = None


def _names(stored: Stored | None) -> list[str]:
    return [] if stored is None or stored.object_name is None else [stored.object_name]
