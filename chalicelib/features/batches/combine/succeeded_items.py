"""Succeeded items of a batch, with the files of their renders."""

from collections.abc import Iterator, Sequence
from itertools import batched, islice
from typing import Final, NamedTuple

import msgspec

from chalicelib.core.ids import RenderId
from chalicelib.features.batches.model import Batch, BatchItem
from chalicelib.features.batches.stores import BatchStores
from chalicelib.features.files.model import StoredFile
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders

# Indexes in the error of a batch.
MAX_LISTED: Final = 100
_RENDERS_AT_ONCE: Final = 100


class ItemFiles(NamedTuple):
    """Succeeded item and the files of its render."""

    item: BatchItem
    files: Sequence[StoredFile]

    def name_of(self, file: StoredFile) -> str | None:
        """Return the name that a file was given, if only by its template; None without one.

        Some names have no usable character: such a file is called after its render, which differs
        in equal batches.
        """
        is_of_render = file.filename.startswith(self.item.render_id or "")
        return None if is_of_render else file.filename


class ItemFilesExpiredError(Exception):
    """Files of succeeded items are gone; `index` is the first such item."""

    def __init__(self, index: int) -> None:
        """Store the index."""
        super().__init__(index)
        self.index = index


class SucceededItems(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Succeeded items of batches, with their files."""

    stores: BatchStores
    renders: Renders

    def __call__(self, batch: Batch, start: int) -> Iterator[ItemFiles]:
        """Yield the items from an index on; raises ItemFilesExpiredError."""
        for item, files in self._with_files(batch, start):
            if files is None:
                raise ItemFilesExpiredError(item.index)
            yield ItemFiles(item, files)

    def expired_indexes(
        self, batch: Batch, start: int, *, max_items: int | None = None
    ) -> list[int]:
        """Return the indexes of the first ones without files, of `max_items` from `start` on."""
        items = islice(self._with_files(batch, start), max_items)
        gone = (item.index for item, files in items if files is None)
        return list(islice(gone, MAX_LISTED))

    def stored_renders(self, batch: Batch) -> Iterator[Render]:
        """Yield the renders of items whose files are there."""
        for _, render in self._with_renders(batch, 0):
            if render is not None and render.files_purged_at is None:
                yield render

    def _with_files(
        self, batch: Batch, start: int
    ) -> Iterator[tuple[BatchItem, Sequence[StoredFile] | None]]:
        """Yield items with their files, or with None if the files are gone."""
        for item, render in self._with_renders(batch, start):
            is_gone = render is None or render.files_purged_at is not None
            yield item, None if render is None or is_gone else render.files

    def _with_renders(self, batch: Batch, start: int) -> Iterator[tuple[BatchItem, Render | None]]:
        items = self.stores.batches.items(batch, start, batch.total, statuses=("succeeded",))
        for group in batched(items, _RENDERS_AT_ONCE, strict=False):
            ids = [RenderId(item.render_id or "") for item in group]
            renders = self.renders.get_many(batch.workspace_id, ids)
            by_id = {render.id: render for render in renders}
            yield from zip(group, map(by_id.get, ids), strict=True)
