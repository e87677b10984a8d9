"""Parts of combined files: the next items of a batch as bytes, and the state after them."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import batched
from typing import Final, NamedTuple, Protocol

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.remote_engine import EngineCallContext
from chalicelib.adapters.aws.remote_merge import RemoteMerge, SourcePdf
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.ids import RenderId
from chalicelib.engine.combining import zip_archive
from chalicelib.engine.combining.names import DistinctNames, item_title
from chalicelib.features.batches.model import Batch, BatchItem
from chalicelib.features.batches.stores import BatchStores
from chalicelib.features.files.model import StoredFile
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.bodies import engine_folder

# S3 takes 10 000 parts, so 50 GB fit in.
PART_BYTES: Final = 8 << 20
_RENDERS_AT_ONCE: Final = 100
_FETCHED_AT_ONCE: Final = 8
# PDFs of one call of the engine.
_CALL_ITEMS: Final = 100
_CALL_BYTES: Final = 16_000_000
_CALL_S: Final = 90.0


class ItemFiles(NamedTuple):
    """Succeeded item and the files of its render."""

    item: BatchItem
    files: Sequence[StoredFile]
    has_name: bool


class ItemFilesExpired(Exception):  # noqa: N818 -- names what happened
    """Files of succeeded items are gone; `index` is the first such item."""

    def __init__(self, index: int) -> None:
        """Store the index."""
        super().__init__(index)
        self.index = index


class CombinedPart(NamedTuple):
    """Part of a combined file; with `is_last` nothing follows."""

    content: bytes
    state: bytes
    next_index: int
    pages: int
    is_last: bool


class WritePart(Protocol):
    """Writer of one kind of combined file."""

    def __call__(self, batch: Batch, next_index: int, state: bytes | None) -> CombinedPart:
        """Return the part that begins with an item; `state` None: the file begins.

        Raises ItemFilesExpired and CombineFailure.
        """
        ...


class SucceededItems:
    """Succeeded items of batches, with their files."""

    def __init__(self, stores: BatchStores, renders: Renders, clock: Clock) -> None:
        """Read from these stores."""
        self._stores = stores
        self._renders = renders
        self._clock = clock

    def __call__(self, batch: Batch, start: int) -> Iterator[ItemFiles]:
        """Yield the items from an index on; raises ItemFilesExpired."""
        template = self._stores.bodies.template(*batch.key)
        has_names = template is not None and template.render.output.get("filename") is not None
        for item, files in self.with_files(batch, start):
            if files is None:
                raise ItemFilesExpired(item.index)
            yield ItemFiles(item, files, has_names or item.filename is not None)

    def expired(self, batch: Batch, start: int, limit: int) -> list[int]:
        """Return the indexes of the first items from `start` on whose files are gone."""
        found: list[int] = []
        for item, files in self.with_files(batch, start):
            if files is None:
                found.append(item.index)
            if len(found) == limit:
                break
        return found

    def with_files(
        self, batch: Batch, start: int
    ) -> Iterator[tuple[BatchItem, Sequence[StoredFile] | None]]:
        """Yield items with their files; None: the files are gone."""
        now = format_rfc3339(self._clock.now())
        items = self._stores.batches.items(batch, start, batch.total, statuses=("succeeded",))
        for group in batched(items, _RENDERS_AT_ONCE, strict=False):
            ids = [RenderId(item.render_id or "") for item in group]
            renders = self._renders.get_many(batch.workspace_id, ids)
            by_id = {render.id: render for render in renders}
            for item, render_id in zip(group, ids, strict=True):
                render = by_id.get(render_id)
                is_gone = render is None or render.at(now).files_purged_at is not None
                yield item, None if render is None or is_gone else render.files


class WriteZipPart:
    """Writer of ZIP archives with the files of all items, as they are."""

    def __init__(self, items: SucceededItems, objects: Objects) -> None:
        """Fetch the files from `objects`."""
        self._items = items
        self._objects = objects

    def __call__(self, batch: Batch, next_index: int, state: bytes | None) -> CombinedPart:
        """Return the next part; see WritePart."""
        archive = zip_archive.ZipState()
        if state is not None:
            archive = msgspec.msgpack.decode(state, type=zip_archive.ZipState)
        names = DistinctNames(entry.name for entry in archive.entries)
        parts: list[bytes] = []
        size = 0
        for found, contents in self._fetch(batch, next_index):
            for file, content in zip(found.files, contents, strict=True):
                filename = file.filename if found.has_name else None
                name = names.add(filename, found.item.index, file.format)
                parts.append(zip_archive.append(archive, name, content))
                size += len(parts[-1])
            if size >= PART_BYTES:
                state = msgspec.msgpack.encode(archive)
                return CombinedPart(b"".join(parts), state, found.item.index + 1, 0, is_last=False)
        parts.append(zip_archive.finish(archive))
        return CombinedPart(b"".join(parts), b"", batch.total, 0, is_last=True)

    def _fetch(self, batch: Batch, start: int) -> Iterator[tuple[ItemFiles, Sequence[bytes]]]:
        """Yield items with the contents of their files, some of which are fetched ahead."""
        with ThreadPoolExecutor(_FETCHED_AT_ONCE) as pool:
            for group in batched(self._items(batch, start), _FETCHED_AT_ONCE, strict=False):
                fetches = [
                    [pool.submit(copy_context().run, self._get, file.key) for file in found.files]
                    for found in group
                ]
                for found, tasks in zip(group, fetches, strict=True):
                    contents = [task.result() for task in tasks]
                    if None in contents:
                        raise ItemFilesExpired(found.item.index)
                    yield found, [content for content in contents if content is not None]

    def _get(self, key: str) -> bytes | None:
        return self._objects.get(key)


class WriteMergedPart:
    """Writer of merged PDFs; the engine opens the documents."""

    def __init__(self, items: SucceededItems, merge: RemoteMerge, clock: Clock) -> None:
        """Ask `merge`."""
        self._items = items
        self._merge = merge
        self._clock = clock

    def __call__(self, batch: Batch, next_index: int, state: bytes | None) -> CombinedPart:
        """Return the next part; see WritePart."""
        parts: list[bytes] = []
        size, pages = 0, 0
        for group in _calls(self._items(batch, next_index)):
            merged = self._merge.append(group, state, self._context(batch), is_last=False)
            parts.append(merged.content)
            size += len(merged.content)
            state, pages, next_index = merged.state, merged.pages, group[-1].item + 1
            if size >= PART_BYTES:
                return CombinedPart(b"".join(parts), state, next_index, pages, is_last=False)
        merged = self._merge.append((), state, self._context(batch), is_last=True)
        parts.append(merged.content)
        return CombinedPart(b"".join(parts), b"", batch.total, merged.pages, is_last=True)

    def _context(self, batch: Batch) -> EngineCallContext:
        ends_at = self._clock.now().timestamp() + _CALL_S
        return EngineCallContext(
            tenant=batch.workspace_id,
            folder=engine_folder(batch.workspace_id, f"{batch.id}/merge"),
            ends_at=ends_at,
            slot_ends_at=ends_at - _CALL_S / 2,
            test=batch.test,
        )


def _calls(items: Iterator[ItemFiles]) -> Iterator[list[SourcePdf]]:
    """Yield the PDFs of one call after the other."""
    group: list[SourcePdf] = []
    size = 0
    for found in items:
        for file in found.files:
            if file.format != "pdf":
                continue
            if group and (len(group) == _CALL_ITEMS or size + file.bytes > _CALL_BYTES):
                yield group
                group, size = [], 0
            item = found.item
            title = item_title(item.filename, item.reference, item.index)
            group.append(SourcePdf(item.index, title, file.key))
            size += file.bytes
    if group:
        yield group
