"""Scripts and styles of the pages, at addresses that change with their content."""

import hashlib
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.api.pages.content import Content, content_of

_OWN: Final = Path(__file__).with_name("static")
_TYPES: Final[Mapping[str, str]] = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_VERSION_CHARS: Final = 16


class AssetsMissingError(Exception):
    """The viewer of the reference is not installed; the text names the command."""


class Assets:
    """Files by name: those of this room, and those that the layer `pages` has."""

    def __init__(self, folder: Path) -> None:
        """Read all files; raises AssetsMissingError if `folder` has none."""
        if not any(folder.glob("*.js")):
            message = f"{folder} has no script: it comes with the layer `pages`; run: make setup"
            raise AssetsMissingError(message)
        self._files = {
            path.name: (path.read_bytes(), _TYPES[path.suffix])
            for each in (_OWN, folder)
            for path in sorted(each.iterdir())
            if path.suffix in _TYPES
        }
        self._lock = threading.Lock()
        self._contents: dict[str, Content] = {}
        digest = hashlib.sha256()
        for name, (content, _) in sorted(self._files.items()):
            digest.update(f"{name} {len(content)}\n".encode() + content)
        self.version: Final = digest.hexdigest()[:_VERSION_CHARS]

    def path(self, name: str) -> str:
        """Return the path of a file's address; a changed file has another."""
        assert name in self._files, name
        return f"/assets/{self.version}/{name}"

    def find(self, name: str) -> Content | None:
        """Return a file, compressed at its first use, or None if there is none of this name."""
        if name not in self._files:
            return None
        with self._lock:
            if name not in self._contents:
                self._contents[name] = content_of(*self._files[name])
            return self._contents[name]


@cache
def assets(folder: str) -> Assets:
    """Return the files of this process; `folder` is that of the layer."""
    return Assets(Path(folder))
