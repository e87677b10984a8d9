"""Crash points: numbered places at which a test ends this process; elsewhere they do nothing."""

import os
import signal
from enum import IntEnum
from pathlib import Path


class CrashPoint(IntEnum):
    """After what the process ends; the name begins with the function that stands there."""

    API_ADMITTED = 1
    API_BODY_KEPT = 2
    API_CREATED = 3
    API_ENQUEUED = 4
    API_RAN = 5
    API_LATE_BODY_KEPT = 6
    API_LATE_LEFT = 7
    API_ENDED = 8

    RENDER_BEGUN = 10
    RENDER_CLAIMED = 11
    RENDER_MADE = 12
    RENDER_STORED = 13
    RENDER_FINISHED = 14
    RENDER_SETTLED = 15
    RENDER_FACT_SENT = 16

    RELAY_BEGUN = 20
    RELAY_SETTLED = 21
    RELAY_CLEARED = 22
    RELAY_TOLD = 23

    TICK_BEGUN = 30
    TICK_CLAIMED = 31
    TICK_SENT = 32

    UPKEEP_BEGUN = 40
    UPKEEP_POSTPONED = 41
    UPKEEP_RESENT = 42
    UPKEEP_ENDED = 43
    UPKEEP_PURGE_MARKED = 44
    UPKEEP_PURGED = 45
    UPKEEP_RECONCILED = 46

    DEAD_LETTERS_ENDED = 50
    DEAD_LETTERS_RECORDED = 51


class _Armed:
    folder: Path | None = None


def arm(folder: str) -> None:
    """Let the files of this folder say where to end: each is a point's number, with hits left."""
    _Armed.folder = Path(folder) if folder else None


def here(point: CrashPoint) -> None:
    """End the process, as `kill -9` does, when this is the last hit that its file allows."""
    if _Armed.folder is None:
        return
    file = _Armed.folder / str(int(point))
    try:
        left = int(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    if left > 1:
        file.write_text(str(left - 1), encoding="utf-8")
        return
    file.unlink()
    os.kill(os.getpid(), signal.SIGKILL)
