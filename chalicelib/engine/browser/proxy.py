"""The browser's only way out: a proxy on this machine that connects through the outbound door."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from chalicelib.engine.outside import Outside

# A little more than a document may load in all: what is counted here is packed and encrypted.
MOST_BYTES: Final = 110_000_000
_MOST_CONNECTIONS: Final = 128
_MOST_TOLD: Final = 1000


class Traffic:
    """What goes through the proxy for one render; nothing does once it has ended."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Begin; every connection is cut when more than `most_bytes` have come in."""
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        self._places: dict[socket.socket, str] = {}
        self._refused: dict[str, str] = {}
        self._unreachable: dict[str, str] = {}
        self._received = 0
        self._sent = 0
        self._ended = False

    @property
    def received(self) -> int:
        """Return the bytes that have come from outside."""
        return self._received

    @property
    def sent(self) -> int:
        """Return the bytes that have gone outside."""
        return self._sent

    @property
    def exhausted(self) -> bool:
        """Tell whether more has come in than may; nothing more does."""
        return self._received > self._most_bytes

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

    def end(self) -> None:
        """Cut every connection; there will be no others."""
        with self._lock:
            self._ended = True
            for connection in self._connections:
                cut(connection)

    def cut_off(self, place: str) -> None:
        """Cut every connection to a `host:port`; there may be others."""
        with self._lock:
            for connection, where in self._places.items():
                if where == place:
                    cut(connection)

    def refuse(self, place: str, why: str) -> None:
        """Keep that a place may not be reached."""
        self._tell(self._refused, place, why)

    def miss(self, place: str, why: str) -> None:
        """Keep that a place could not be reached."""
        self._tell(self._unreachable, place, why)

    def receive(self, count: int) -> None:
        """Count what came from outside."""
        with self._lock:
            self._received += count
        if self.exhausted:
            self.end()

    def send(self, count: int) -> None:
        """Count what goes outside."""
        with self._lock:
            self._sent += count

    @contextlib.contextmanager
    def holding(self, connection: socket.socket, place: str = "") -> Iterator[None]:
        """Have a connection, to `place`, cut at the end at the latest; closes it."""
        with connection:
            with self._lock:
                if self._ended or len(self._connections) >= _MOST_CONNECTIONS:
                    cut(connection)
                else:
                    self._connections.add(connection)
                    self._places[connection] = place
            try:
                yield
            finally:
                with self._lock:
                    self._connections.discard(connection)
                    self._places.pop(connection, None)

    def _tell(self, places: dict[str, str], place: str, why: str) -> None:
        with self._lock:
            if len(places) < _MOST_TOLD:
                places[place] = why


def _nothing() -> None:
    pass


class Proxy:
    """Listens on loopback; between renders whoever connects is turned away."""

    def __init__(self, outside: Outside, before_tls: Callable[[], None] = _nothing) -> None:
        """Listen, on a port that the system chooses.

        `before_tls` is called each time before the browser can begin to verify somebody.
        """
        self._outside = outside
        self._before_tls = before_tls
        self._traffic: Traffic | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: Final[int] = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="browser-proxy", daemon=True).start()

    @contextlib.contextmanager
    def open(self) -> Iterator[Traffic]:
        """Let one render's traffic through."""
        self._traffic = traffic = Traffic()
        try:
            yield traffic
        finally:
            self._traffic = None
            traffic.end()

    def close(self) -> None:
        """Listen no longer."""
        # Only this wakes who waits in `accept`.
        cut(self._listener)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            traffic = self._traffic
            if traffic is None:
                client.close()
                continue
            # Not before there is something to pass on: most documents ask for nothing.
            from chalicelib.engine.browser import tunnel  # noqa: PLC0415

            arguments = (client, self._outside, traffic, self._before_tls)
            threading.Thread(target=tunnel.serve, args=arguments, daemon=True).start()


def cut(connection: socket.socket) -> None:
    """End a connection; unlike `close` it wakes who reads, whichever thread that is."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
