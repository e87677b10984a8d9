"""Erasure of a workspace's renders."""

from collections.abc import Iterator
from itertools import batched

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.query_all import listed_ids
from chalicelib.adapters.aws.table import BATCH_GET_LIMIT, TRANSACTION_LIMIT, Table
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.files.repository import Files
from chalicelib.features.renders.file_keys import attempt_object_keys
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.rows import lists_partition, partition
from chalicelib.features.renders.run.bodies import RenderBodies


class EraseRenders(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Eraser of a workspace's renders; idempotent.

    The row of a render is deleted last, so a later call finds the remains of a crash.
    """

    table: Table
    renders: Renders
    files: Files
    objects: Objects
    bodies: RenderBodies

    def __call__(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase the renders one by one and yield after each."""
        listed = listed_ids(self.table, lists_partition(workspace_id))
        for ids in batched(map(RenderId, listed), BATCH_GET_LIMIT, strict=False):
            for render in self.renders.get_many(workspace_id, ids):
                self._erase_one(render)
                yield

    def _erase_one(self, render: Render) -> None:
        self.objects.delete_many(list(attempt_object_keys(render)))
        if render.body_key is not None:
            self.bodies.delete(render.body_key)
        removals = (self.files.removal(file.id) for file in render.files)
        for writes in batched(removals, TRANSACTION_LIMIT, strict=False):
            self.table.transact(writes)
        self.table.delete_partition(partition(render.workspace_id, render.id))
