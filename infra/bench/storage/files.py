"""Files that wait for their upload, written straight into the table and the bucket of a stack."""

import contextlib
import datetime as dt
import hashlib
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import Tables
from chalicelib.core.clock import SystemClock, format_rfc3339, parse_rfc3339
from chalicelib.core.ids import DestinationId, StorageUploadId, derived_id
from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.destinations.uploads.model import FileUpload, TargetUploads
from chalicelib.features.destinations.uploads.repository import StorageUploads
from chalicelib.features.renders.model import StorageReceipt
from infra.bench.latency import BenchClient
from infra.bench.state.final_renders import FinalRenders, bench_clients, send_together
from infra.local.paths import free_port
from infra.local.running_stack import RunningStack
from infra.setup.steps import STORES_DIR

_REGION: Final = "eu-central-1"
_KEY, _SECRET = "bench", "bench-secret"
# All rows, objects and messages are written within this time.
_DELAY: Final = dt.timedelta(seconds=20)
_TIMEOUT_S: Final = 120.0
_WRITERS: Final = 8


class StoreGateway(NamedTuple):
    """A running S3 store, with a bucket for the uploads; a file of it is one in `folder`."""

    port: int
    folder: Path
    bucket: str = "uploads"

    @property
    def url(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def egress_exemption(self) -> str:
        """Return what lets a service reach it."""
        return f"127.0.0.1/32:{self.port}"

    @property
    def boto3_options(self) -> dict[str, Any]:
        """Return the options of a client of it."""
        return {
            "endpoint_url": self.url,
            "region_name": _REGION,
            "aws_access_key_id": _KEY,
            "aws_secret_access_key": _SECRET,
        }


@contextlib.contextmanager
def store_gateway(folder: Path) -> Iterator[StoreGateway]:
    """Run versitygw over a folder inside the block; it checks every signature."""
    gateway = StoreGateway(free_port(), folder / "buckets")
    (gateway.folder / gateway.bucket).mkdir(parents=True)
    program = STORES_DIR / "versitygw"
    assert program.exists(), f"{program} is missing; install Go 1.25 and run: make test"
    variables = {"ROOT_ACCESS_KEY": _KEY, "ROOT_SECRET_KEY": _SECRET, "VGW_REGION": _REGION}
    process = subprocess.Popen(
        [
            str(program),
            "--port",
            f"127.0.0.1:{gateway.port}",
            "--keep-alive",
            "--quiet",
            "posix",
            str(gateway.folder),
        ],
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(gateway.port)
        yield gateway
    finally:
        process.kill()
        process.wait()


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    message = "the store does not start"
    raise AssertionError(message)


class BenchUploads:
    """Writer of uploads to one destination; each upload has its own render."""

    def __init__(self, stack: RunningStack, gateway: StoreGateway) -> None:
        """Make the destination."""
        clients = bench_clients(stack)
        clients.s3 = stack.client("s3")
        self._stack = stack
        self._gateway = gateway
        self._tables = Tables(clients)
        self._objects = Objects(clients, stack.resources["FilesBucket"]["Ref"])
        self._uploads = StorageUploads(self._tables, stack.resources["MainTable"]["Ref"])
        self._renders = FinalRenders(stack, self._tables)
        fields = {
            "name": "Bench",
            "kind": "s3",
            "config": {
                "endpoint": gateway.url,
                "region": _REGION,
                "bucket": gateway.bucket,
                "path_style": True,
            },
            "credentials": {"access_key_id": _KEY, "secret_access_key": _SECRET},
        }
        client, body = BenchClient(stack), json.dumps(fields).encode()
        made = client.send("POST", "/v1/storage-destinations", body)
        self._destination = DestinationId(str(made["id"]))

    def upload(self, number: int, size: int) -> tuple[list[str], float]:
        """Let the stack upload files; return their keys in the bucket, and how long it took."""
        visible_at = SystemClock().now() + _DELAY
        uploads = self.prepare(number, size)
        messages = [UploadFilesMessage.of(each).to_json() for each in uploads]
        queue_url = self._stack.resources["UploadsQueue"]["Ref"]
        send_together(self._stack.client("sqs"), queue_url, messages, visible_at)
        names = [self._gateway.folder / self._gateway.bucket / self._key(each) for each in uploads]
        seconds = self._wait_for(names, size, visible_at)
        return [each.files[0].object_key for each in uploads], seconds

    def prepare(self, number: int, size: int) -> list[TargetUploads]:
        """Write uploads of a file of this size each, without their messages."""
        content = os.urandom(size)
        with ThreadPoolExecutor(_WRITERS) as threads:
            return list(threads.map(self._write_one, [content] * number))

    def _wait_for(self, names: list[Path], size: int, begin: dt.datetime) -> float:
        """Return the seconds until all files are in the store."""
        deadline = time.monotonic() + _DELAY.total_seconds() + _TIMEOUT_S
        waiting = set(names)
        while waiting:
            assert time.monotonic() < deadline, f"{len(waiting)} files were not uploaded"
            waiting = {name for name in waiting if not _is_whole(name, size)}
            time.sleep(0.05)
        return (SystemClock().now() - begin).total_seconds()

    @staticmethod
    def _key(uploads: TargetUploads) -> str:
        return f"{uploads.render_id}.pdf"

    def _write_one(self, content: bytes) -> TargetUploads:
        render = self._renders.copy()
        digest = hashlib.sha256(content)
        (file,) = render.files
        file = file._replace(bytes=len(content), sha256=digest.hexdigest())
        self._objects.put(file.key, content, content_type=file.content_type, sha256=digest.digest())
        key = f"{render.id}.pdf"
        receipt = StorageReceipt(self._destination, 0, "pending", key, len(content))
        upload = FileUpload(
            id=StorageUploadId(derived_id("sup", parse_rfc3339(render.created_at), render.id)),
            file_id=file.id,
            receipt=0,
            key=key,
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
        self._tables.transact([self._renders.creation(stored), creation])
        return uploads


def _is_whole(path: Path, size: int) -> bool:
    # The store renames a file when all of it is there.
    return path.exists() and path.stat().st_size == size
