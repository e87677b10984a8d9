"""Messages over the browser's pipe."""

import json
import os
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from typing import Any

import pytest

from chalicelib.engine.browser.chromium.pipe import (
    BrowserGoneError,
    CallRefusedError,
    PageCrashedError,
    Pipe,
    await_answer,
)
from tests.builders.waiting import PATIENCE_S


class Peer:
    """Browser end of the pipes."""

    def __init__(self) -> None:
        self.reads, to_peer = os.pipe()
        from_peer, self.writes = os.pipe()
        self.pipe = Pipe(to_peer, from_peer)
        self._buffer = b""
        self._open = True

    def receive(self) -> Any:
        while b"\0" not in self._buffer:
            self._buffer += os.read(self.reads, 1 << 16)
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def send(self, *messages: Mapping[str, Any]) -> None:
        self.send_raw(b"".join(json.dumps(message).encode() + b"\0" for message in messages))

    def send_raw(self, data: bytes) -> None:
        os.write(self.writes, data)

    def end(self) -> None:
        if self._open:
            self._open = False
            os.close(self.reads)
            os.close(self.writes)


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    peer.end()
    peer.pipe.close()


def test_call_is_one_message_and_gets_its_answer(peer: Peer) -> None:
    future = peer.pipe.send("Page.enable", {"a": "ü"}, "S")

    sent = peer.receive()
    peer.send({"id": sent["id"], "sessionId": "S", "result": {"b": 1}})

    assert {**sent, "id": 0} == {
        "id": 0,
        "method": "Page.enable",
        "params": {"a": "ü"},
        "sessionId": "S",
    }
    assert future.result(PATIENCE_S) == {"b": 1}


def test_answers_are_matched_to_calls_in_any_order(peer: Peer) -> None:
    first, second = peer.pipe.send("A"), peer.pipe.send("B")

    one, two = peer.receive()["id"], peer.receive()["id"]
    peer.send({"id": two, "result": {"n": 2}}, {"id": one, "result": {"n": 1}})

    assert (first.result(PATIENCE_S), second.result(PATIENCE_S)) == ({"n": 1}, {"n": 2})


def test_messages_may_arrive_split_or_batched(peer: Peer) -> None:
    futures = [peer.pipe.send("A") for _ in range(3)]
    numbers = [peer.receive()["id"] for _ in futures]
    data = b"".join(json.dumps({"id": n, "result": {"nodes": n}}).encode() + b"\0" for n in numbers)

    for at in range(len(data)):
        peer.send_raw(data[at : at + 1])

    assert [future.result(PATIENCE_S)["nodes"] for future in futures] == numbers


def test_large_message_passes_in_both_directions(peer: Peer) -> None:
    text = "x" * 5_000_000
    echo = threading.Thread(
        target=lambda: peer.send(
            {"id": (sent := peer.receive())["id"], "result": {"text": sent["params"]["text"]}}
        )
    )
    # The peer needs several writes for this size.
    peer.send_raw = lambda data: _write_all(peer.writes, data)  # type: ignore[method-assign]
    echo.start()

    assert peer.pipe.send("A", {"text": text}).result(PATIENCE_S) == {"text": text}
    echo.join()


def test_error_response_is_raised(peer: Peer) -> None:
    future = peer.pipe.send("A")

    peer.send({"id": peer.receive()["id"], "error": {"code": -32000, "message": "no such thing"}})

    with pytest.raises(CallRefusedError, match="no such thing"):
        future.result(PATIENCE_S)


def test_events_go_to_the_handler_of_their_session(peer: Peer) -> None:
    heard: list[tuple[str, str, Mapping[str, Any]]] = []
    last: Future[None] = Future()
    peer.pipe.set_handler("S", lambda method, event: heard.append(("S", method, event)))
    peer.pipe.set_handler("", lambda _method, _event: last.set_result(None))

    peer.send(
        {"method": "A", "params": {"n": 1}, "sessionId": "S"},
        {"method": "B", "params": {}, "sessionId": "other"},
        {"method": "C"},
    )

    last.result(PATIENCE_S)
    assert heard == [("S", "A", {"n": 1})]


def test_a_handler_may_send(peer: Peer) -> None:
    def answer(_method: str, event: Mapping[str, Any]) -> None:
        peer.pipe.send("Answer", event, "S")

    peer.pipe.set_handler("S", answer)

    peer.send({"method": "Ask", "params": {"n": 1}, "sessionId": "S"})

    assert peer.receive()["params"] == {"n": 1}


def test_browser_exit_fails_pending_and_later_calls(peer: Peer) -> None:
    waiting = peer.pipe.send("A")

    peer.end()

    with pytest.raises(BrowserGoneError):
        waiting.result(PATIENCE_S)
    peer.pipe.close()
    with pytest.raises(BrowserGoneError):
        peer.pipe.send("B").result(0)
    assert peer.pipe.is_closed


def test_a_crash_ends_the_wait_for_an_answer() -> None:
    crashed: Future[None] = Future()
    crashed.set_result(None)

    with pytest.raises(PageCrashedError):
        await_answer(Future(), crashed, PATIENCE_S)


def test_available_answer_wins_over_a_crash() -> None:
    answer: Future[int] = Future()
    answer.set_result(1)
    crashed: Future[None] = Future()
    crashed.set_result(None)

    assert await_answer(answer, crashed, PATIENCE_S) == 1


def test_missing_answer_is_a_timeout() -> None:
    with pytest.raises(TimeoutError):
        await_answer(Future(), Future(), 0.01)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
