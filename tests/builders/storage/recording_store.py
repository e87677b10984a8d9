"""Store with the API of S3 that a test runs: it counts uploads, and can refuse them."""

import hashlib
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, override

from chalicelib.core.json import JsonObject

_BUCKET: Final = "archive"


class RecordingStore:
    """Store whose `files` are those that it has, and `puts` how often each has arrived.

    It answers all requests with `status`, and keeps files only if that is 200.
    """

    def __init__(self) -> None:
        self.status = HTTPStatus.OK
        self.files: dict[str, bytes] = {}
        self.puts = Counter[str]()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True

    @property
    def egress_allow(self) -> str:
        """Return the value of PLATEN_EGRESS_ALLOW that allows this store."""
        return f"127.0.0.1/32:{self.server.server_port}"

    @property
    def destination(self) -> JsonObject:
        """Return the fields of a destination that is this store."""
        endpoint = f"http://127.0.0.1:{self.server.server_port}"
        return {
            "provider": "s3",
            "config": {"endpoint": endpoint, "region": "eu-central-1", "bucket": _BUCKET},
            "credentials": {"access_key_id": "key", "secret_access_key": "secret"},
        }

    def put(self, path: str, content: bytes) -> str:
        """Keep a file, and return its ETag."""
        key = path.removeprefix(f"/{_BUCKET}/")
        self.puts[key] += 1
        self.files[key] = content
        return etag_of(content)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        store = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 20

            def do_PUT(self) -> None:
                length, status = int(self.headers["Content-Length"]), store.status
                content = self.rfile.read(length)
                # A function that has died in the middle has stored nothing.
                if len(content) < length:
                    return
                self.send_response(status)
                if status == HTTPStatus.OK:
                    self.send_header("ETag", f'"{store.put(self.path, content)}"')
                self.send_header("Content-Length", "0")
                self.end_headers()

            @override
            def log_message(self, *_: Any) -> None:
                pass

        return Handler


@contextmanager
def recording_store() -> Iterator[RecordingStore]:
    """Run a store."""
    store = RecordingStore()
    thread = threading.Thread(target=store.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield store
    finally:
        store.server.shutdown()
        store.server.server_close()
        thread.join()


def etag_of(content: bytes) -> str:
    """Return the ETag of a file."""
    return hashlib.sha256(content).hexdigest()[:32]
