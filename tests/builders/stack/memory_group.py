"""Memory limit for a process and its descendants, those to come included."""

import contextlib
import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psutil

_V1: Final = Path("/sys/fs/cgroup/memory")
_V2: Final = Path("/sys/fs/cgroup")
# Of the data of one process, where groups cannot be made.
_SHARE_OF_ONE: Final = 0.1


@contextlib.contextmanager
def limited_memory(pid: int, size: int) -> Iterator[None]:
    """Limit the memory that processes take from now on to `size` bytes in all, inside the block.

    By a control group; where none can be made, by limits of the browsers that run.
    """
    root = psutil.Process(pid)
    members = [root, *root.children(recursive=True)]
    folder, file = (_V1, "memory.limit_in_bytes") if _V1.is_dir() else (_V2, "memory.max")
    group = folder / f"platen-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        limit = int(size * _SHARE_OF_ONE)
        for member in members:
            with contextlib.suppress(psutil.Error):
                if member.name() == "chromium":
                    member.rlimit(resource.RLIMIT_DATA, (limit, limit))
        yield
        return
    (group / file).write_text(str(size), encoding="ascii")
    try:
        _move(members, group)
        yield
    finally:
        _move([root, *root.children(recursive=True)], folder)
        # A process that is ending still belongs to the group.
        with contextlib.suppress(OSError):
            group.rmdir()


def _move(processes: list[psutil.Process], group: Path) -> None:
    for process in processes:
        with contextlib.suppress(OSError):
            (group / "cgroup.procs").write_text(str(process.pid), encoding="ascii")
