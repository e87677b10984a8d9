"""State of a bucket at one moment, kept by hard links while the store goes on.

A backup in another process says when the moment is. From then on the store links each file that it
removes or replaces into the folder of the moment first; the backup links all others. The first
link of a name wins, so the folder ends up with each file as it was at the moment. Files that were
written later are in it as well: no row of that moment names them.
"""

import fcntl
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

_KEPT: Final = ("keys", "uploads")
_FOLDER: Final = "moment"
_PATIENCE_S: Final = 2.0
_PAUSE_S: Final = 0.02


class MomentTakenError(Exception):
    """Another backup is keeping a moment of this bucket."""


class MomentLostError(Exception):
    """The store could not keep a file, as on a full disk; the service goes before its backup."""


class Moment:
    """Moment of one bucket; one backup at a time keeps it."""

    def __init__(self, bucket: Path) -> None:
        """Know the bucket's folder, which is there."""
        self._bucket = bucket
        self._open = bucket / _FOLDER
        # Shared by changes, exclusive while a moment begins.
        self._turn = bucket / f"{_FOLDER}.turn"
        # Held by a living backup.
        self._holder = bucket / f"{_FOLDER}.holder"

    @contextmanager
    def changing(self) -> Iterator[Callable[[Path], None]]:
        """Give the function that is called with each file before it is removed or replaced."""
        with _lock(self._turn, fcntl.LOCK_SH):
            is_kept = self._open.is_dir() and self._has_holder()
            yield self._keep if is_kept else _leave

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Be the only backup of the bucket; raises MomentTakenError."""
        with ExitStack() as held:
            self._become_holder(held)
            self._forget()
            held.callback(self._forget)
            yield

    def _become_holder(self, held: ExitStack) -> None:
        end = time.monotonic() + _PATIENCE_S
        while True:
            try:
                held.enter_context(_lock(self._holder, fcntl.LOCK_EX | fcntl.LOCK_NB))
            except BlockingIOError:
                # A look for a holder holds it for an instant, too.
                if time.monotonic() > end:
                    raise MomentTakenError from None
                time.sleep(_PAUSE_S)
            else:
                return

    @contextmanager
    def begin(self) -> Iterator[None]:
        """Begin the moment, while it is held: nothing is removed or replaced in the block."""
        with _lock(self._turn, fcntl.LOCK_EX):
            self._open.mkdir(0o700)
            yield

    def link_all(self) -> Path:
        """Link all files, and return the folder that has them; raises MomentLostError.

        Afterwards the store keeps nothing more.
        """
        for kept in _KEPT:
            for file in _files(self._bucket / kept):
                # The store has linked it before it was removed.
                with suppress(FileNotFoundError):
                    self._link(file)
        whole = self._bucket / f"{_FOLDER}.whole"
        with _lock(self._turn, fcntl.LOCK_EX):
            try:
                self._open.rename(whole)
            except FileNotFoundError:
                raise MomentLostError from None
        return whole

    def remove_leftovers(self) -> None:
        """Remove the links of a backup that was killed."""
        with suppress(BlockingIOError), _lock(self._holder, fcntl.LOCK_EX | fcntl.LOCK_NB):
            self._forget()

    def _forget(self) -> None:
        with _lock(self._turn, fcntl.LOCK_EX):
            self._give_up()
        for folder in self._bucket.glob(f"{_FOLDER}*"):
            if folder.is_dir():
                shutil.rmtree(folder, ignore_errors=True)

    def _has_holder(self) -> bool:
        try:
            with _lock(self._holder, fcntl.LOCK_SH | fcntl.LOCK_NB):
                return False
        except BlockingIOError:
            return True

    def _keep(self, file: Path) -> None:
        try:
            self._link(file)
        except (FileNotFoundError, NotADirectoryError):
            return
        except (OSError, MomentLostError):
            self._give_up()

    def _give_up(self) -> None:
        with suppress(FileNotFoundError):
            self._open.rename(self._open.with_name(f"{_FOLDER}.{uuid.uuid4().hex}"))

    def _link(self, file: Path) -> None:
        link = self._open / file.relative_to(self._bucket)
        with suppress(FileExistsError):
            try:
                os.link(file, link)
            except FileNotFoundError:
                if not self._open.is_dir():
                    raise MomentLostError from None
                link.parent.mkdir(0o700, parents=True, exist_ok=True)
                os.link(file, link)


def _leave(_: Path) -> None:
    """Keep nothing: no backup runs."""


@contextmanager
def _lock(path: Path, operation: int) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, operation)
        try:
            yield
        finally:
            # A child that is just being made has the descriptor, too.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)


def _files(folder: Path) -> Iterator[Path]:
    def check(fault: OSError) -> None:
        if not isinstance(fault, FileNotFoundError):
            raise fault

    for path, _, names in os.walk(folder, onerror=check):
        yield from (Path(path, name) for name in names)
