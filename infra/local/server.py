"""WSGI servers on loopback: bound at once, so that a taken port is known before anything starts."""

import logging
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from waitress import wasyncore
from waitress.server import create_server

type Application = Callable[[Mapping[str, Any], Callable[..., Any]], Iterable[bytes]]

# Larger bodies than the platform takes are read, so that the refusal is the platform's own.
_MAX_READ_BYTES: Final = 64 * 1024 * 1024


class WsgiServer:
    """One listening address and the threads behind it."""

    def __init__(
        self, application: Application | None = None, *, port: int = 0, threads: int
    ) -> None:
        """Bind; raises OSError when the port is taken."""
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self._application = application
        self._socket = socket.create_server(("127.0.0.1", port), backlog=1024)
        self._threads = threads
        self._server: Any = None

    @property
    def url(self) -> str:
        """Return the address, without a slash at the end."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def serve(self, application: Application) -> None:
        """Begin to answer with this application."""
        self._application = application
        self.start()

    def start(self) -> None:
        """Begin to answer."""
        self._server = create_server(
            self._application,
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
        """Take no more requests; those that run are cut off."""
        if self._server is None:
            self._socket.close()
            return
        server, sockets = self._server, self._server._map  # noqa: SLF001 -- it has no other end

        def end() -> None:
            # Requests that still run would wake the loop by a descriptor that is another's by then.
            server.pull_trigger = lambda: None
            wasyncore.close_all(sockets, ignore_all=True)

        # From inside its own loop, which ends once it watches nothing any more.
        server.trigger.pull_trigger(end)
        server.task_dispatcher.shutdown(cancel_pending=True, timeout=1)
