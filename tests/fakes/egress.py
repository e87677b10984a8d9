"""Egress with a configured answer for each URL."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event

from chalicelib.engine.ports import FetchResponse, HostRefusedError, HostUnreachableError
from tests.builders.waiting import PATIENCE_S


@dataclass(frozen=True)
class RecordedFetch:
    """Arguments of a fetch."""

    url: str
    max_bytes: int
    timeout_s: float
    https_only: bool


@dataclass
class FakeEgress:
    """Answers a fetch with bytes or by raising; a fetch of an Event waits and then fails."""

    answers: Mapping[str, bytes | Exception | Event]
    fetches: list[RecordedFetch] = field(default_factory=list)

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        raise HostUnreachableError(f"{host}:{port} ({timeout_s})")

    def refusal(self, url: str, *, timeout_s: float, https_only: bool = False) -> str | None:
        answer = self.answers.get(url)
        del timeout_s, https_only
        return str(answer) if isinstance(answer, HostRefusedError) else None

    def fetch(
        self, url: str, *, max_bytes: int, timeout_s: float, https_only: bool = False
    ) -> FetchResponse:
        self.fetches.append(RecordedFetch(url, max_bytes, timeout_s, https_only))
        answer = self.answers[url]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Event):
            answer.wait(PATIENCE_S / 2)
            raise HostUnreachableError("too late")
        return FetchResponse(url, 200, {}, answer)
