"""The client's own retries, with a proxy before the service that loses or delays answers."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, override

import httpx
import pytest
from dynamic_document_api import DynamicDocumentApi, DynamicDocumentApiTimeoutError

from tests.builders.waiting import PATIENCE_S
from tests.integration.clients.conftest import Access

pytestmark = pytest.mark.integration

NO_WAIT: Any = {"initial_delay": 0.01, "max_delay": 0.01}


class _Proxy(ThreadingHTTPServer):
    """Proxy that forwards every request; what comes of an answer is the next of `plays`."""

    daemon_threads = True

    def __init__(self, upstream: str, plays: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream, self.plays = upstream, plays
        self.keys: list[str | None] = []
        self.answers: list[httpx.Response] = []
        self.is_given_up = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    server: _Proxy

    def do_POST(self) -> None:
        proxy = self.server
        play = proxy.plays.pop(0) if proxy.plays else "answer"
        body = self.rfile.read(int(self.headers["content-length"]))
        kept = ("authorization", "content-type", "idempotency-key")
        headers = {name: self.headers[name] for name in kept if name in self.headers}
        proxy.keys.append(headers.get("idempotency-key"))
        answer = httpx.post(proxy.upstream + self.path, content=body, headers=headers, timeout=60)
        proxy.answers.append(answer)
        if play == "late":
            proxy.is_given_up.wait(PATIENCE_S)
        self.close_connection = True
        if play == "answer":
            self.send_response(answer.status_code)
            self.send_header("content-type", answer.headers["content-type"])
            self.send_header("content-length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

    @override
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def proxy_before(access: Access, *plays: str) -> Iterator[_Proxy]:
    with _Proxy(access.base_url.removesuffix("/v1"), list(plays)) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        yield proxy
        proxy.shutdown()


def client_of(access: Access, proxy: _Proxy, **options: Any) -> DynamicDocumentApi:
    address = f"http://127.0.0.1:{proxy.server_port}"
    return DynamicDocumentApi(access.key, base_url=address, **options)


def renders_of(access: Access) -> list[str]:
    with DynamicDocumentApi(access.key, base_url=access.base_url) as client:
        return [each["id"] for each in client.renders.list()]


def test_lost_answer_is_repeated_and_makes_nothing_more(access: Access) -> None:
    with (
        proxy_before(access, "lose", "lose") as proxy,
        client_of(access, proxy, retry=NO_WAIT) as client,
    ):
        render = client.pdf.from_html(html="<h1>Once")

    assert render["status"] == "succeeded"
    assert len(proxy.keys) == 3
    assert len(set(proxy.keys)) == 1
    assert renders_of(access) == [render["id"]]


def test_late_answer_is_not_repeated_and_its_key_finds_the_render(access: Access) -> None:
    document: Any = {"html": "<h1>Late", "idempotency_key": "invoice-42"}
    with proxy_before(access, "late") as proxy, client_of(access, proxy, retry=NO_WAIT) as client:
        with pytest.raises(DynamicDocumentApiTimeoutError):
            client.pdf.from_html(**document, timeout=1)
        wait_for(proxy)
        again = client.pdf.from_html(**document)
        proxy.is_given_up.set()

    assert proxy.keys == ["invoice-42", "invoice-42"]
    assert proxy.answers[0].json()["id"] == again["id"]
    assert renders_of(access) == [again["id"]]


def test_repeat_beside_the_first_request_waits_for_it(access: Access) -> None:
    document: Any = {"html": "<h1>Twice", "idempotency_key": "invoice-43"}
    slow: Any = {"image": {"wait": {"delay_ms": 2_000}}}
    with DynamicDocumentApi(access.key, base_url=access.base_url) as client:
        found: list[str] = []
        first = threading.Thread(
            target=lambda: found.append(client.images.from_html(**document, **slow)["id"])
        )
        first.start()
        time.sleep(0.5)
        more: Any = {"max_attempts": 20, "initial_delay": 0.5, "max_delay": 0.5}
        second = client.images.from_html(**document, **slow, retry=more)
        first.join(PATIENCE_S)

    assert found == [second["id"]]
    assert renders_of(access) == found


def wait_for(proxy: _Proxy) -> None:
    """Wait until the service has answered the first request."""
    until = time.monotonic() + PATIENCE_S
    while not proxy.answers:
        assert time.monotonic() < until
        time.sleep(0.05)
