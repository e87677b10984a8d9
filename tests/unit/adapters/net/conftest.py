"""A door in a world of the test's own, and whom it has dialled."""

import socket
from collections.abc import Sequence

import pytest

from chalicelib.adapters.net.egress import GuardedEgress

type Dialled = list[tuple[str, int]]


@pytest.fixture
def dialled(monkeypatch: pytest.MonkeyPatch) -> Dialled:
    """Return whom was dialled; who has `dead` in the address does not answer."""
    seen: Dialled = []

    def connect(place: tuple[str, int], timeout: float) -> socket.socket:
        assert timeout > 0
        seen.append(place)
        if "dead" in place[0]:
            raise ConnectionRefusedError
        return socket.socket()

    monkeypatch.setattr(socket, "create_connection", connect)
    return seen


def door(*addresses: str, allow: str = "", own: Sequence[str] = ()) -> GuardedEgress:
    """Return a door in whose world every name has these addresses."""
    return GuardedEgress(
        allow=allow, own_hosts=frozenset(own), resolve=lambda _host, _port: list(addresses)
    )


def dial(egress: GuardedEgress, host: str = "name.example", port: int = 443) -> None:
    egress.dial(host, port, timeout_s=5).close()
