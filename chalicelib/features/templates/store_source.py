"""Storage of a source or dataset: inline, or announced in the row and put into the bucket.

A thumbnail is always in the bucket.
"""

import datetime as dt
import hashlib
from collections.abc import Sequence
from contextlib import suppress
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Table
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import FileId, IdGenerator
from chalicelib.features.files.model import StoredFile
from chalicelib.features.templates.model import SourceBundle, StoredText, Template
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.source_texts import (
    MAX_DATASET_ROW_BYTES,
    MAX_ROW_BYTES,
    SourceTexts,
    is_too_large_for_row,
    object_key,
    serialize_source,
    stored_text,
)

# A request ends after 29 s: a source that is unsettled for an hour has no owner.
UNSETTLED_TIMEOUT: Final = dt.timedelta(hours=1)
THUMBNAIL_NAME: Final = "thumbnail.webp"
_MAX_TRIES: Final = 10


class StoreSource(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Stores sources so that a row names every object in the bucket (decision 20)."""

    table: Table
    templates: Templates
    contents: SourceTexts
    clock: Clock
    ids: IdGenerator

    def store_new(
        self,
        template: Template,
        source: SourceBundle,
        datasets: Sequence[str],
        picture: bytes | None,
    ) -> tuple[list[StoredText], StoredFile | None]:
        """Store the source, datasets and thumbnail of a new template; return them in this order.

        Large ones are announced in the template's row, which has the status `creating` then.
        """
        now = self.clock.now()
        texts = (serialize_source(source), *datasets)
        limits = [MAX_ROW_BYTES, *[MAX_DATASET_ROW_BYTES] * len(datasets)]
        stored = [
            stored_text(
                text, self.ids.new("src", now) if is_too_large_for_row(text, max_bytes) else None
            )
            for text, max_bytes in zip(texts, limits, strict=True)
        ]
        names = [each.object_name for each in stored if each.object_name is not None]
        thumbnail = None if picture is None else self._thumbnail_file(template, picture)
        if thumbnail is not None:
            names.append(thumbnail.id)
        if names:
            unsettled = dict.fromkeys(names, format_rfc3339(now))
            announced = replace(template, status="creating", unsettled=unsettled)
            self._announce_new(announced)
            crash_if_armed(CrashPoint.TEMPLATE_ANNOUNCED)
        for text, each in zip(texts, stored, strict=True):
            if each.object_name is not None:
                self.contents.put(template.workspace_id, template.id, each.object_name, text)
                crash_if_armed(CrashPoint.TEMPLATE_STORED)
        if thumbnail is not None and picture is not None:
            self.contents.put_thumbnail(thumbnail, picture)
        return stored, thumbnail

    def _announce_new(self, announced: Template) -> None:
        try:
            self.table.write(self.templates.announcement(announced, self.cleanup_due_at()))
        except ConditionFailed as conflict:
            # The id is fresh: the row is from this write, whose response was lost and retried.
            if conflict.existing_item["status"] != announced.status:
                raise

    def store(self, template: Template, source: SourceBundle) -> StoredText:
        """Store a source of a template.

        Raises `template_deleted` or `template_not_found` if it was removed meanwhile.
        """
        return self._store(template, serialize_source(source), MAX_ROW_BYTES)

    def store_dataset(self, template: Template, text: str) -> StoredText:
        """Store the JSON of a dataset; raises as `store`."""
        return self._store(template, text, MAX_DATASET_ROW_BYTES)

    def _store(self, template: Template, text: str, max_bytes: int) -> StoredText:
        if not is_too_large_for_row(text, max_bytes):
            return stored_text(text, None)
        name = self.ids.new("src", self.clock.now())
        self._announce(template, name)
        crash_if_armed(CrashPoint.TEMPLATE_ANNOUNCED)
        self.contents.put(template.workspace_id, template.id, name, text)
        crash_if_armed(CrashPoint.TEMPLATE_STORED)
        return stored_text(text, name)

    def store_thumbnail(self, template: Template, picture: bytes) -> StoredFile:
        """Store a thumbnail in WebP; raises as `store`."""
        file = self._thumbnail_file(template, picture)
        self._announce(template, file.id)
        crash_if_armed(CrashPoint.TEMPLATE_ANNOUNCED)
        self.contents.put_thumbnail(file, picture)
        crash_if_armed(CrashPoint.TEMPLATE_STORED)
        return file

    def _thumbnail_file(self, template: Template, picture: bytes) -> StoredFile:
        file_id = FileId(self.ids.new("file", self.clock.now()))
        return StoredFile(
            id=file_id,
            format="webp",
            filename=THUMBNAIL_NAME,
            content_type="image/webp",
            bytes=len(picture),
            sha256=hashlib.sha256(picture).hexdigest(),
            pages=None,
            width=None,
            height=None,
            expires_at=None,
            key=object_key(template.workspace_id, template.id, file_id),
        )

    def _announce(self, template: Template, name: str) -> None:
        """Announce a new object in the template's row."""
        for _ in range(_MAX_TRIES):
            now = self.clock.now()
            change = self.templates.change(
                template,
                {},
                unsettled={name: format_rfc3339(now)},
                due_at=self.cleanup_due_at(),
            )
            try:
                # A transaction: a plain update that arrives after its own retry would announce the
                # source again when a row names it, and maintenance would remove its object.
                self.table.transact([change])
            except ConditionFailed:
                # The status has changed: deleted, and perhaps already restored. Read it again.
                template = self.templates.one(template.workspace_id, template.id)
            else:
                return
        raise Conflict("conflict", "Others change this template all the time; try again.")

    def cleanup_due_at(self) -> str:
        """Return when a source that is unsettled now is due for removal (RFC 3339)."""
        return format_rfc3339(self.clock.now() + UNSETTLED_TIMEOUT)

    def discard(self, template: Template, names: list[str]) -> None:
        """Remove sources that no row names or will name."""
        if not names:
            return
        self.contents.delete(template.workspace_id, template.id, names)
        # The template is deleted: the purge removes its unsettled sources.
        with suppress(ConditionFailed):
            self.table.write(self.templates.change(template, {}, settled=names))
