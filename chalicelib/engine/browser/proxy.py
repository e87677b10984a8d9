"""The browser's only way out: a proxy on this machine that connects through the outbound door."""

import contextlib
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Final

from chalicelib.engine.browser.traffic import Budget, Traffic, cut
from chalicelib.engine.outside import Outside

log = logging.getLogger(__name__)


def _nothing() -> None:
    pass


class Proxy:
    """One browser's ways out; each of its contexts has one of its own."""

    def __init__(self, outside: Outside, before_tls: Callable[[], None] = _nothing) -> None:
        """Listen nowhere yet.

        `before_tls` is called each time before the browser can begin to verify somebody.
        """
        self._outside = outside
        self._before_tls = before_tls
        self._gates: set[Gate] = set()

    def gate(self) -> "Gate":
        """Return a new way out, on a port that the system chooses."""
        gate = Gate(self._outside, self._before_tls, self._gates.discard)
        self._gates.add(gate)
        return gate

    def close(self) -> None:
        """Close all ways out."""
        for gate in tuple(self._gates):
            gate.close()


class Gate:
    """The way out of one context: nothing passes before its render begins or after it has ended.

    A port of its own, so that no request of another context, however late, passes for one of it.
    """

    def __init__(
        self, outside: Outside, before_tls: Callable[[], None], closed: Callable[["Gate"], None]
    ) -> None:
        """Listen on loopback, and turn away whoever connects."""
        self._outside = outside
        self._before_tls = before_tls
        self._closed = closed
        self._traffic: Traffic | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: Final[int] = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="browser-gate", daemon=True).start()

    @contextlib.contextmanager
    def open(self, budget: Budget | None = None) -> Iterator[Traffic]:
        """Let one render's traffic through, then close for good."""
        self._traffic = traffic = Traffic(budget)
        try:
            yield traffic
        finally:
            self.close()

    def close(self) -> None:
        """Cut all that is open, and listen no longer."""
        traffic, self._traffic = self._traffic, None
        if traffic is not None:
            traffic.end()
        # Only this wakes who waits in `accept`.
        cut(self._listener)
        self._listener.close()
        self._closed(self)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            traffic = self._traffic
            if traffic is None or not traffic.admit(client):
                client.close()
                continue
            try:
                self._serve(client, traffic)
            except RuntimeError:
                log.warning("no thread for a connection of the browser's")
                traffic.dismiss(client)

    def _serve(self, client: socket.socket, traffic: Traffic) -> None:
        # Not before there is something to pass on: most documents ask for nothing.
        from chalicelib.engine.browser import tunnel  # noqa: PLC0415

        arguments = (client, self._outside, traffic, self._before_tls)
        name = "browser-connection"
        threading.Thread(target=tunnel.serve, args=arguments, name=name, daemon=True).start()
