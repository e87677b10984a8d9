"""Files that outlast a power cut: each step is on the disk before the next one begins.

A file is written under another name, synced, renamed, and then the folder that has its name is
synced (fsync(2), rename(2)). A folder that is made is synced in its parent first.
"""

import contextlib
import os
import threading
from pathlib import Path
from typing import Final

from infra.local.objects.moment import Moment

# Folders that this process knows to be on the disk; a folder that it forgets is synced again.
_MAX_KNOWN: Final = 50_000


class Disk:
    """Calls that return when the disk has what they are about."""

    def sync_file(self, descriptor: int) -> None:
        """Sync the content of an open file."""
        os.fsync(descriptor)

    def sync_folder(self, path: Path) -> None:
        """Sync the names in a folder."""
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class FolderTree:
    """Folders below a root, made when a file needs them and removed with their last file."""

    def __init__(self, root: Path, disk: Disk) -> None:
        """Make the root, which must not be used by another process."""
        self.root = root
        self.disk = disk
        self._known: set[Path] = set()
        self._lock = threading.Lock()
        self._moment = Moment(root.parent)
        root.mkdir(mode=0o700, exist_ok=True)
        disk.sync_folder(root.parent)

    def place(self, incoming: Path, path: Path) -> None:
        """Give a synced file the name `path`, and sync that name."""
        folder = path.parent
        while True:
            self._make(folder)
            try:
                with self._moment.changing() as keep:
                    keep(path)
                    incoming.rename(path)
            except FileNotFoundError:
                if not incoming.exists():
                    raise
                # The folder's last file was deleted meanwhile, and the folder with it. Another
                # thread may have made it again by now.
                with self._lock:
                    self._known.discard(folder)
                continue
            break
        self.disk.sync_folder(folder)

    def remove(self, *paths: Path) -> None:
        """Remove files, and folders that are empty then; absent ones are not an error."""
        changed = set()
        with self._moment.changing() as keep:
            for path in paths:
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                    keep(path)
                    path.unlink()
                    changed.add(path.parent)
        for folder in {self._prune(each) for each in changed}:
            with contextlib.suppress(FileNotFoundError):
                self.disk.sync_folder(folder)

    def _make(self, folder: Path) -> None:
        """Make a folder and its parents, each synced, unless they are known."""
        if folder in self._known or folder == self.root:
            return
        with self._lock:
            missing = []
            while folder != self.root and folder not in self._known:
                missing.append(folder)
                folder = folder.parent
            for each in reversed(missing):
                # One that is there may stem from a process that was killed before it synced.
                with contextlib.suppress(FileExistsError):
                    each.mkdir(0o700)
                self.disk.sync_folder(each.parent)
            if len(self._known) + len(missing) > _MAX_KNOWN:
                self._known.clear()
            self._known.update(missing)

    def _prune(self, folder: Path) -> Path:
        """Remove a folder and its parents as far as they are empty; return the first that stays."""
        with self._lock:
            while folder != self.root:
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    pass
                except OSError:
                    break
                self._known.discard(folder)
                folder = folder.parent
            return folder
