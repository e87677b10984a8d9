"""HTTP server that receives webhooks and answers as a test says."""

import datetime as dt
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self, override
from unittest.mock import patch

from standardwebhooks import webhooks
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from chalicelib.core.clock import SystemClock

_CLOCK = SystemClock()


class ReceivedWebhook(NamedTuple):
    """Request as it arrived, and when; the names of headers are in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: dt.datetime

    def verified(self, secrets: Iterable[str]) -> dict[str, Any]:
        """Return the event, which the public library verifies with one of these secrets.

        The library reads the clock of the receiver. Raises WebhookVerificationError.
        """
        moment = self.at

        class ReceiverTime(dt.datetime):
            @override
            @classmethod
            def now(cls, tz: dt.tzinfo | None = None) -> Self:
                return cls.fromtimestamp(moment.timestamp(), tz)

        with patch.object(webhooks, "datetime", ReceiverTime):
            for secret in secrets:
                try:
                    event: dict[str, Any] = Webhook(secret).verify(self.body, self.headers)
                except WebhookVerificationError as error:
                    if "No matching signature" not in str(error):
                        raise
                else:
                    return event
        raise WebhookVerificationError("none of the secrets signed this")


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: a client that refuses the certificate is part of the tests."""


class WebhookReceiver:
    """Receiver; `statuses` are answered in turn, then `status`. With `tls` it speaks https."""

    def __init__(
        self, now: Callable[[], dt.datetime], tls: ssl.SSLContext | None, host: str
    ) -> None:
        self.received: list[ReceivedWebhook] = []
        self.status = 200
        self.statuses: list[int] = []
        self.answer = b"thanks"
        self.before_answer: Callable[[], object] | None = None
        """Actions elsewhere while the next request waits for its answer."""
        self.host = host
        self.scheme = "http" if tls is None else "https"
        self.server = _Server(("127.0.0.1", 0), self._handler(now, tls))

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}/hook"

    def happen_before_answer(self) -> None:
        """Let a test act once before the next answer."""
        meanwhile, self.before_answer = self.before_answer, None
        if meanwhile is not None:
            meanwhile()

    def _handler(
        self, now: Callable[[], dt.datetime], tls: ssl.SSLContext | None
    ) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 20

            @override
            def setup(self) -> None:
                # In the thread of the connection, so that a slow handshake holds up no other one.
                if tls is not None:
                    self.request = tls.wrap_socket(self.request, server_side=True)
                super().setup()

            @override
            def finish(self) -> None:
                super().finish()
                if tls is not None:
                    # The server closes only what it has accepted.
                    self.request.close()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.happen_before_answer()
                receiver.received.append(ReceivedWebhook(self.path, headers, body, now()))
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
def webhook_receiver(
    now: Callable[[], dt.datetime] = _CLOCK.now,
    *,
    tls: ssl.SSLContext | None = None,
    host: str = "127.0.0.1",
) -> Iterator[WebhookReceiver]:
    """Run a receiver during the block; it reads the time with `now`."""
    receiver = WebhookReceiver(now, tls, host)
    thread = threading.Thread(target=receiver.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.server.shutdown()
        receiver.server.server_close()
        thread.join()
