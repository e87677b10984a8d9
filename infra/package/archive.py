"""Archives that depend on nothing but what they hold: same files, same bytes, whenever built."""

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_TIME: Final = (1980, 1, 1, 0, 0, 0)
_UNIX: Final = 3
_REGULAR: Final = 0o100644
_EXECUTABLE: Final = 0o100755
# Deflating what is compressed already costs seconds and saves nothing.
_PACKED: Final = frozenset({".br"})


def write(target: Path, files: Mapping[str, Path]) -> str:
    """Write the files under their names; return the SHA-256 of names, modes and contents.

    An archive that holds just these already, as its comment says, is left as it is.
    """
    digest = _digest(files)
    if _comment(target) == digest:
        return digest
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(".part")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(_entry(name, files[name]), files[name].read_bytes())
        archive.comment = digest.encode()
    unfinished.rename(target)
    return digest


def unpacked_bytes(archive: Path) -> int:
    """Return the size of what an archive holds."""
    with zipfile.ZipFile(archive) as opened:
        return sum(entry.file_size for entry in opened.infolist())


def tree(folder: Path, prefix: str = "") -> dict[str, Path]:
    """Return every file below a folder by its name in the archive."""
    return {
        prefix + path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.is_file()
    }


def _entry(name: str, source: Path) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _TIME)
    entry.create_system = _UNIX
    entry.external_attr = _mode(source) << 16
    stored = Path(name).suffix in _PACKED
    entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    return entry


def _mode(source: Path) -> int:
    return _EXECUTABLE if source.stat().st_mode & 0o100 else _REGULAR


def _digest(files: Mapping[str, Path]) -> str:
    digest = hashlib.sha256()
    for name in sorted(files):
        content = hashlib.sha256(files[name].read_bytes()).hexdigest()
        digest.update(f"{name}\0{_mode(files[name]):o}\0{content}\n".encode())
    return digest.hexdigest()


def _comment(archive: Path) -> str | None:
    try:
        with zipfile.ZipFile(archive) as opened:
            return opened.comment.decode()
    except (FileNotFoundError, zipfile.BadZipFile):
        return None
