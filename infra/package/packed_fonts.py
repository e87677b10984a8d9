"""Packed fonts of the render layer: unpacked they would take more room than all its code."""

import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import brotli  # type: ignore[import-untyped]

# Of the levels that take seconds the one that packs best; the best of all takes minutes.
_QUALITY: Final = 6
# Fonts of Chinese characters share outlines; at this distance they are found.
_WINDOW_BITS: Final = 24
# The font cache is valid while the folder of the fonts has this time (layers/fonts/font_cache).
_MTIME: Final = 315_532_800


def pack_fonts(files: Mapping[str, Path], cache: Path) -> Path:
    """Return the archive of files by their names in it; one of the same content is packed once."""
    tar = _tar(files)
    target = cache / f"fonts-{hashlib.sha256(tar).hexdigest()[:16]}.tar.br"
    if not target.exists():
        cache.mkdir(parents=True, exist_ok=True)
        unfinished = target.with_suffix(".part")
        unfinished.write_bytes(brotli.compress(tar, quality=_QUALITY, lgwin=_WINDOW_BITS))
        unfinished.rename(target)
    return target


def _tar(files: Mapping[str, Path]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for folder in sorted({str(Path(name).parent) for name in files} - {"."}):
            member = tarfile.TarInfo(folder)
            member.type, member.mode, member.mtime = tarfile.DIRTYPE, 0o755, _MTIME
            archive.addfile(member)
        for name in sorted(files, key=_weight_first):
            member = tarfile.TarInfo(name)
            data = files[name].read_bytes()
            member.size, member.mode, member.mtime = len(data), 0o644, _MTIME
            archive.addfile(member, io.BytesIO(data))
    return content.getvalue()


def _weight_first(name: str) -> tuple[str, str]:
    """Return a key that puts fonts of one weight side by side, which share their outlines."""
    family, _, style = Path(name).stem.partition("_")
    return style, family
