"""What goes through the browser's proxy for one render: counted, held to a budget, ended."""

import contextlib
import socket
import threading
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from chalicelib.engine.outside import place_of

MOST_REQUESTS: Final = 1000
MOST_BYTES_EACH: Final = 50_000_000
MOST_BYTES: Final = 100_000_000
TOO_MANY: Final = f"a page may make {MOST_REQUESTS} requests"
TOO_LARGE: Final = f"a part of a page may have {MOST_BYTES_EACH // 1_000_000} MB"
TOO_MUCH: Final = f"the page may load {MOST_BYTES // 1_000_000} MB in all"
_MOST_TOLD: Final = 1000
_PORTS: Final = {"http": 80, "https": 443}


class Budget(NamedTuple):
    """What the proxy lets through; its bytes are packed, encrypted and have heads: a few more.

    `connections` are the browser's, each of which has one to a host.
    """

    requests: int = MOST_REQUESTS
    bytes_each: int = MOST_BYTES_EACH * 11 // 10
    bytes: int = MOST_BYTES * 11 // 10
    connections: int = 128


class Traffic:
    """What goes through for one render; nothing does once it has ended."""

    def __init__(self, budget: Budget | None = None) -> None:
        """Begin."""
        self._budget = budget or Budget()
        self._lock = threading.Lock()
        self._connections: dict[socket.socket, str] = {}
        self._refused: dict[str, str] = {}
        self._unreachable: dict[str, str] = {}
        self._over: dict[str, str] = {}
        self._spent: str | None = None
        self._clients = 0
        self._requests = 0
        self._received = 0
        self._sent = 0
        self._ended = False

    @property
    def requests(self) -> int:
        """Return how often something was asked for; an encrypted connection counts once."""
        return self._requests

    @property
    def received(self) -> int:
        """Return the bytes that have come from outside."""
        return self._received

    @property
    def sent(self) -> int:
        """Return the bytes that have gone outside."""
        return self._sent

    @property
    def connections(self) -> int:
        """Return how many connections are held, from the browser and to outside."""
        return len(self._connections)

    @property
    def spent(self) -> str | None:
        """Return which budget of the whole page is used up; the text may be shown."""
        return self._spent

    @property
    def over(self) -> Mapping[str, str]:
        """Return which budget each address was over; the text may be shown."""
        with self._lock:
            return dict(self._over)

    def objection(self, address: str) -> str | None:
        """Return which budget an address was over, or the whole page is."""
        with self._lock:
            return self._over.get(address) or self._spent

    @property
    def refused(self) -> Mapping[str, str]:
        """Return why each `host:port` may not be reached; the text may be shown."""
        with self._lock:
            return dict(self._refused)

    @property
    def unreachable(self) -> Mapping[str, str]:
        """Return why each `host:port` could not be reached; the text may be shown."""
        with self._lock:
            return dict(self._unreachable)

    @property
    def ended(self) -> bool:
        """Tell whether nothing goes through any more."""
        return self._ended

    def end(self) -> None:
        """Cut every connection; there will be no others."""
        with self._lock:
            self._ended = True
            for connection in self._connections:
                cut(connection)

    def cut_off(self, place: str) -> None:
        """Cut every connection to a `host:port`; there may be others."""
        with self._lock:
            for connection, where in self._connections.items():
                if where == place:
                    cut(connection)

    def refuse(self, place: str, why: str) -> None:
        """Keep that a place may not be reached."""
        with self._lock:
            _keep(self._refused, place, why)

    def miss(self, place: str, why: str) -> None:
        """Keep that a place could not be reached."""
        with self._lock:
            _keep(self._unreachable, place, why)

    def ask(self, address: str) -> bool:
        """Count a request; tell whether it may be made."""
        with self._lock:
            self._requests += 1
            if self._requests > self._budget.requests:
                self._spent = self._spent or TOO_MANY
                _keep(self._over, address, TOO_MANY)
                return False
        return True

    def receive(self, count: int, address: str, size: int = 0) -> bool:
        """Count what came from an address, `size` in one answer; tell whether more of it may."""
        with self._lock:
            self._received += count
            too_much = self._received > self._budget.bytes
            too_large = size > self._budget.bytes_each
            if too_much:
                self._spent = TOO_MUCH
                _keep(self._over, address, TOO_MUCH)
            elif too_large:
                _keep(self._over, address, TOO_LARGE)
        if too_much:
            self.end()
        return not (too_much or too_large)

    def send(self, count: int) -> None:
        """Count what goes outside."""
        with self._lock:
            self._sent += count

    def admit(self, client: socket.socket) -> bool:
        """Have a connection of the browser's cut at the end; False: there may be no more."""
        with self._lock:
            if self._ended or self._clients >= self._budget.connections:
                return False
            self._clients += 1
            self._connections[client] = ""
        return True

    def dismiss(self, client: socket.socket) -> None:
        """Close a connection of the browser's."""
        with self._lock:
            self._connections.pop(client, None)
            self._clients -= 1
        client.close()

    @contextlib.contextmanager
    def holding(self, server: socket.socket, place: str) -> Iterator[None]:
        """Have a connection to `place` cut at the end at the latest; closes it."""
        with server:
            with self._lock:
                if self._ended:
                    cut(server)
                else:
                    self._connections[server] = place
            try:
                yield
            finally:
                with self._lock:
                    self._connections.pop(server, None)


def place_in(url: str) -> str:
    """Return the `host:port` that an http or https address leads to."""
    parts = urlsplit(url)
    return place_of(parts.hostname or "", parts.port or _PORTS[parts.scheme])


def _keep(texts: dict[str, str], key: str, text: str) -> None:
    if len(texts) < _MOST_TOLD:
        texts.setdefault(key, text)


def cut(connection: socket.socket) -> None:
    """End a connection; unlike `close` it wakes who reads, whichever thread that is."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
