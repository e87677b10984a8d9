"""Entrance of the gateway: a request runs until its last piece is sent."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from infra.local.gateway.entrance import Entrance


def start(_status: str, _headers: list[tuple[str, str]]) -> None:
    """Take the head of an answer."""


def pieces(_environ: Mapping[str, Any], _start: Any) -> Iterator[bytes]:
    yield b"a"
    yield b"b"


def test_a_download_runs_until_it_is_closed() -> None:
    entrance = Entrance(pieces)

    answer = entrance({}, start)
    assert list(answer) == [b"a", b"b"]
    assert entrance.running == 1

    answer.close()  # type: ignore[attr-defined]
    assert entrance.running == 0


def test_a_failed_request_has_ended() -> None:
    def fail(_environ: Mapping[str, Any], _start: Any) -> list[bytes]:
        raise OSError("the disk is gone")

    entrance = Entrance(fail)

    with pytest.raises(OSError, match="disk"):
        entrance({}, start)
    assert entrance.running == 0


def test_a_closed_entrance_lets_nothing_in() -> None:
    entrance = Entrance(pieces)
    entrance.close()

    assert b"stops" in b"".join(entrance({}, start))
    assert entrance.running == 0
