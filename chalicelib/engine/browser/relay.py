"""Passes bytes on between two connections, both ways at once and without a second thread."""

import contextlib
import select
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_CHUNK: Final = 65_536

# What is passed on in place of a piece that has come; may raise to end it all.
type Change = Callable[[bytes], bytes]


def relay(
    client: socket.socket, server: socket.socket, up: Change, down: Change, idle_s: float
) -> None:
    """Pass on until one end has closed, or nothing has come for `idle_s`; raises OSError."""
    ways = (_Way(client, server, up), _Way(server, client, down))
    ends = (client, server)
    poller, watched = select.poll(), dict.fromkeys(ends, 0)
    for end in ends:
        end.settimeout(0)
    while True:
        for end in ends:
            events = ways[0].events(end) | ways[1].events(end)
            if events != watched[end]:
                _watch(poller, end, watched[end], events)
                watched[end] = events
        ready = {number for number, _ in poller.poll(1000 * idle_s)}
        if not ready:
            return
        for way in ways:
            if way.waits_for in ready and not way.go_on():
                return


@dataclass(slots=True)
class _Way:
    """One direction: what cannot be written yet is kept, and no more is read until it is."""

    source: socket.socket
    sink: socket.socket
    change: Change
    kept: bytes = b""

    @property
    def waits_for(self) -> int:
        return (self.sink if self.kept else self.source).fileno()

    def events(self, end: socket.socket) -> int:
        if self.kept:
            return select.POLLOUT if end is self.sink else 0
        return select.POLLIN if end is self.source else 0

    def go_on(self) -> bool:
        """Read and write as much as is possible at once; tell whether there may be more."""
        with contextlib.suppress(BlockingIOError):
            if not self.kept:
                piece = self.source.recv(_CHUNK)
                if not piece:
                    return False
                self.kept = self.change(piece)
            if self.kept:
                self.kept = self.kept[self.sink.send(self.kept) :]
        return True


def _watch(poller: select.poll, end: socket.socket, before: int, events: int) -> None:
    """Look for events; for none at all, as a connection that was hung up would be told for ever."""
    if events:
        poller.register(end, events)
    elif before:
        poller.unregister(end)
