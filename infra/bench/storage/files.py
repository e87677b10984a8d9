"""Files that wait for their upload, written straight into the table and the bucket of a stack."""

import datetime as dt
import hashlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from copy import replace
from pathlib import Path
from typing import Final

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import Table
from chalicelib.core.clock import SystemClock, format_rfc3339, parse_rfc3339
from chalicelib.core.ids import DestinationId, StorageUploadId, derived_id
from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.destinations.uploads.model import FileUpload, TargetUploads
from chalicelib.features.destinations.uploads.repository import StorageUploads
from chalicelib.features.renders.model import StorageReceipt
from infra.bench.client import BenchClient
from infra.bench.final_renders import FinalRenders, bench_clients, send_together
from infra.bench.storage.gateway import BUCKET, KEY, REGION, SECRET, StoreGateway
from infra.local.running_stack import RunningStack

_TIMEOUT_S: Final = 120.0
_WRITERS: Final = 8


class BenchUploads:
    """Writer of uploads to one destination; each upload has its own render."""

    def __init__(self, stack: RunningStack, gateway: StoreGateway) -> None:
        """Make the destination."""
        clients = bench_clients(stack)
        self._stack = stack
        self._gateway = gateway
        self._table = Table(clients, stack.resources["MainTable"]["Ref"])
        self._objects = Objects(clients, stack.resources["FilesBucket"]["Ref"])
        self._uploads = StorageUploads(self._table)
        self._renders = FinalRenders(stack, clients)
        fields = {
            "name": "Bench",
            "provider": "s3",
            "config": {
                "endpoint": gateway.url,
                "region": REGION,
                "bucket": BUCKET,
                "force_path_style": True,
            },
            "credentials": {"access_key_id": KEY, "secret_access_key": SECRET},
        }
        with BenchClient(stack) as client:
            made = client.post("/v1/storage-destinations", fields)
        self._destination = DestinationId(str(made["id"]))

    def upload(self, number: int, size: int, delay_s: float) -> tuple[list[str], float]:
        """Let the stack upload files; return their keys in the bucket, and how long it took.

        All rows, objects and messages are written within the delay.
        """
        visible_at = SystemClock().now() + dt.timedelta(seconds=delay_s)
        uploads = self.prepare(number, size)
        messages = [UploadFilesMessage.of(each).to_json() for each in uploads]
        queue_url = self._stack.resources["UploadsQueue"]["Ref"]
        send_together(self._stack.client("sqs"), queue_url, messages, visible_at)
        names = [self._gateway.path(self._path(each)) for each in uploads]
        seconds = self._wait_for(names, size, visible_at)
        return [each.files[0].object_key for each in uploads], seconds

    def prepare(self, number: int, size: int) -> list[TargetUploads]:
        """Write uploads of a file of this size each, without their messages."""
        content = os.urandom(size)
        with ThreadPoolExecutor(_WRITERS) as threads:
            return list(threads.map(self._write_one, [content] * number))

    def _wait_for(self, names: list[Path], size: int, begin: dt.datetime) -> float:
        """Return the seconds until all files are in the store."""
        deadline = begin + dt.timedelta(seconds=_TIMEOUT_S)
        waiting = set(names)
        while waiting:
            assert SystemClock().now() < deadline, f"{len(waiting)} files were not uploaded"
            waiting = {name for name in waiting if not _is_whole(name, size)}
            time.sleep(0.05)
        return (SystemClock().now() - begin).total_seconds()

    @staticmethod
    def _path(uploads: TargetUploads) -> str:
        return f"{uploads.render_id}.pdf"

    def _write_one(self, content: bytes) -> TargetUploads:
        render = self._renders.copy()
        digest = hashlib.sha256(content)
        (file,) = render.files
        file = file._replace(bytes=len(content), sha256=digest.hexdigest())
        self._objects.put(file.key, content, content_type=file.content_type, sha256=digest.digest())
        path = f"{render.id}.pdf"
        receipt = StorageReceipt(self._destination, 0, "pending", path, len(content))
        upload = FileUpload(
            id=StorageUploadId(derived_id("sup", parse_rfc3339(render.created_at), render.id)),
            file_id=file.id,
            receipt=0,
            path=path,
            object_key=file.key,
            content_type=file.content_type,
            bytes=file.bytes,
            sha256=file.sha256,
        )
        uploads = TargetUploads(
            workspace_id=render.workspace_id,
            render_id=render.id,
            number=0,
            destination_id=self._destination,
            created_at=render.created_at,
            request_id=render.request_id,
            history_days=render.history_days,
            deletes_files=False,
            files=(upload,),
            next_attempt_at=format_rfc3339(SystemClock().now()),
        )
        stored = replace(render, files=(file,), storage=(receipt,))
        creation = self._uploads.creation(uploads)
        self._table.transact([self._renders.creation(stored), creation])
        return uploads


def _is_whole(path: Path, size: int) -> bool:
    # The store renames a file when all of it is there.
    return path.exists() and path.stat().st_size == size
