"""Keep a source or a dataset: in its row, or first announced there and then in the bucket."""

import datetime as dt
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import replace
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import Ids
from chalicelib.features.templates.contents import (
    MAX_DATASET_ROW_BYTES,
    MAX_ROW_BYTES,
    TemplateContents,
    is_large,
    stored_as,
    text_of,
)
from chalicelib.features.templates.model import Source, Stored, Template
from chalicelib.features.templates.repository import Templates

# A request has 29 s: what is unsettled by then belongs to nobody.
SETTLED_WITHIN: Final = dt.timedelta(hours=1)
_ROUNDS: Final = 10


class KeepSource:
    """Makes sure that no object in the bucket is without a row that tells of it."""

    def __init__(
        self,
        *,
        tables: Tables,
        templates: Templates,
        contents: TemplateContents,
        clock: Clock,
        ids: Ids,
    ) -> None:
        """Build from the stores."""
        self._tables = tables
        self._templates = templates
        self._contents = contents
        self._clock = clock
        self._ids = ids

    def of_new(self, template: Template, source: Source, datasets: Sequence[str]) -> list[Stored]:
        """Keep the source and datasets of a template that is about to be made.

        What is large is announced in its row, which is `creating` then.
        """
        now = self._clock.now()
        texts = (text_of(source), *datasets)
        limits = [MAX_ROW_BYTES, *[MAX_DATASET_ROW_BYTES] * len(datasets)]
        kept = [
            stored_as(text, self._ids.new("src", now) if is_large(text, most_bytes) else None)
            for text, most_bytes in zip(texts, limits, strict=True)
        ]
        names = [each.object_name for each in kept if each.object_name is not None]
        if names:
            unsettled = dict.fromkeys(names, rfc3339(now))
            announced = replace(template, status="creating", unsettled=unsettled)
            self._announce_new(announced)
            here(CrashPoint.TEMPLATE_ANNOUNCED)
        for text, each in zip(texts, kept, strict=True):
            if each.object_name is not None:
                self._contents.put(template.workspace_id, template.id, each.object_name, text)
                here(CrashPoint.TEMPLATE_KEPT)
        return kept

    def _announce_new(self, announced: Template) -> None:
        try:
            self._tables.write(self._templates.announcement(announced, self.due_at()))
        except ConditionFailed as taken:
            # Of a fresh id it is this very one, and the answer was lost.
            if taken.found["status"] != announced.status:
                raise

    def of(self, template: Template, source: Source) -> Stored:
        """Keep a further source; raises `template_…` where the template is gone meanwhile."""
        return self._keep(template, text_of(source), MAX_ROW_BYTES)

    def of_dataset(self, template: Template, text: str) -> Stored:
        """Keep the JSON of a dataset; raises as `of`."""
        return self._keep(template, text, MAX_DATASET_ROW_BYTES)

    def _keep(self, template: Template, text: str, most_bytes: int) -> Stored:
        if not is_large(text, most_bytes):
            return stored_as(text, None)
        now = self._clock.now()
        name = self._ids.new("src", now)
        self._announce(template, {name: rfc3339(now)})
        here(CrashPoint.TEMPLATE_ANNOUNCED)
        self._contents.put(template.workspace_id, template.id, name, text)
        here(CrashPoint.TEMPLATE_KEPT)
        return stored_as(text, name)

    def _announce(self, template: Template, unsettled: Mapping[str, str]) -> None:
        for _ in range(_ROUNDS):
            change = self._templates.change(template, {}, unsettled=unsettled, due_at=self.due_at())
            try:
                self._tables.write(change)
            except ConditionFailed:
                # Deleted; it may be restored by now.
                template = self._templates.one(template.workspace_id, template.id)
            else:
                return
        raise Conflict("conflict", "Others change this template all the time; try again.")

    def due_at(self) -> str:
        """Return when what is unsettled now is to be looked at."""
        return rfc3339(self._clock.now() + SETTLED_WITHIN)

    def give_up(self, template: Template, names: list[str]) -> None:
        """Remove sources that no row names any more, or never will."""
        if not names:
            return
        self._contents.delete(template.workspace_id, template.id, names)
        # Refused: the template is deleted; what it has unsettled goes with it.
        with suppress(ConditionFailed):
            self._tables.write(self._templates.change(template, {}, settled=names))
