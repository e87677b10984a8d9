"""A world in which each address answers as it is told."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event

from chalicelib.engine.outside import Fetched, Unreachable


@dataclass(frozen=True)
class Fetch:
    """What was asked for."""

    url: str
    most_bytes: int
    timeout_s: float
    secure: bool


@dataclass
class World:
    """Answers a fetch with bytes or by raising; an Event is waited for and never answers."""

    answers: Mapping[str, bytes | Exception | Event]
    fetches: list[Fetch] = field(default_factory=list)

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        raise Unreachable(f"{host}:{port} ({timeout_s})")

    def fetch(
        self, url: str, *, most_bytes: int, timeout_s: float, secure: bool = False
    ) -> Fetched:
        self.fetches.append(Fetch(url, most_bytes, timeout_s, secure))
        answer = self.answers[url]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Event):
            answer.wait(30)
            raise Unreachable("too late")
        return Fetched(url, 200, {}, answer)
