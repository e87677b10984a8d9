"""TLS in front of the gateway, which has none: each connection is passed on after its handshake.

The gateway takes the far end of a pair of sockets as if it had accepted the client's connection
itself, with the client's address. So nobody can forge an address, and no port is open for it.
"""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Any, Final

from infra.serve.certificate import Certificate, CertificateError

_MAX_CONNECTIONS: Final = 900
_HANDSHAKE_S: Final = 10.0
_SHUTDOWN_S: Final = 5.0
_LINGER_S: Final = 30.0
_LOOK_S: Final = 1.0
_PIECE_BYTES: Final = 64 * 1024

type Adopt = Callable[[socket.socket, Any], None]


class TlsFront:
    """Thread that ends TLS on a listening socket."""

    def __init__(
        self,
        listener: socket.socket,
        certificate: Certificate,
        adopt: Adopt,
        note: Callable[[str], None],
    ) -> None:
        """Pass connections to `adopt`, and say with `note` what became of a changed certificate."""
        listener.settimeout(0)
        self._listener = listener
        self._certificate = certificate
        self._adopt = adopt
        self._note = note
        self._loop = asyncio.new_event_loop()
        self._main: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Take connections from now on."""
        self._main = self._loop.create_task(self._serve())
        self._thread.start()

    def close(self) -> None:
        """Take no more connections, and let those that are open send what they hold."""
        if self._main is not None:
            self._loop.call_soon_threadsafe(self._main.cancel)
            self._thread.join()
        self._listener.close()
        self._loop.close()

    def _run(self) -> None:
        assert self._main is not None
        with contextlib.suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._main)

    async def _serve(self) -> None:
        relays: set[asyncio.Task[None]] = set()
        looking = self._loop.create_task(self._look_at_files())
        try:
            await self._accept(relays)
        finally:
            looking.cancel()
            if relays:
                _, late = await asyncio.wait(relays, timeout=_SHUTDOWN_S)
                for relay in late:
                    relay.cancel()
                await asyncio.gather(*late, return_exceptions=True)

    async def _accept(self, relays: set[asyncio.Task[None]]) -> None:
        places = asyncio.Semaphore(_MAX_CONNECTIONS)
        while True:
            await places.acquire()
            try:
                connection, client = await self._loop.sock_accept(self._listener)
            except OSError:
                # Without free descriptors the next call fails at once, too.
                places.release()
                await asyncio.sleep(_LOOK_S)
                continue
            relay = self._loop.create_task(self._relay(connection, client))
            relays.add(relay)
            relay.add_done_callback(relays.discard)
            relay.add_done_callback(lambda _: places.release())

    async def _relay(self, connection: socket.socket, client: Any) -> None:
        with connection, contextlib.suppress(OSError):
            outside = await self._shake_hands(connection)
            near, far = socket.socketpair()
            self._adopt(far, client)
            inside = await asyncio.open_connection(sock=near, limit=_PIECE_BYTES)
            ways = [
                self._loop.create_task(_pump(outside[0], inside[1])),
                self._loop.create_task(_pump(inside[0], outside[1])),
            ]
            try:
                # An end of either side is that of both: TLS is not closed one way only.
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
                for _, writer in (inside, outside):
                    writer.close()
            try:
                # What is written is sent before the connection ends, if the client takes it.
                await asyncio.wait_for(outside[1].wait_closed(), _LINGER_S)
            finally:
                outside[1].transport.abort()

    async def _shake_hands(
        self, connection: socket.socket
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        reader = asyncio.StreamReader(limit=_PIECE_BYTES)
        protocol = asyncio.StreamReaderProtocol(reader)
        transport, _ = await self._loop.connect_accepted_socket(
            lambda: protocol,
            connection,
            ssl=self._certificate.context,
            ssl_handshake_timeout=_HANDSHAKE_S,
            ssl_shutdown_timeout=_SHUTDOWN_S,
        )
        return reader, asyncio.StreamWriter(transport, protocol, reader, self._loop)

    async def _look_at_files(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_S)
            try:
                if self._certificate.refresh():
                    self._note("the TLS certificate has changed; new connections have the new one")
            except CertificateError as fault:
                self._note(f"warning: the TLS certificate stays the former one: {fault}")


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass bytes on until the reader's side ends, no faster than the writer's side takes them."""
    while piece := await reader.read(_PIECE_BYTES):
        writer.write(piece)
        await writer.drain()
