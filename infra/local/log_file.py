"""Log file of the functions and the gateway, rotated at a fixed size."""

import datetime as dt
import logging
import os
from collections.abc import Iterator
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final, override

MAX_BYTES: Final = 5_000_000
BACKUPS: Final = 3


class LogFile:
    """Log of one stack, one JSON object per line; rotation drops the oldest lines."""

    def __init__(
        self, path: Path, *, max_bytes: int = MAX_BYTES, is_continued: bool = False
    ) -> None:
        """Start a log at `path`; removes the log of an earlier stack unless it is continued."""
        for old in () if is_continued else log_files(path):
            old.unlink()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = _PrivateFileHandler(
            path, maxBytes=max_bytes, backupCount=BACKUPS, encoding="utf-8", errors="replace"
        )

    def append(self, line: str) -> None:
        """Append one line."""
        self._file.handle(logging.makeLogRecord({"msg": line}))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def log_files(path: Path) -> Iterator[Path]:
    """Yield the files that a log at `path` consists of, oldest lines first."""
    names = [*(f"{path.name}.{n}" for n in range(BACKUPS, 0, -1)), path.name]
    yield from (file for name in names if (file := path.with_name(name)).exists())


def lines_of_request(path: Path, request_id: str, _since: dt.datetime) -> Iterator[str]:
    """Yield the lines of a log that contain a request id.

    `_since` is unused, as the log holds nothing older than its stack.
    """
    for file in log_files(path):
        with file.open(encoding="utf-8", errors="replace", newline="\n") as lines:
            yield from (line for line in lines if request_id in line)


class _PrivateFileHandler(RotatingFileHandler):
    """Log file that only its owner can read: a traceback in it may show more than ids."""

    @override
    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return open(descriptor, "a", encoding=self.encoding, errors=self.errors)  # noqa: PTH123
