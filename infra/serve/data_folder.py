"""Folder of the data of one server: who may use it, and whether it is whole."""

import contextlib
import ctypes
import errno
import json
import os
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from infra.local.durable_file import write_durably
from infra.local.emulators import is_elsewhere
from infra.local.paths import StackFolder

# Of what stands in the folder; a release that changes it reads the forms before, too.
FORMAT: Final = 1
# `platen restore` makes it before the first file, and removes it after the last one.
RESTORING: Final = "restoring"
_FORMAT_FILE: Final = "format.json"
# statfs(2): file systems whose locks and syncs other machines see late, or not at all.
_NETWORK: Final = {
    0x6969: "NFS",
    0xFF534D42: "CIFS",
    0xFE534D42: "SMB2",
    0x517B: "SMB",
    0x01021997: "9P",
    0x65735546: "FUSE",
    0x00C36400: "CephFS",
    0x5346414F: "AFS",
    0x0BD00BD0: "Lustre",
}
_MIN_FREE_BYTES: Final = 64 << 20


class UnusableFolderError(Exception):
    """The folder cannot be served; the message says why and what to do."""


class DataFolder:
    """Folder that one server holds."""

    def __init__(self, path: Path) -> None:
        """Name a folder, which need not be there."""
        self.stack = StackFolder(path.absolute(), is_kept=True)

    @property
    def path(self) -> Path:
        """Return the folder."""
        return self.stack.path

    @contextlib.contextmanager
    def hold(self) -> Iterator[StackFolder]:
        """Hold the folder, which is made if it is not there; raises UnusableFolderError."""
        with self.lock():
            self._check_content(self._parts_served())
            with self._errors_explained():
                self.path.chmod(0o700)
                self._check_writable()
                (self.path / "run.json").unlink(missing_ok=True)
                self._raise_format()
            yield self.stack

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Keep servers off the folder, which is made; raises UnusableFolderError."""
        with self._errors_explained():
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._check_owner()
            _check_file_system(self.path)
        try:
            with self._errors_explained():
                lock = self.stack.hold()
        except BlockingIOError:
            run_info = self.stack.run_info() or {}
            where = f", at {run_info['base_url']}" if "base_url" in run_info else ""
            message = f"{self.path}: another server holds this folder{where}"
            raise UnusableFolderError(message) from None
        with lock:
            yield

    def mark_made(self) -> None:
        """Remember that everything was made, and by which release: from now on it must be there."""
        self._write_about(FORMAT, version("platen"))

    def mark_restored(self, data_format: int, release: str) -> None:
        """Mark the folder as that of the release whose backup it was; checks that it is whole."""
        self._write_about(data_format, release)
        self._check_parts(self._parts())

    def about_whole(self) -> dict[str, Any]:
        """Return format and release of a folder that is whole; raises UnusableFolderError."""
        if not self.path.is_dir():
            message = f"{self.path} is not there"
            raise UnusableFolderError(message)
        with self._errors_explained():
            self._check_owner()
        self._check_content(self._parts())
        about = self._about()
        if about is None:
            message = f"{self.path} has no data: no server has started on it"
            raise UnusableFolderError(message)
        return about

    def _raise_format(self) -> None:
        """Keep older releases off from now on: this one may write what they do not read."""
        about = self._about()
        if about is not None and about["format"] < FORMAT:
            self._write_about(FORMAT, version("platen"))

    def _write_about(self, data_format: int, release: str) -> None:
        about = {"format": data_format, "release": release}
        if self._about() != about:
            write_durably(self._format_file, (json.dumps(about) + "\n").encode())

    @property
    def _format_file(self) -> Path:
        return self.path / _FORMAT_FILE

    def _check_owner(self) -> None:
        owner = self.path.stat().st_uid
        if owner != os.geteuid():
            message = (
                f"{self.path} belongs to user {owner}, not to {os.geteuid()}: "
                "run as its owner, or `chown -R` it to this user"
            )
            raise UnusableFolderError(message)

    def _check_content(self, parts: Sequence[Path]) -> None:
        if (self.path / RESTORING).exists():
            message = f"{self.path} is half restored: run `platen restore` again, to its end"
            raise UnusableFolderError(message)
        about = self._about()
        if about is None:
            strangers = {each.name for each in self.path.iterdir()} - _own_names()
            if strangers:
                names = ", ".join(sorted(strangers)[:5])
                message = (
                    f"{self.path} is no data folder of Platen, as it has {names}: "
                    "name an empty folder, or one that is not there"
                )
                raise UnusableFolderError(message)
            return
        if about["format"] > FORMAT:
            message = (
                f"{self.path} was written by release {about.get('release')} (format "
                f"{about['format']}), which is newer than this one (format {FORMAT}): "
                "install that release or a later one"
            )
            raise UnusableFolderError(message)
        self._check_parts(parts)

    def _check_parts(self, parts: Sequence[Path]) -> None:
        missing = [path for path in parts if not path.exists()]
        if missing:
            names = ", ".join(str(path.relative_to(self.path)) for path in missing)
            message = f"{self.path} is not whole: {names} is missing; restore it from a backup"
            raise UnusableFolderError(message)

    def _about(self) -> dict[str, Any] | None:
        try:
            about = json.loads(self._format_file.read_text(encoding="utf-8"))
            if isinstance(about, dict) and isinstance(about.get("format"), int):
                return about
        except FileNotFoundError:
            return None
        except ValueError:
            pass
        message = f"{self._format_file} cannot be read: restore it from a backup"
        raise UnusableFolderError(message)

    def _parts_served(self) -> Sequence[Path]:
        """Return the parts that a server needs; endpoints of the user replace two of them."""
        replaced = {
            self.stack.tables_file: is_elsewhere("dynamodb"),
            self.stack.objects: is_elsewhere("s3"),
        }
        return [path for path in self._parts() if not replaced.get(path)]

    def _parts(self) -> Sequence[Path]:
        keys = [self.stack.keys / name for name in ("kms.json", "secretsmanager.json")]
        return [self.stack.tables_file, self.stack.objects, *keys]

    def _check_writable(self) -> None:
        trial = self.path / "trial"
        write_durably(trial, b"Platen")
        trial.unlink()
        status = os.statvfs(self.path)
        free = status.f_bavail * status.f_frsize
        if free < _MIN_FREE_BYTES:
            message = (
                f"{self.path}: the disk is full ({free >> 20} MB are free, "
                f"{_MIN_FREE_BYTES >> 20} MB are needed to start)"
            )
            raise UnusableFolderError(message)

    @contextlib.contextmanager
    def _errors_explained(self) -> Iterator[None]:
        try:
            yield
        except BlockingIOError:
            raise
        except OSError as fault:
            message = f"{self.path}: {_EXPLAINED.get(fault.errno or 0) or fault.strerror}"
            raise UnusableFolderError(message) from fault


_EXPLAINED: Final = {
    errno.EROFS: "the file system is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota of this user on the disk is used up",
    errno.EACCES: "this user may not write there",
    errno.ENOTDIR: "it is not a folder",
    errno.EEXIST: "it is not a folder",
}


def _own_names() -> set[str]:
    """Return what a server makes before the folder is marked as made, in any order."""
    names = {"lock", "tables", "objects", "keys", "scratch", "run.json", "endpoints.json", "trial"}
    logs = {f"{part}.log" for part in ("functions", "dynoxide", "ministack", "stack")}
    partial = {"trial.partial", "format.partial", "run.partial", "endpoints.partial"}
    # A volume of its own may bring `lost+found`.
    others = {"lost+found", *(f"functions.log.{number}" for number in range(1, 10))}
    return names | logs | partial | others


class _StatFs(ctypes.Structure):
    """Begin of `struct statfs`; the rest is not read."""

    _fields_ = (("f_type", ctypes.c_long), ("rest", ctypes.c_byte * 512))


def file_system_type(path: Path) -> int:
    """Return the type of a path's file system, as statfs(2) numbers it."""
    status = _StatFs()
    if ctypes.CDLL(None, use_errno=True).statfs(os.fsencode(path), ctypes.byref(status)):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return int(status.f_type) & 0xFFFFFFFF


def _check_file_system(path: Path) -> None:
    name = _NETWORK.get(file_system_type(path))
    if name:
        message = (
            f"{path} is on a network share ({name}), where locks and syncs do not hold: "
            "name a folder on a disk of this machine"
        )
        raise UnusableFolderError(message)
