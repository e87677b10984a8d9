"""Restoring of a backup into an empty folder, which no server takes before it is whole."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from infra.local.durable_file import write_durably
from infra.local.objects.disk import Disk
from infra.serve.backup.check import (
    in_threads,
    listed_files,
    open_file,
    read_manifest,
    read_through,
)
from infra.serve.backup.manifest import BackupFile, Manifest
from infra.serve.backup.places import Place
from infra.serve.data_folder import RESTORING, DataFolder, UnusableFolderError

_LOCK: Final = "lock"
_MARGIN_BYTES: Final = 64 << 20


def restore_backup(place: Place, data: DataFolder) -> Manifest:
    """Restore a backup into a folder that is empty, or where restoring was cut off.

    The folder is empty again if it fails. Raises UnusableBackupError and UnusableFolderError.
    """
    manifest = read_manifest(place)
    with _held_empty(data):
        try:
            _check_space(data.path, manifest)
            write_durably(data.path / RESTORING, manifest.as_json())
            for _ in in_threads(
                partial(_restore_one, place, data.path), listed_files(place, manifest)
            ):
                pass
            data.stack.objects.mkdir(0o700, exist_ok=True)
            data.mark_restored(manifest.data_format, manifest.release)
            # All names; the content is synced.
            os.sync()
        except BaseException:
            _empty(data.path)
            raise
        (data.path / RESTORING).unlink()
        Disk().sync_folder(data.path)
    return manifest


@contextmanager
def _held_empty(data: DataFolder) -> Iterator[None]:
    if data.path.exists():
        _check_empty(data.path)
    try:
        with data.lock():
            _check_empty(data.path)
            _empty(data.path)
            yield
    finally:
        if data.path.is_dir() and {each.name for each in data.path.iterdir()} <= {_LOCK}:
            (data.path / _LOCK).unlink(missing_ok=True)


def _check_empty(path: Path) -> None:
    names = {each.name for each in path.iterdir()} - {_LOCK}
    if names and not _is_cut_off(path):
        message = f"{path} is not empty: a backup is restored into an empty folder"
        raise UnusableFolderError(message)


def _is_cut_off(path: Path) -> bool:
    """Tell whether an earlier `restore` was killed here, and by what it has written."""
    try:
        return "list_sha256" in json.loads((path / RESTORING).read_bytes())
    except (FileNotFoundError, ValueError):
        return False


def _empty(path: Path) -> None:
    """Remove what was restored, the mark last."""
    for each in sorted(path.iterdir(), key=lambda each: each.name == RESTORING):
        if each.name == _LOCK:
            continue
        if each.is_dir():
            shutil.rmtree(each)
        else:
            each.unlink()


def _check_space(path: Path, manifest: Manifest) -> None:
    free = shutil.disk_usage(path).free
    if free < manifest.size + _MARGIN_BYTES:
        message = (
            f"{path}: the disk is too full ({free >> 20} MB are free, the backup has "
            f"{manifest.size >> 20} MB)"
        )
        raise UnusableFolderError(message)


def _restore_one(place: Place, root: Path, each: BackupFile) -> None:
    target = root / each.path
    target.parent.mkdir(0o700, parents=True, exist_ok=True)
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file, closing(open_file(place, each)) as source:
        each.check(*read_through(source, file))
        file.flush()
        # The rules of the bucket count from the time of a file.
        os.utime(descriptor, ns=(each.modified, each.modified))
        os.fsync(descriptor)
