"""Crash points: they kill a process only where a file says so."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.core import crash_points
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from tests.builders.threads import at_once


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, int]]]:
    """Give the signals sent to processes, which are not killed."""
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda *signal_: sent.append(signal_))
    yield sent
    crash_points.arm("", lambda: None)


def test_crash_points_are_inactive_without_a_folder(
    killed: list[tuple[int, int]], tmp_path: Path
) -> None:
    (tmp_path / "12").write_text("1")

    crash_if_armed(CrashPoint.RENDER_MADE)

    assert killed == []


def test_crash_point_exits_at_the_listed_hits(
    killed: list[tuple[int, int]], tmp_path: Path
) -> None:
    crash_points.arm(str(tmp_path), lambda: None)
    (tmp_path / "12").write_text("2 1")
    deaths = []
    for _ in range(5):
        crash_if_armed(CrashPoint.RENDER_MADE)
        crash_if_armed(CrashPoint.RENDER_STORED)
        deaths.append(len(killed))

    assert deaths == [0, 1, 2, 2, 2]
    assert killed == [(os.getpid(), signal.SIGKILL)] * 2
    assert list(tmp_path.iterdir()) == []


def test_crash_point_of_one_request_affects_no_other(
    killed: list[tuple[int, int]], tmp_path: Path
) -> None:
    requests = iter(["req_2", "req_1"])
    crash_points.arm(str(tmp_path), lambda: next(requests))
    (tmp_path / "12.req_1").write_text("1")

    crash_if_armed(CrashPoint.RENDER_MADE)
    assert killed == []
    crash_if_armed(CrashPoint.RENDER_MADE)
    assert len(killed) == 1


def test_threads_count_each_hit_once(killed: list[tuple[int, int]], tmp_path: Path) -> None:
    crash_points.arm(str(tmp_path), lambda: None)
    (tmp_path / "12").write_text("16 16")

    at_once(lambda: crash_if_armed(CrashPoint.RENDER_MADE))

    assert len(killed) == 2
    assert list(tmp_path.iterdir()) == []
