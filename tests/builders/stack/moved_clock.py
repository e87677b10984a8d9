"""A clock that jumps, for processes that a test starts: the machine's own clock stays."""

import mmap
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_SOURCE: Final = Path(__file__).with_suffix(".c")
_OFFSET: Final = struct.Struct("q")


class MovedClock:
    """Offset of the time of day, in whole seconds; zero at first."""

    def __init__(self, folder: Path) -> None:
        """Build the library in a folder, which every user may read."""
        self._folder = folder
        self._file = folder / "offset"
        self._file.write_bytes(_OFFSET.pack(0))
        library = folder / "clock.so"
        define = f'-DOFFSET_FILE="{self._file}"'
        _run("cc", "-shared", "-fPIC", "-O2", define, "-o", str(library), str(_SOURCE), "-ldl")
        # A copy of /etc that has the library loaded into every process.
        shutil.copytree("/etc", folder / "etc", symlinks=True)
        (folder / "etc" / "ld.so.preload").write_text(f"{library}\n")

    def move(self, seconds: int) -> None:
        """Set the offset, of all processes at once."""
        with self._file.open("r+b") as file, mmap.mmap(file.fileno(), _OFFSET.size) as page:
            page[:] = _OFFSET.pack(seconds)

    @contextmanager
    def given(self) -> Iterator[None]:
        """Let processes that this thread starts in the block have this clock, and their children.

        Needs the rights of root.
        """
        own = os.open("/proc/thread-self/ns/mnt", os.O_RDONLY)
        try:
            os.unshare(os.CLONE_NEWNS)
            _run("mount", "--make-rprivate", "/")
            _run("mount", "--bind", str(self._folder / "etc"), "/etc")
            yield
        finally:
            os.setns(own, os.CLONE_NEWNS)
            os.close(own)


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
