"""Erase the renders of a workspace that is deleted: files, objects, facts and rows."""

from collections.abc import Iterator

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import Item, Tables
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.files.repository import Files
from chalicelib.features.renders.bodies import Bodies
from chalicelib.features.renders.clear import keys_of_attempts
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.rows import lists_partition, partition


class EraseRenders:
    """Repeatable; a render's row goes last, so that whoever dies in between is followed."""

    def __init__(
        self,
        *,
        tables: Tables,
        table: str,
        renders: Renders,
        files: Files,
        objects: Objects,
        bodies: Bodies,
    ) -> None:
        """Build from the stores."""
        self._tables = tables
        self._table = table
        self._renders = renders
        self._files = files
        self._objects = objects
        self._bodies = bodies

    def __call__(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase one render after the other; each is done when it is yielded."""
        start: Item | None = None
        while True:
            page = self._tables.query(
                self._table,
                "LPK = :list",
                {":list": lists_partition(workspace_id)},
                index="lists",
                start=start,
            )
            ids = [RenderId(row["LSK"]) for row in page.items]
            for render in self._renders.get_many(workspace_id, ids):
                self._one(render)
                yield
            start = page.last_key
            if start is None:
                return

    def _one(self, render: Render) -> None:
        for key in keys_of_attempts(render):
            self._objects.delete(key)
        if render.body_key is not None:
            self._bodies.delete(render.body_key)
        for file in render.files:
            self._tables.write(self._files.removal(file.id))
        self._tables.delete_partition(self._table, partition(render.workspace_id, render.id))
