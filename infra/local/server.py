"""WSGI servers; they bind at creation, so a taken port is found before the start.

They listen on loopback unless told otherwise, and answer to their own hosts only (decision 58).
"""

import contextlib
import ipaddress
import logging
import socket
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, override

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import WSGITask

from infra.local.access.hosts import OwnHosts
from infra.local.access.wsgi import Application, own_hosts_only

# Of an upload by form; the applications refuse smaller bodies, as AWS does.
_MAX_READ_BYTES: Final = 210 * 1024 * 1024
# Larger bodies wait in files.
_MAX_IN_MEMORY_BYTES: Final = 1024 * 1024
# As waitress writes names of headers.
_METADATA: Final = b"X-Amz-Meta-"


@dataclass(frozen=True, slots=True)
class Address:
    """Address to listen on: a name or an IP address, and a port; 0 takes a free one."""

    host: str = "127.0.0.1"
    port: int = 0

    @property
    def url_host(self) -> str:
        """Return the host as a URL has it; this machine, where it means all addresses."""
        with contextlib.suppress(ValueError):
            address = ipaddress.ip_address(self.host)
            if address.is_unspecified:
                return "127.0.0.1"
            return f"[{address}]" if address.version == 6 else str(address)  # noqa: PLR2004
        return self.host

    def hosts(self, public: Iterable[str] = ()) -> OwnHosts:
        """Return the hosts that a server on this address answers to, with `public` ones."""
        takes_addresses = self.host != "127.0.0.1"
        return OwnHosts((*public, self.url_host.strip("[]")), takes_addresses=takes_addresses)

    def bind(self) -> socket.socket:
        """Return a listening socket; raises OSError."""
        family, *_, address = socket.getaddrinfo(
            self.host, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        # `::` means all addresses, those of IPv4 as well.
        is_dual = family == socket.AF_INET6 and self.host == "::" and socket.has_dualstack_ipv6()
        return socket.create_server(address, family=family, backlog=1024, dualstack_ipv6=is_dual)


class _Task(WSGITask):  # type: ignore[misc]  # waitress has no types
    """Answer whose names of metadata stay in lower case, as S3 sends them."""

    @override
    def build_response_header(self) -> bytes:
        head: bytes = super().build_response_header()
        if _METADATA not in head:
            return head
        lines = head.split(b"\r\n")
        names = [line.partition(b":") for line in lines]
        return b"\r\n".join(
            name.lower() + colon + value if name.startswith(_METADATA) else line
            for line, (name, colon, value) in zip(lines, names, strict=True)
        )


class _Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """Connection that also answers a request that asks whether to send its body, and has none.

    waitress 3 waits for that body for ever.
    """

    task_class = _Task

    @override
    def send_continue(self) -> None:
        is_completed = self.request.completed
        super().send_continue()
        self.request.completed = is_completed


class WsgiServer:
    """One listening socket and its worker threads."""

    def __init__(
        self,
        application: Application | None = None,
        *,
        threads: int,
        address: Address = Address(),
        hosts: OwnHosts | None = None,
        max_body_bytes: int = _MAX_READ_BYTES,
    ) -> None:
        """Bind the address; raises OSError when its port is taken.

        Other hosts than `hosts` are refused, by default than those of the address.
        """
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self._application = application
        self._address = address
        self._max_body_bytes = max_body_bytes
        self._socket = address.bind()
        self._threads = threads
        self.hosts = hosts or address.hosts()
        self._server: Any = None

    @property
    def url(self) -> str:
        """Return the URL, without a trailing slash."""
        return f"http://{self._address.url_host}:{self._socket.getsockname()[1]}"

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
            max_request_body_size=self._max_body_bytes,
            inbuf_overflow=_MAX_IN_MEMORY_BYTES,
            outbuf_overflow=_MAX_READ_BYTES,
            ident="",
            clear_untrusted_proxy_headers=False,
        )
        self._server.channel_class = _Channel
        threading.Thread(target=self._server.run, daemon=True).start()

    def adopt(self, connection: socket.socket, client: Any) -> None:
        """Serve a connection that was accepted elsewhere, from a client with this address."""
        server = self._server

        def open_channel() -> None:
            server.channel_class(server, connection, client, server.adj, map=server._map)  # noqa: SLF001 -- no public way to add one

        server.trigger.pull_trigger(open_channel)

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
