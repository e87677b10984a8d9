"""Stored bodies of batches: the common part once, and the items in chunks.

They are no temporary objects: a paused batch may wait for weeks. A body of an item is named by its
chunk and its line, `<chunk key>#<line>`.
"""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import replace
from threading import Lock
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.core import json
from chalicelib.core.ids import BatchId, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.core.message_version import check_version
from chalicelib.engine.job import Job, PageJob
from chalicelib.features.batches.csv.reader import CsvFormat
from chalicelib.features.batches.model import BatchItem, BatchKey
from chalicelib.features.renders.model import BodyKey, Render
from chalicelib.features.renders.rows import render_of, row_of
from chalicelib.features.renders.run.jobs import job_from_json, job_to_json

_VERSION: Final = 1
MAX_CHUNK_ITEMS: Final = 500
MAX_CHUNK_BYTES: Final = 4_000_000
# Chunks in memory: items of a batch run in order, those of a few batches side by side.
_CACHED: Final = 4


class CsvForm(msgspec.Struct, frozen=True):
    """Format of a CSV, and the columns of paths into the data; without it all are used."""

    format: CsvFormat
    mapping: Mapping[str, str] | None


class BatchTemplate(NamedTuple):
    """Common part of a batch's renders: a render without id, and its job without data.

    `csv` tells how its CSV is to be read.
    """

    render: Render
    job: PageJob
    csv: CsvForm | None = None


class Chunk(NamedTuple):
    """Chunk of items: the index of the first, where data stand in the request, and JSON texts."""

    first: int
    is_csv: bool
    lines: Sequence[bytes]

    def has(self, index: int) -> bool:
        """Tell whether an item stands in this chunk."""
        return self.first <= index < self.first + len(self.lines)

    def item(self, line: int) -> JsonObject:
        """Return one item: the fields of the request's items, or `error` of a bad CSV record."""
        value: JsonObject = json.loads_own(self.lines[line])
        return value

    def data_pointer(self, line: int) -> str:
        """Return the JSON Pointer of an item's data in the request."""
        return "/data" if self.is_csv else f"/items/{self.first + line}/data"


class ChunkMap(NamedTuple):
    """Index of the first item of each chunk."""

    starts: Sequence[int]

    def locate(self, index: int) -> tuple[int, int]:
        """Return the number of the chunk of an item, and its line there."""
        number = bisect_right(self.starts, index) - 1
        return number, index - self.starts[number]


class BatchBodies:
    """Objects of batches in the bucket; the last one read is kept."""

    def __init__(self, objects: Objects) -> None:
        """Store in `objects`."""
        self._objects = objects
        self._chunks: _Recent[Chunk] = _Recent()
        self._templates: _Recent[BatchTemplate] = _Recent()

    def store_template(self, template: BatchTemplate) -> None:
        """Store the common part; the render's batch and workspace name the object."""
        render = template.render
        assert render.batch_id is not None
        key = template_key(render.workspace_id, BatchId(render.batch_id))
        value = {
            "v": _VERSION,
            "render": row_of(render),
            "job": job_to_json(template.job),
            "csv": msgspec.to_builtins(template.csv),
        }
        self._objects.put_data(key, json.dumps(value).encode())

    def template(self, workspace_id: WorkspaceId, batch_id: BatchId) -> BatchTemplate | None:
        """Return the common part, or None if it is gone."""
        return self._template(template_key(workspace_id, batch_id))

    def store_chunk(self, batch: BatchKey, number: int, chunk: Chunk) -> None:
        """Store a chunk; idempotent."""
        header = json.dumps({"v": _VERSION, "first": chunk.first, "csv": chunk.is_csv}).encode()
        self._objects.put_data(chunk_key(*batch, number), b"\n".join([header, *chunk.lines]))

    def chunk(self, workspace_id: WorkspaceId, batch_id: BatchId, number: int) -> Chunk | None:
        """Return a chunk, or None if it is gone."""
        return self._chunk(chunk_key(workspace_id, batch_id, number))

    def job(self, body_key: BodyKey) -> Job | None:
        """Return the job of an item, or None if it is gone."""
        key, line = body_key
        assert line is not None, key
        template = self._template(f"{key.partition('/items/')[0]}/template")
        chunk = self._chunk(key)
        if template is None or chunk is None:
            return None
        return item_job(template.job, chunk.item(line), chunk.data_pointer(line))

    def delete(self, workspace_id: WorkspaceId, batch_id: BatchId, chunks: int) -> None:
        """Delete the common part and the chunks; idempotent."""
        keys = [chunk_key(workspace_id, batch_id, number) for number in range(chunks)]
        keys.append(template_key(workspace_id, batch_id))
        self._objects.delete_many(keys)

    def _template(self, key: str) -> BatchTemplate | None:
        known = self._templates.get(key)
        if known is not None:
            return known
        content = self._objects.get(key)
        if content is None:
            return None
        value = json.loads_own(content)
        check_version(value, _VERSION, "a batch")
        job = job_from_json(value["job"])
        assert isinstance(job, PageJob), "a batch renders a template"
        csv = msgspec.convert(value["csv"], CsvForm | None)
        return self._templates.keep(key, BatchTemplate(render_of(value["render"]), job, csv))

    def _chunk(self, key: str) -> Chunk | None:
        known = self._chunks.get(key)
        if known is not None:
            return known
        content = self._objects.get(key)
        if content is None:
            return None
        header, *lines = content.split(b"\n")
        value = json.loads_own(header)
        check_version(value, _VERSION, "a chunk")
        return self._chunks.keep(key, Chunk(value["first"], value["csv"], lines))


def pack_lines(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines of chunk after chunk."""
    chunk: list[bytes] = []
    size = 0
    for line in lines:
        if chunk and (len(chunk) == MAX_CHUNK_ITEMS or size + len(line) > MAX_CHUNK_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(line)
        size += len(line)
    if chunk:
        yield chunk


def item_job(job: PageJob, item: JsonObject, data_pointer: str) -> PageJob:
    """Return the job of an item; its filename is literal, its data are not checked yet."""
    filename, data = item.get("filename"), item.get("data")
    output = job.output
    if filename is not None:
        output = msgspec.structs.replace(output, filename=literal_template(str(filename)))
    assert data is None or isinstance(data, Mapping)
    return msgspec.structs.replace(job, output=output, data=data or {}, data_pointer=data_pointer)


def with_names(item: BatchItem, fields: JsonObject) -> BatchItem:
    """Return an item with the filename and the reference that its request has given."""
    filename, reference = fields.get("filename"), fields.get("reference")
    return replace(
        item,
        filename=None if filename is None else str(filename),
        reference=None if reference is None else str(reference),
    )


def literal_template(text: str) -> str:
    """Return a template whose text is `text`, also one with braces."""
    escaped = "".join(
        character if character.isascii() and character.isalnum() else f"\\U{ord(character):08x}"
        for character in text
    )
    return f"{{{{ '{escaped}' }}}}"


def folder(workspace_id: WorkspaceId, batch_id: BatchId) -> str:
    """Return the prefix of a batch's objects."""
    return f"ws/{workspace_id}/batches/{batch_id}"


def template_key(workspace_id: WorkspaceId, batch_id: BatchId) -> str:
    """Return the key of the common part."""
    return f"{folder(workspace_id, batch_id)}/template"


def chunk_key(workspace_id: WorkspaceId, batch_id: BatchId, number: int) -> str:
    """Return the key of a chunk."""
    return f"{folder(workspace_id, batch_id)}/items/{number}"


def csv_key(workspace_id: WorkspaceId, batch_id: BatchId) -> str:
    """Return the key of the copy of the CSV, which is kept until it is read."""
    return f"{folder(workspace_id, batch_id)}/csv"


class _Recent[Value]:
    """Values that were read last, for all threads of a process."""

    def __init__(self) -> None:
        self._values: OrderedDict[str, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> Value | None:
        with self._lock:
            return self._values.get(key)

    def keep(self, key: str, value: Value) -> Value:
        """Keep a value instead of the oldest one, and return it."""
        with self._lock:
            if len(self._values) >= _CACHED:
                self._values.popitem(last=False)
            self._values[key] = value
        return value
