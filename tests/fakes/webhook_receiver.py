"""HTTP server that receives webhooks and answers as a test says."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, override


class ReceivedWebhook(NamedTuple):
    """Request as it arrived; the names of headers are in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes


class WebhookReceiver:
    """Receiver; `statuses` are answered in turn, then `status`."""

    def __init__(self) -> None:
        self.received: list[ReceivedWebhook] = []
        self.status = 200
        self.statuses: list[int] = []
        self.answer = b"thanks"
        self.before_answer: Callable[[], object] | None = None
        """What happens elsewhere while the next request waits for its answer."""
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                meanwhile, receiver.before_answer = receiver.before_answer, None
                if meanwhile is not None:
                    meanwhile()
                receiver.received.append(ReceivedWebhook(self.path, headers, body))
                status = receiver.statuses.pop(0) if receiver.statuses else receiver.status
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", str(len(receiver.answer)))
                self.end_headers()
                self.wfile.write(receiver.answer)

            @override
            def log_message(self, *_: Any) -> None:
                pass

        return Handler


@contextmanager
def webhook_receiver() -> Iterator[WebhookReceiver]:
    """Run a receiver during the block."""
    receiver = WebhookReceiver()
    thread = threading.Thread(target=receiver.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.server.shutdown()
        receiver.server.server_close()
        thread.join()
