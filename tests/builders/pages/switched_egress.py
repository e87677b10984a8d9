"""Egress of a browser that many tests share: it leads where the running test lets it."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from chalicelib.engine.ports import Egress, FetchResponse, NoEgress
from tests.builders.pages.engine_jobs import egress_to
from tests.builders.pages.web_site import Site


class SwitchedEgress:
    """Egress that refuses everything, except where a block opens it."""

    def __init__(self) -> None:
        self._open: Egress = NoEgress()

    @contextmanager
    def through(self, egress: Egress) -> Iterator[None]:
        """Use another egress during the block."""
        before, self._open = self._open, egress
        try:
            yield
        finally:
            self._open = before

    @contextmanager
    def to(self, *sites: Site) -> Iterator[None]:
        """Lead to these sites alone during the block."""
        with self.through(egress_to(*sites)):
            yield

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        return self._open.dial(host, port, timeout_s=timeout_s)

    def fetch(
        self, url: str, *, max_bytes: int, timeout_s: float, https_only: bool = False
    ) -> FetchResponse:
        return self._open.fetch(
            url, max_bytes=max_bytes, timeout_s=timeout_s, https_only=https_only
        )

    def refusal(self, url: str, *, timeout_s: float, https_only: bool = False) -> str | None:
        return self._open.refusal(url, timeout_s=timeout_s, https_only=https_only)
