"""Erase templates: what they have in the bucket, then their rows, their own row last."""

from collections.abc import Iterable, Iterator

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import Item, Tables
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.templates.contents import object_key
from chalicelib.features.templates.model import Template
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.rows import lists_partition, partition


class EraseTemplates:
    """Repeatable; whoever dies in between is followed."""

    def __init__(
        self, *, tables: Tables, table: str, templates: Templates, objects: Objects
    ) -> None:
        """Build from the stores."""
        self._tables = tables
        self._table = table
        self._templates = templates
        self._objects = objects

    def __call__(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase one template of a workspace after the other; each is done when it is yielded."""
        start: Item | None = None
        while True:
            page = self._tables.query(
                self._table,
                "LPK = :list",
                {":list": lists_partition(workspace_id)},
                index="lists",
                start=start,
            )
            for row in page.items:
                template = self._templates.row(workspace_id, row["LSK"])
                if template is not None:
                    self.one(template)
                    yield
            start = page.last_key
            if start is None:
                return

    def one(self, template: Template) -> None:
        """Erase a template with all that stands in its partition."""
        self.sources(template, template.unsettled)
        pk = partition(template.workspace_id, template.id)
        start: Item | None = None
        while True:
            page = self._tables.query(self._table, "PK = :pk", {":pk": pk}, start=start)
            for row in page.items:
                if row.get("object_key") is not None:
                    self._objects.delete(row["object_key"])
            start = page.last_key
            if start is None:
                break
        self._tables.delete_partition(self._table, pk)

    def sources(self, template: Template, names: Iterable[str]) -> None:
        """Remove sources from the bucket that no row names."""
        for name in names:
            self._objects.delete(object_key(template.workspace_id, template.id, name))
