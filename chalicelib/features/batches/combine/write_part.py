"""Parts of combined files: the next items of a batch as bytes, and the state after them."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final, NamedTuple, Protocol

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.remote_engine import EngineCallContext
from chalicelib.adapters.aws.remote_merge import MergedPart, RemoteMerge, SourcePdf
from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.combining import zip_archive
from chalicelib.engine.combining.names import DistinctNames, item_title
from chalicelib.features.batches.combine.succeeded_items import (
    ItemFiles,
    ItemFilesExpiredError,
    SucceededItems,
)
from chalicelib.features.batches.model import Batch
from chalicelib.features.renders.run.bodies import engine_folder

# S3 takes 10 000 parts, so 50 GB fit in.
PART_BYTES: Final = 8 << 20
_FETCHED_AT_ONCE: Final = 8
_FETCHED_BYTES: Final = 32_000_000
# PDFs of one call of the engine.
_CALL_ITEMS: Final = 100
_CALL_BYTES: Final = 16_000_000
_CALL_S: Final = 90.0


class CombinedPart(NamedTuple):
    """Part of a combined file; with `is_last` nothing follows."""

    content: bytes
    state: bytes
    next_index: int
    pages: int
    is_last: bool


class PartStart(NamedTuple):
    """Begin of a part: its first item, and the state before it, which the first part lacks.

    `fence` is that of the lease, which `renew` prolongs.
    """

    next_index: int
    state: bytes | None
    fence: int
    renew: Callable[[], None]


class WritePart(Protocol):
    """Writer of one kind of combined file."""

    def __call__(self, batch: Batch, start: PartStart) -> CombinedPart:
        """Return a part; raises ItemFilesExpiredError and CombineFailure."""
        ...


class WriteZipPart(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Writer of ZIP archives with the files of all items, as they are."""

    items: SucceededItems
    objects: Objects

    def __call__(self, batch: Batch, start: PartStart) -> CombinedPart:
        """Return the next part; see WritePart."""
        archive = zip_archive.ZipState()
        if start.state is not None:
            archive = msgspec.msgpack.decode(start.state, type=zip_archive.ZipState)
        names = DistinctNames(entry.name for entry in archive.entries)
        parts: list[bytes] = []
        size = 0
        for found, contents in self._fetch(batch, start.next_index):
            for file, content in zip(found.files, contents, strict=True):
                name = names.add(found.name_of(file), found.item.index, file.format)
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
            for group in _fetch_groups(self.items(batch, start)):
                fetches = [
                    [pool.submit(copy_context().run, self._get, file.key) for file in found.files]
                    for found in group
                ]
                for found, tasks in zip(group, fetches, strict=True):
                    contents = [task.result() for task in tasks]
                    if None in contents:
                        raise ItemFilesExpiredError(found.item.index)
                    yield found, [content for content in contents if content is not None]

    def _get(self, key: str) -> bytes | None:
        return self.objects.get(key)


class WriteMergedPart(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Writer of merged PDFs; the engine opens the documents."""

    items: SucceededItems
    merge: RemoteMerge
    clock: Clock

    def __call__(self, batch: Batch, start: PartStart) -> CombinedPart:
        """Return the next part; see WritePart."""
        parts: list[bytes] = []
        size, state = 0, start.state
        for group in _calls(self.items(batch, start.next_index)):
            merged = self._append(batch, start, group, state)
            parts.append(merged.content)
            size += len(merged.content)
            state = merged.state
            if size >= PART_BYTES:
                next_index = group[-1].item + 1
                return CombinedPart(b"".join(parts), state, next_index, merged.pages, is_last=False)
            start.renew()
        merged = self._append(batch, start, (), state)
        parts.append(merged.content)
        return CombinedPart(b"".join(parts), b"", batch.total, merged.pages, is_last=True)

    def _append(
        self, batch: Batch, start: PartStart, pdfs: Sequence[SourcePdf], state: bytes | None
    ) -> MergedPart:
        """Append PDFs, or without any the end of the file."""
        context = self._context(batch, start.fence)
        try:
            return self.merge.append(pdfs, state, context, is_last=not pdfs)
        except RenderFailure as failure:
            if failure.code != "file_expired":
                raise
            raise ItemFilesExpiredError(pdfs[0].item) from failure

    def _context(self, batch: Batch, fence: int) -> EngineCallContext:
        ends_at = self.clock.now().timestamp() + _CALL_S
        return EngineCallContext(
            tenant=batch.workspace_id,
            folder=engine_folder(batch.workspace_id, f"{batch.id}/merge-{fence}"),
            ends_at=ends_at,
            slot_ends_at=ends_at - _CALL_S / 2,
            test=batch.test,
        )


def _fetch_groups(items: Iterator[ItemFiles]) -> Iterator[list[ItemFiles]]:
    """Yield items whose files are fetched side by side: a few, and not too many bytes."""
    group: list[ItemFiles] = []
    size = 0
    for found in items:
        more = sum(file.bytes for file in found.files)
        if group and (len(group) == _FETCHED_AT_ONCE or size + more > _FETCHED_BYTES):
            yield group
            group, size = [], 0
        group.append(found)
        size += more
    if group:
        yield group


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
