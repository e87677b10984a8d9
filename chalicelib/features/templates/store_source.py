"""Keep a source or a dataset: in its row, or first announced there and then in the bucket."""

import datetime as dt
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import replace
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import IdGenerator
from chalicelib.features.templates.model import SourceBundle, StoredText, Template
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.source_texts import (
    MAX_DATASET_ROW_BYTES,
    MAX_ROW_BYTES,
    SourceTexts,
    is_too_large_for_row,
    serialize_source,
    stored_text,
)

# A request has 29 s: what is unsettled by then belongs to nobody.
UNSETTLED_TIMEOUT: Final = dt.timedelta(hours=1)
_MAX_TRIES: Final = 10


class StoreSource:
    """Makes sure that no object in the bucket is without a row that tells of it."""

    def __init__(
        self,
        *,
        tables: Tables,
        templates: Templates,
        contents: SourceTexts,
        clock: Clock,
        ids: IdGenerator,
    ) -> None:
        """Build from the stores."""
        self._tables = tables
        self._templates = templates
        self._contents = contents
        self._clock = clock
        self._ids = ids

    def store_new(
        self, template: Template, source: SourceBundle, datasets: Sequence[str]
    ) -> list[StoredText]:
        """Keep the source and datasets of a template that is about to be made.

        What is large is announced in its row, which is `creating` then.
        """
        now = self._clock.now()
        texts = (serialize_source(source), *datasets)
        limits = [MAX_ROW_BYTES, *[MAX_DATASET_ROW_BYTES] * len(datasets)]
        kept = [
            stored_text(
                text, self._ids.new("src", now) if is_too_large_for_row(text, max_bytes) else None
            )
            for text, max_bytes in zip(texts, limits, strict=True)
        ]
        names = [each.object_name for each in kept if each.object_name is not None]
        if names:
            unsettled = dict.fromkeys(names, format_rfc3339(now))
            announced = replace(template, status="creating", unsettled=unsettled)
            self._announce_new(announced)
            crash_if_armed(CrashPoint.TEMPLATE_ANNOUNCED)
        for text, each in zip(texts, kept, strict=True):
            if each.object_name is not None:
                self._contents.put(template.workspace_id, template.id, each.object_name, text)
                crash_if_armed(CrashPoint.TEMPLATE_STORED)
        return kept

    def _announce_new(self, announced: Template) -> None:
        try:
            self._tables.write(self._templates.announcement(announced, self.cleanup_due_at()))
        except ConditionFailed as taken:
            # Of a fresh id it is this very one, and the answer was lost.
            if taken.existing_item["status"] != announced.status:
                raise

    def store(self, template: Template, source: SourceBundle) -> StoredText:
        """Keep a further source; raises `template_…` where the template is gone meanwhile."""
        return self._store(template, serialize_source(source), MAX_ROW_BYTES)

    def store_dataset(self, template: Template, text: str) -> StoredText:
        """Keep the JSON of a dataset; raises as `of`."""
        return self._store(template, text, MAX_DATASET_ROW_BYTES)

    def _store(self, template: Template, text: str, max_bytes: int) -> StoredText:
        if not is_too_large_for_row(text, max_bytes):
            return stored_text(text, None)
        now = self._clock.now()
        name = self._ids.new("src", now)
        self._announce(template, {name: format_rfc3339(now)})
        crash_if_armed(CrashPoint.TEMPLATE_ANNOUNCED)
        self._contents.put(template.workspace_id, template.id, name, text)
        crash_if_armed(CrashPoint.TEMPLATE_STORED)
        return stored_text(text, name)

    def _announce(self, template: Template, unsettled: Mapping[str, str]) -> None:
        for _ in range(_MAX_TRIES):
            change = self._templates.change(
                template, {}, unsettled=unsettled, due_at=self.cleanup_due_at()
            )
            try:
                self._tables.write(change)
            except ConditionFailed:
                # Deleted; it may be restored by now.
                template = self._templates.one(template.workspace_id, template.id)
            else:
                return
        raise Conflict("conflict", "Others change this template all the time; try again.")

    def cleanup_due_at(self) -> str:
        """Return when what is unsettled now is to be looked at."""
        return format_rfc3339(self._clock.now() + UNSETTLED_TIMEOUT)

    def discard(self, template: Template, names: list[str]) -> None:
        """Remove sources that no row names any more, or never will."""
        if not names:
            return
        self._contents.delete(template.workspace_id, template.id, names)
        # Refused: the template is deleted; what it has unsettled goes with it.
        with suppress(ConditionFailed):
            self._tables.write(self._templates.change(template, {}, settled=names))
