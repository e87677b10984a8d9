"""Loopback proxy that connects a browser to the network through the egress port (decision 15)."""

import contextlib
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Final

from chalicelib.engine.browser.proxy.budget import TrafficBudget, TrafficLimits, shut_down
from chalicelib.engine.ports import Egress

log = logging.getLogger(__name__)


class ProxyServer:
    """Proxy of one browser; each of its contexts has a port of its own."""

    def __init__(self, egress: Egress, before_tls: Callable[[], None] = lambda: None) -> None:
        """Listen nowhere yet.

        `before_tls` is called before each TLS tunnel, so before the browser verifies a certificate.
        """
        self._egress = egress
        self._before_tls = before_tls
        self._ports: set[ProxyPort] = set()

    def new_port(self) -> "ProxyPort":
        """Return a new proxy port; the system chooses its number."""
        port = ProxyPort(self._egress, self._before_tls, self._ports.discard)
        self._ports.add(port)
        return port

    def close(self) -> None:
        """Close all ports."""
        for port in tuple(self._ports):
            port.close()


class ProxyPort:
    """Proxy port of one context; traffic passes only while a render in it runs.

    Contexts share no port, so that a late request of one is never attributed to another.
    """

    def __init__(
        self,
        egress: Egress,
        before_tls: Callable[[], None],
        on_close: Callable[["ProxyPort"], None],
    ) -> None:
        """Listen on loopback; refuse all connections until `open`."""
        self._egress = egress
        self._before_tls = before_tls
        self._on_close = on_close
        self._traffic: TrafficBudget | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: Final[int] = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="browser-proxy-port", daemon=True).start()

    @contextlib.contextmanager
    def open(self, limits: TrafficLimits | None = None) -> Iterator[TrafficBudget]:
        """Let one render's traffic through within the `with` block, then cut its connections."""
        self._traffic = traffic = TrafficBudget(limits)
        try:
            yield traffic
        finally:
            self._end_traffic()

    def close(self) -> None:
        """Cut all connections and stop listening."""
        self._end_traffic()
        # Closing alone would not wake the thread that waits in `accept`.
        shut_down(self._listener)
        self._listener.close()
        self._on_close(self)

    def _end_traffic(self) -> None:
        traffic, self._traffic = self._traffic, None
        if traffic is not None:
            traffic.end()

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
                log.warning("no thread available for a proxy connection")
                traffic.close_client(client)

    def _serve(self, client: socket.socket, traffic: TrafficBudget) -> None:
        # Imported on the first connection, as most documents request nothing (decision 7).
        from chalicelib.engine.browser.proxy import connection  # noqa: PLC0415

        arguments = (client, self._egress, traffic, self._before_tls)
        name = "browser-connection"
        threading.Thread(target=connection.serve, args=arguments, name=name, daemon=True).start()
