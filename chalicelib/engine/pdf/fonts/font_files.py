"""Bundled fonts of a process that opens no files later."""

import mmap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import override


class FontsMissingError(Exception):
    """The bundled fonts are not installed."""


def check_fonts(folder: Path) -> None:
    """Raise FontsMissingError for a folder without fonts: a tool would blame its sources."""
    if not any(folder.glob("ttf/*.ttf")):
        message = (
            f"{folder} holds no fonts: they come with the layer `fonts`; on one machine run: "
            "make setup"
        )
        raise FontsMissingError(message)


class FontFiles(Mapping[str, bytes]):
    """Font files by name; the kernel reads their pages when they are used."""

    def __init__(self, folder: Path) -> None:
        """Map the fonts of the bundle in `folder`."""
        self._files = {path.name: _map_file(path) for path in sorted(folder.glob("ttf/*.ttf"))}
        self._contents: dict[str, bytes] = {}

    @override
    def __getitem__(self, name: str) -> bytes:
        """Return the bytes of a font; raises KeyError."""
        if name not in self._contents:
            self._contents[name] = bytes(self._files[name])
        return self._contents[name]

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    @override
    def __len__(self) -> int:
        return len(self._files)


def _map_file(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ, trackfd=False)
