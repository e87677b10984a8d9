"""Erasure of templates: objects in the bucket, then rows, the `META` row last.

The row that names an object goes after the object, so a crash leaves no unnamed object.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.query_all import listed_ids
from chalicelib.adapters.aws.table import Row, Table
from chalicelib.core.ids import EmailRuleId, WorkspaceId
from chalicelib.features.files.repository import Files
from chalicelib.features.templates.model import Template
from chalicelib.features.templates.repository import (
    Templates,
    list_partition,
    template_partition,
    thumbnail_of_row,
)
from chalicelib.features.templates.source_texts import object_key

# Rows of one step: less than a second of work is lost when the function dies.
_ROWS_PER_STEP: Final = 25


# Erases the rules of a template that is purged; idempotent.
type EraseEmailRules = Callable[[WorkspaceId, Sequence[EmailRuleId]], None]


class EraseTemplates(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Erases templates step by step; idempotent, a repeated run continues after a crash."""

    table: Table
    templates: Templates
    objects: Objects
    files: Files
    erase_email_rules: EraseEmailRules

    def __call__(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase all templates of a workspace; yield after each step."""
        for each in listed_ids(self.table, list_partition(workspace_id)):
            template = self.templates.find_in_any_status(workspace_id, each)
            if template is not None:
                yield from self.erase_template(template)

    def erase_template(self, template: Template) -> Iterator[None]:
        """Erase a template and its whole partition; yield after each step of up to 25 rows."""
        self.erase_sources(template, template.unsettled)
        self.erase_email_rules(template.workspace_id, template.email_rules)
        pk = template_partition(template.workspace_id, template.id)
        for page in self.templates.row_pages(template, _ROWS_PER_STEP):
            rows = [row for row in page if row["SK"] != "META"]
            if rows:
                self._erase_rows(rows)
                yield
        self.table.delete_partition(pk)

    def _erase_rows(self, rows: list[Row]) -> None:
        for row in rows:
            if row.get("object_key") is not None:
                self.objects.delete(row["object_key"])
        # A rollback shares the thumbnail of the version that it repeats.
        thumbnails = {file.id: file for file in map(thumbnail_of_row, rows) if file is not None}
        for file in thumbnails.values():
            self.objects.delete(file.key)
        if thumbnails:
            self.table.transact([self.files.removal(each) for each in thumbnails])
        self.templates.delete_rows(rows)

    def erase_sources(self, template: Template, names: Iterable[str]) -> None:
        """Remove named sources of a template from the bucket."""
        for name in names:
            self.objects.delete(object_key(template.workspace_id, template.id, name))
