"""WSGI servers on loopback; they bind at creation, so a taken port is found before the start.

They answer to their own hosts only (decision 58).
"""

import contextlib
import logging
import socket
import threading
from typing import Any, Final

from waitress import wasyncore
from waitress.server import create_server

from infra.local.access.hosts import LOOPBACK_HOSTS, OwnHosts
from infra.local.access.wsgi import Application, own_hosts_only

# Of an upload by form; the applications refuse smaller bodies, as AWS does.
_MAX_READ_BYTES: Final = 210 * 1024 * 1024
# Larger bodies wait in files.
_MAX_IN_MEMORY_BYTES: Final = 1024 * 1024


class WsgiServer:
    """One listening socket and its worker threads."""

    def __init__(
        self,
        application: Application | None = None,
        *,
        port: int = 0,
        threads: int,
        hosts: OwnHosts = LOOPBACK_HOSTS,
    ) -> None:
        """Bind the port; raises OSError when it is taken. Other hosts than `hosts` are refused."""
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self._application = application
        self._socket = socket.create_server(("127.0.0.1", port), backlog=1024)
        self._threads = threads
        self.hosts = hosts
        self._server: Any = None

    @property
    def url(self) -> str:
        """Return the URL, without a trailing slash."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def serve(self, application: Application) -> None:
        """Set the application and start."""
        self._application = application
        self.start()

    def start(self) -> None:
        """Start to answer requests, in threads."""
        if self._application is None:
            message = "a server has no application"
            raise ValueError(message)
        self._server = create_server(
            own_hosts_only(self._application, self.hosts),
            sockets=[self._socket],
            threads=self._threads,
            connection_limit=1000,
            asyncore_use_poll=True,
            channel_timeout=600,
            max_request_body_size=_MAX_READ_BYTES,
            inbuf_overflow=_MAX_READ_BYTES,
            outbuf_overflow=_MAX_READ_BYTES,
            ident="",
            clear_untrusted_proxy_headers=False,
        )
        threading.Thread(target=self._server.run, daemon=True).start()

    def close(self) -> None:
        """Close all connections, also those of running requests."""
        if self._server is None:
            self._socket.close()
            return
        server, sockets = self._server, self._server._map  # noqa: SLF001 -- no public way to close them

        def close_sockets() -> None:
            # Requests that still run would write to a descriptor that is reused by then.
            server.pull_trigger = lambda: None
            wasyncore.close_all(sockets, ignore_all=True)

        # Run inside the server's own loop, which ends when it has no sockets left.
        # It may do so before the write that wakes it, which then finds no descriptor.
        with contextlib.suppress(OSError):
            server.trigger.pull_trigger(close_sockets)
        server.task_dispatcher.shutdown(cancel_pending=True, timeout=1)
