"""Relay between a program, the service and the program's receiver of webhooks.

It passes requests on to the service. Of a delivery it sends forged ones first.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, override

import httpx

from tests.builders.waiting import PATIENCE_S
from tests.builders.webhook_clients import Delivery
from tests.builders.webhook_clients.forgeries import forged

HOOKS: Final = "/hooks"
GENUINE: Final = "genuine"
_ENDPOINTS: Final = "/v1/webhook-endpoints"
_REQUEST_HEADERS: Final = ("authorization", "content-type", "idempotency-key")
_ANSWER_HEADERS: Final = ("content-type", "x-pages")


class Relay(ThreadingHTTPServer):
    """Server on a free port; `service` and `receiver` are set before it is used."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.port = int(self.server_address[1])
        self.service = ""
        self.receiver = ""
        self.clear()

    def clear(self) -> None:
        """Forget what earlier programs have sent."""
        self.keys: list[str | None] = []
        self.statuses: dict[str, set[int]] = {}
        self._secret = ""

    @property
    def allowed(self) -> str:
        """Return the setting that lets the service reach this server."""
        return f"127.0.0.1/32:{self.port}"

    def pass_on(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> httpx.Response:
        """Send a request to the service, and keep the secret of an endpoint that it makes."""
        kept = {name: headers[name] for name in _REQUEST_HEADERS if name in headers}
        answer = httpx.request(
            method, self.service + path, headers=kept, content=body, timeout=PATIENCE_S
        )
        if method == "POST":
            self.keys.append(headers.get("idempotency-key"))
            if path == _ENDPOINTS and answer.is_success:
                self._secret = answer.json()["secret"]
        return answer

    def deliver(self, headers: Mapping[str, str], body: bytes) -> int:
        """Send forged deliveries, then the genuine one; return the status of this one."""
        genuine = Delivery(self._secret, {**headers}, body)
        status = 0
        # The secret is the receiver's: none is sent that only another one has signed.
        forgeries = {name: each for name, each in forged(genuine).items() if name != "secret"}
        for name, delivery in {**forgeries, GENUINE: genuine}.items():
            try:
                status = self._send(delivery)
            except httpx.ConnectError:
                return 503  # it is not up yet: the service tries again
            self.statuses.setdefault(name, set()).add(status)
        return status

    def _send(self, delivery: Delivery) -> int:
        named = {name: value for name, value in delivery.headers.items() if value}
        kept = {name: text for name, text in named.items() if name.startswith("webhook-")}
        headers = {**kept, "content-type": "application/json"}
        url = self.receiver + HOOKS
        return httpx.post(url, content=delivery.body, headers=headers, timeout=60).status_code

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: a program ends while its connection is open."""


class _Handler(BaseHTTPRequestHandler):
    server: Relay

    def _answer(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", 0)))
        if self.path == HOOKS:
            self._send(self.server.deliver(headers, body), {}, b"")
            return
        answer = self.server.pass_on(self.command, self.path, headers, body)
        kept = {name: answer.headers[name] for name in _ANSWER_HEADERS if name in answer.headers}
        self._send(answer.status_code, kept, answer.content)

    do_GET = do_POST = do_DELETE = _answer  # noqa: N815 -- names of the base class

    def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != httpx.codes.NO_CONTENT:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""


@contextmanager
def running_relay() -> Iterator[Relay]:
    """Run a relay inside the block."""
    with Relay() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
