"""Guarded egress over a fake network that records the dialled addresses."""

import socket
from collections.abc import Sequence

import pytest

from chalicelib.adapters.net.egress import GuardedEgress
from tests.builders.waiting import PATIENCE_S

type Dialled = list[tuple[str, int]]


@pytest.fixture
def dialled(monkeypatch: pytest.MonkeyPatch) -> Dialled:
    """Record the dialled addresses; an address with `dead` in it does not answer."""
    seen: Dialled = []

    def connect(place: tuple[str, int], timeout: float) -> socket.socket:
        assert timeout > 0
        seen.append(place)
        if "dead" in place[0]:
            raise ConnectionRefusedError
        return socket.socket()

    monkeypatch.setattr(socket, "create_connection", connect)
    return seen


def egress_for(*addresses: str, allow: str = "", own: Sequence[str] = ()) -> GuardedEgress:
    """Return an egress whose resolver gives these IP addresses for every name."""
    return GuardedEgress(
        allow=allow, own_hosts=frozenset(own), resolve=lambda _host, _port: list(addresses)
    )


def dial(egress: GuardedEgress, host: str = "name.example", port: int = 443) -> None:
    egress.dial(host, port, timeout_s=PATIENCE_S).close()
