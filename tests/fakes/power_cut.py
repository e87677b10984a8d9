"""Disk that knows what a power cut would leave: synced content under synced names."""

import os
from contextlib import suppress
from pathlib import Path
from typing import override

from infra.local.objects.disk import Disk


class CuttableDisk(Disk):
    """Disk that remembers what was synced; each sync fails while `is_full`."""

    def __init__(self) -> None:
        self.is_full = False
        self.syncs = 0
        self._contents: set[int] = set()
        self._names: dict[Path, dict[str, int]] = {}

    @override
    def sync_file(self, descriptor: int) -> None:
        self._count()
        self._contents.add(os.fstat(descriptor).st_ino)

    @override
    def sync_folder(self, path: Path) -> None:
        self._count()
        names = {}
        with os.scandir(path) as entries:
            for entry in entries:
                # Another thread may remove it meanwhile.
                with suppress(FileNotFoundError):
                    names[entry.name] = entry.stat().st_ino
        self._names[path] = names

    def survives(self, root: Path, path: Path) -> bool:
        """Tell whether a file below a root that is on the disk would be there, and whole."""
        folder = root
        for name in path.relative_to(root).parts:
            inode = (folder / name).stat().st_ino if (folder / name).exists() else None
            if self._names.get(folder, {}).get(name) != inode or inode is None:
                return False
            folder /= name
        return path.stat().st_ino in self._contents

    def comes_back(self, root: Path, path: Path) -> bool:
        """Tell whether a file that was deleted below a root would have its name again."""
        below = path.relative_to(root).parts
        folders = [root.joinpath(*below[:depth]) for depth in range(len(below))]
        return all(
            name in self._names.get(folder, {}) for folder, name in zip(folders, below, strict=True)
        )

    def _count(self) -> None:
        if self.is_full:
            raise OSError(28, "No space left on device")
        self.syncs += 1
