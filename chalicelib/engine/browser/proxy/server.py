"""The browser's only way out: a proxy on this machine that connects through the outbound door."""

import contextlib
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Final

from chalicelib.engine.browser.proxy.budget import TrafficBudget, TrafficLimits, shut_down
from chalicelib.engine.ports import Egress

log = logging.getLogger(__name__)


def _do_nothing() -> None:
    pass


class ProxyServer:
    """One browser's ways out; each of its contexts has one of its own."""

    def __init__(self, egress: Egress, before_tls: Callable[[], None] = _do_nothing) -> None:
        """Listen nowhere yet.

        `before_tls` is called each time before the browser can begin to verify somebody.
        """
        self._egress = egress
        self._before_tls = before_tls
        self._ports: set[ProxyPort] = set()

    def new_port(self) -> "ProxyPort":
        """Return a new way out, on a port that the system chooses."""
        gate = ProxyPort(self._egress, self._before_tls, self._ports.discard)
        self._ports.add(gate)
        return gate

    def close(self) -> None:
        """Close all ways out."""
        for gate in tuple(self._ports):
            gate.close()


class ProxyPort:
    """The way out of one context: nothing passes before its render begins or after it has ended.

    A port of its own, so that no request of another context, however late, passes for one of it.
    """

    def __init__(
        self,
        egress: Egress,
        before_tls: Callable[[], None],
        on_close: Callable[["ProxyPort"], None],
    ) -> None:
        """Listen on loopback, and turn away whoever connects."""
        self._egress = egress
        self._before_tls = before_tls
        self._on_close = on_close
        self._traffic: TrafficBudget | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: Final[int] = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="browser-proxy-port", daemon=True).start()

    @contextlib.contextmanager
    def open(self, limits: TrafficLimits | None = None) -> Iterator[TrafficBudget]:
        """Let one render's traffic through, then close for good."""
        self._traffic = traffic = TrafficBudget(limits)
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
        shut_down(self._listener)
        self._listener.close()
        self._on_close(self)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            traffic = self._traffic
            if traffic is None or not traffic.admit_client(client):
                client.close()
                continue
            try:
                self._serve(client, traffic)
            except RuntimeError:
                log.warning("no thread for a connection of the browser's")
                traffic.close_client(client)

    def _serve(self, client: socket.socket, traffic: TrafficBudget) -> None:
        # Not before there is something to pass on: most documents ask for nothing.
        from chalicelib.engine.browser.proxy import connection  # noqa: PLC0415

        arguments = (client, self._egress, traffic, self._before_tls)
        name = "browser-connection"
        threading.Thread(target=connection.serve, args=arguments, name=name, daemon=True).start()
