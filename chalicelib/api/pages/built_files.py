"""Files that the set-up has built; each is read at its first use."""

import threading
from collections.abc import Callable, Container
from pathlib import Path
from typing import Final

from chalicelib.api.pages.content import Content


class BuiltFiles:
    """Files of a folder by their paths in it, of any thread."""

    def __init__(
        self, folder: Path, suffixes: Container[str], read: Callable[[Path], Content]
    ) -> None:
        """List the files with one of the suffixes; `read` gives the content of one."""
        self._paths: Final = {
            path.relative_to(folder).as_posix(): path
            for path in folder.rglob("*")
            if path.suffix in suffixes
        }
        self._read = read
        self._lock = threading.Lock()
        self._contents: dict[str, Content] = {}

    def __contains__(self, name: str) -> bool:
        """Tell whether there is a file at a path."""
        return name in self._paths

    def find(self, name: str) -> Content | None:
        """Return the file at a path, or None if there is none."""
        path = self._paths.get(name)
        if path is None:
            return None
        with self._lock:
            if name not in self._contents:
                self._contents[name] = self._read(path)
            return self._contents[name]
