"""Archives of the deployment package: one code archive for each kind of function, and layers.

Every code archive holds the code of all functions. The kinds differ in the installed packages, so
that only the engine carries the heavy ones, and it alone has no boto3 (decision 8).
"""

import hashlib
import io
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import brotli  # type: ignore[import-untyped]

from infra.package.errors import PackageError
from infra.package.requirements import CACHE_DIR, compile_bytecode, install_requirements
from infra.package.sam import copy_sources
from infra.setup.steps import INSTALL_DIR
from infra.template import ROOT

FUNCTION_TYPE: Final = "AWS::Serverless::Function"
LAYER_TYPE: Final = "AWS::Serverless::LayerVersion"
# Archive, and the lock file of the packages in it.
CODE_ARCHIVES: Final[Mapping[str, Path]] = {
    "api.zip": ROOT / "requirements.txt",
    "engine.zip": ROOT / "infra" / "package" / "requirements-engine.txt",
    "pdf_tools.zip": ROOT / "infra" / "package" / "requirements-pdf-tools.txt",
    "small.zip": ROOT / "infra" / "package" / "requirements-small.txt",
    "storage.zip": ROOT / "infra" / "package" / "requirements-storage.txt",
}
PACKED_FONTS: Final = "packed-fonts-layer.zip"
_FONT_FILES: Final = (
    *("fonts.conf", "families.json", "characters.json"),
    *("cache/*", "ttf/*", "licenses/*"),
)
# Archive, the installed folder that it is built from, and the files that it takes.
LAYER_ARCHIVES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    # Compressed as published: unpacked, the function would exceed Lambda's size limit.
    "chromium-layer.zip": (
        "chromium",
        ("chromium.br", "al2023.tar.br", "hyphen-data/*", "hyphen-data/licenses/*"),
    ),
    "fonts-layer.zip": ("fonts", _FONT_FILES),
    # Of the engine, which has no room for the fonts beside Chromium.
    PACKED_FONTS: ("fonts", _FONT_FILES),
    "console-layer.zip": ("console", ("**/*",)),
    "guides-layer.zip": ("guides", ("**/*",)),
    "pages-layer.zip": ("pages", ("*.js", "*-LICENSE.txt")),
    "validators-layer.zip": (
        "validators",
        ("manifest.json", "plan.json", "lib/*", "proof/*", "rules/**/*", "runtime/**/*"),
    ),
}
CODE_FIELDS: Final = {FUNCTION_TYPE: "CodeUri", LAYER_TYPE: "ContentUri"}
# Fixed time and modes, so that equal files give equal archives.
_ZIP_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_UNIX_SYSTEM: Final = 3
_REGULAR: Final = 0o100644
_EXECUTABLE: Final = 0o100755
# Deflating files that are already compressed costs seconds and saves nothing.
_COMPRESSED_SUFFIXES: Final = frozenset({".br"})
# Of the levels that take seconds the one that packs best; the best of all takes minutes.
_PACK_QUALITY: Final = 6
# Fonts of Chinese characters share outlines; at this distance they are found.
_WINDOW_BITS: Final = 24
# The font cache is valid while the folder of the fonts has this time (layers/fonts/font_cache).
_FONTS_MTIME: Final = 315_532_800


def archive_name(resource: Mapping[str, Any]) -> str | None:
    """Return the file name of a resource's archive, or None if it has none."""
    field = CODE_FIELDS.get(resource["Type"])
    return str(resource["Properties"][field]).removeprefix("./") if field else None


def write_archives(
    folder: Path, template: Mapping[str, Any], cache: Path = CACHE_DIR
) -> list[Path]:
    """Write every archive that a template names into `folder`; raises PackageError."""
    names = sorted({name for r in template["Resources"].values() if (name := archive_name(r))})
    if unknown := [
        name for name in names if name not in CODE_ARCHIVES and name not in LAYER_ARCHIVES
    ]:
        known = ", ".join([*CODE_ARCHIVES, *LAYER_ARCHIVES])
        raise PackageError(f"nothing makes {', '.join(unknown)}; there are {known}")
    with tempfile.TemporaryDirectory() as scratch:
        sources = Path(scratch) / "sources"
        copy_sources(sources)
        compile_bytecode(sources)
        for name in names:
            files = (
                _layer_files(name, cache)
                if name in LAYER_ARCHIVES
                else _code_files(CODE_ARCHIVES[name], sources, cache)
            )
            write_archive(folder / name, files)
    return [folder / name for name in names]


def _code_files(lock: Path, sources: Path, cache: Path) -> dict[str, Path]:
    return {**files_below(install_requirements(lock, cache)), **files_below(sources)}


def _layer_files(archive: str, cache: Path) -> dict[str, Path]:
    name, patterns = LAYER_ARCHIVES[archive]
    folder = INSTALL_DIR / name
    files: dict[str, Path] = {}
    for pattern in patterns:
        matches = [path for path in folder.glob(pattern) if path.is_file()]
        if not matches:
            raise PackageError(f"{folder} holds no {pattern}; install it with: make setup")
        files |= {path.relative_to(folder).as_posix(): path for path in matches}
    if archive == PACKED_FONTS:
        files = {"fonts.tar.br": pack_fonts(files, cache)}
    return {f"{name}/{path}": source for path, source in files.items()}


def pack_fonts(files: Mapping[str, Path], cache: Path) -> Path:
    """Return the archive of files by their names in it; one of the same content is packed once."""
    tar = _fonts_tar(files)
    target = cache / f"fonts-{hashlib.sha256(tar).hexdigest()[:16]}.tar.br"
    if not target.exists():
        cache.mkdir(parents=True, exist_ok=True)
        unfinished = target.with_suffix(".part")
        unfinished.write_bytes(brotli.compress(tar, quality=_PACK_QUALITY, lgwin=_WINDOW_BITS))
        unfinished.rename(target)
    return target


def _fonts_tar(files: Mapping[str, Path]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for folder in sorted({str(Path(name).parent) for name in files} - {"."}):
            member = tarfile.TarInfo(folder)
            member.type, member.mode, member.mtime = tarfile.DIRTYPE, 0o755, _FONTS_MTIME
            archive.addfile(member)
        for name in sorted(files, key=_weight_first):
            member = tarfile.TarInfo(name)
            data = files[name].read_bytes()
            member.size, member.mode, member.mtime = len(data), 0o644, _FONTS_MTIME
            archive.addfile(member, io.BytesIO(data))
    return content.getvalue()


def _weight_first(name: str) -> tuple[str, str]:
    """Return a key that puts fonts of one weight side by side, which share their outlines."""
    family, _, style = Path(name).stem.partition("_")
    return style, family


def write_archive(target: Path, files: Mapping[str, Path]) -> str:
    """Write the files under their names; return the SHA-256 of names, modes and contents.

    The digest is also the archive's comment; an archive with the same digest is not rewritten.
    """
    digest = _digest(files)
    if _archive_comment(target) == digest:
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
    """Return the unpacked size of an archive."""
    with zipfile.ZipFile(archive) as opened:
        return sum(entry.file_size for entry in opened.infolist())


def files_below(folder: Path, prefix: str = "") -> dict[str, Path]:
    """Return every file below a folder by its name in the archive."""
    return {
        prefix + path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.is_file()
    }


def _entry(name: str, source: Path) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _ZIP_EPOCH)
    entry.create_system = _UNIX_SYSTEM
    entry.external_attr = _mode(source) << 16
    stored = Path(name).suffix in _COMPRESSED_SUFFIXES
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


def _archive_comment(archive: Path) -> str | None:
    try:
        with zipfile.ZipFile(archive) as opened:
            return opened.comment.decode()
    except (FileNotFoundError, zipfile.BadZipFile):
        return None
