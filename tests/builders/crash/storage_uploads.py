"""Kills functions over uploads to a store: the way to their crash points, and the invariants."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from chalicelib.adapters.aws.table import Row
from chalicelib.core.json import JsonObject
from chalicelib.features.destinations.uploads.events import STORAGE_UPLOAD_FAILED
from chalicelib.features.destinations.uploads.message import UPLOADS_PREFIX, UploadFilesMessage
from chalicelib.features.destinations.uploads.model import FileUpload, TargetUploads
from chalicelib.features.destinations.uploads.repository import uploads_of
from chalicelib.features.events.repository import event_of
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import render_of
from tests.builders.crash.stack import CrashStack
from tests.builders.crash.workspace import CrashWorkspace
from tests.builders.storage.recording_store import RecordingStore, etag_of

_OPEN: Final = {"claim", "claimed_until", "claims_made", "next_attempt_at"}


class CrashUploads(CrashWorkspace):
    """A workspace with one destination, whose store counts its files."""

    def __init__(self, stack: CrashStack, store: RecordingStore) -> None:
        """Create the workspace; its id is the folder of its files in the store."""
        super().__init__(stack)
        self._store = store
        fields = {
            "name": "Archive",
            "path_template": f"{self.workspace}/{{{{ filename }}}}",
            **store.destination,
        }
        made = self.call("POST", "/storage-destinations", json=fields)
        self._destination = f"/storage-destinations/{made['id']}"

    def render(self, *, formats: Sequence[str] = ("pdf",), hosted: bool = True) -> None:
        """Make a render whose files go to the destination."""
        storage = [{"destination_id": self._destination.rpartition("/")[2]}]
        body = {
            "input": {"type": "html", "html": "<p>Hi"},
            "output": {"formats": formats},
            "delivery": {"storage": storage, "hosted": hosted},
            "mode": "async",
        }
        self.call("POST", "/renders", json=body)

    def settle_uploads(self) -> None:
        """Let the functions finish their work."""
        self.settle(lambda: list(self.faults()))

    def uploads(self) -> TargetUploads:
        """Return the uploads of the only render."""
        (uploads,) = map(uploads_of, self._upload_rows())
        return uploads

    def statuses(self) -> list[str]:
        """Return the status of each upload."""
        return [file.status for file in self.uploads().files]

    def puts(self) -> list[int]:
        """Return how often each file has arrived in the store."""
        return [self._store.puts[str(file.path)] for file in self.uploads().files]

    def destination_error(self) -> JsonObject | None:
        """Return the error that makes the destination failing, or None."""
        error: JsonObject | None = self.call("GET", self._destination)["last_error"]
        return error

    def await_failed_attempt(self) -> None:
        """Wait until the uploads wait for their second attempt, which comes after half a minute."""
        self.stack.until(
            lambda: not any("retrying" in self.statuses() for _ in self._upload_rows()),
            ticks=False,
        )

    def give_up(self) -> None:
        """Make the uploads due, and send the dead letter of their message."""
        for row in self._upload_rows():
            self.bring_forward(row, ["next_attempt_at"])
        message = UploadFilesMessage.of(self.uploads()).to_json()
        self.stores.send_dead_letter("Uploads", message)

    def faults(self) -> Iterator[str]:
        """Yield open work, and the broken invariants."""
        kept = set[str]()
        for rows in self._partitions():
            (render,) = (render_of(row) for row in rows if row["SK"] == "META")
            found = [row for row in rows if row["SK"].startswith(UPLOADS_PREFIX)]
            if len(found) != 1:
                yield f"{len(found)} uploads of a render that is {render.status}"
                return
            (uploads,) = map(uploads_of, found)
            yield from (f"{row['SK']} is due" for row in rows if {"due_at", "DPK"} & row.keys())
            yield from (f"the uploads have {name}" for name in sorted(_OPEN & found[0].keys()))
            yield from self._file_faults(render, uploads)
            yield from _event_faults(render, uploads, rows)
            if not _is_deleted(render, uploads):
                kept.update(file.object_key for file in uploads.files)
        if set(self.objects()) != kept:
            yield f"hosted are {self.objects()}, and not {kept}"

    def _file_faults(self, render: Render, uploads: TargetUploads) -> Iterator[str]:
        if len(render.storage) != len(uploads.files):
            yield f"{len(render.storage)} receipts of {len(uploads.files)} uploads"
        for file in uploads.files:
            receipt = render.storage[file.receipt]
            if receipt[2:6] != (file.status, file.path, file.bytes, file.etag):
                yield f"the receipt {receipt} is another than {file}"
            if file.is_open:
                yield f"{file.id} is {file.status}"
            if file.status == "succeeded" and not self._has(file):
                yield f"the store has not got {file.path}"

    def _has(self, file: FileUpload) -> bool:
        content = self._store.files.get(str(file.path), b"")
        digest = hashlib.sha256(content).hexdigest()
        return (len(content), digest, etag_of(content)) == (file.bytes, file.sha256, file.etag)

    def _partitions(self) -> Iterator[list[Row]]:
        for render in self.stores.renders(self.workspace):
            yield self.stores.partition(f"WS#{self.workspace}#RND#{render}")

    def _upload_rows(self) -> list[Row]:
        rows = [row for rows in self._partitions() for row in rows]
        return [row for row in rows if row["SK"].startswith(UPLOADS_PREFIX)]


def _is_deleted(render: Render, uploads: TargetUploads) -> bool:
    """Tell whether the hosted files have to be gone."""
    return not render.hosted and all(file.status == "succeeded" for file in uploads.files)


def _event_faults(render: Render, uploads: TargetUploads, rows: Sequence[Row]) -> Iterator[str]:
    """Yield a fault unless each failure, and a deletion, has one event."""
    events = [event_of(row) for row in rows if row["SK"].startswith("EVENT#")]
    told = Counter(
        str(event.detail["id"]) for event in events if event.type == STORAGE_UPLOAD_FAILED.name
    )
    failed = Counter(str(file.id) for file in uploads.files if file.status == "failed")
    if told != failed:
        yield f"failed are {failed}, and told {told}"
    is_deleted = _is_deleted(render, uploads)
    if [event.type for event in events].count("render.purged") != int(is_deleted):
        yield f"deleted: {is_deleted}, events {[event.type for event in events]}"
    if (render.files_purged_at is not None) is not is_deleted:
        yield f"deleted: {is_deleted}, at {render.files_purged_at}"
    unpublished = [row for row in rows if row["SK"].startswith("EVENT#")]
    yield from (f"{row['type']} is open" for row in unpublished if "published_at" not in row)
