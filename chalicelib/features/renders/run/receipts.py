"""Receipts of the uploads of a render: their paths are made here from the engine's answer.

The engine is not trusted: no answer of it makes a path leave its destination.
"""

from typing import Final

from chalicelib.core.json import JsonObject
from chalicelib.core.storage import MAX_PATH_BYTES, storage_path
from chalicelib.core.text import replace_lone_surrogates
from chalicelib.engine.delivery.storage import RenderedPath
from chalicelib.engine.job import Job, RenderOutcome
from chalicelib.features.renders.model import StorageReceipt

_MAX_MESSAGE_CHARACTERS: Final = 300
# Of all paths of a render, which one answer shows: 500 files at five targets may have the longest.
_MAX_PATHS_BYTES: Final = 2_600_000
_TOO_MANY_BYTES: Final = f"All paths of a render have {_MAX_PATHS_BYTES} bytes at most."


def first_receipts(job: Job, outcome: RenderOutcome) -> tuple[StorageReceipt, ...]:
    """Return the receipts of uploads that are to come, target by target, file by file."""
    if job.storage is None:
        return ()
    paths = iter(outcome.storage_paths)
    missing = RenderedPath(fault="The service could not evaluate the path.")
    taken: dict[tuple[str, str], int] = {}
    bytes_left = _MAX_PATHS_BYTES
    receipts: list[StorageReceipt] = []
    for target in job.storage.targets:
        for n, file in enumerate(outcome.files):
            rendered = next(paths, missing)
            path = None if rendered.fault else storage_path(rendered.text)
            if path is not None:
                path = _distinct(path, target.destination_id, taken)
            fault = rendered.fault
            bytes_left -= len((path or "").encode())
            if bytes_left < 0:
                path, fault = None, fault or _TOO_MANY_BYTES
            error = None if path is not None else _path_error(fault)
            receipts.append(
                StorageReceipt(
                    target.destination_id,
                    n,
                    "pending" if error is None else "failed",
                    path,
                    bytes=len(file.content),
                    error=error,
                )
            )
    return tuple(receipts)


def has_targets(job: Job) -> bool:
    """Tell whether the files of a job go to storage destinations."""
    return job.storage is not None and bool(job.storage.targets)


def _distinct(path: str, destination_id: str, taken: dict[tuple[str, str], int]) -> str | None:
    """Return a path that no other file of the render has at the destination, made so by a number.

    `taken` has the last number of each path.
    """
    number, candidate = taken.get((destination_id, path), 1), path
    while (destination_id, candidate) in taken:
        number += 1
        folder, slash, name = path.rpartition("/")
        stem, dot, extension = name.rpartition(".")
        numbered = f"{stem}-{number}{dot}{extension}" if stem else f"{name}-{number}"
        candidate = f"{folder}{slash}{numbered}"
    if len(candidate.encode()) > MAX_PATH_BYTES:
        return None
    taken[destination_id, candidate] = 1
    taken[destination_id, path] = number
    return candidate


def _path_error(fault: str | None) -> JsonObject:
    message = fault or (f"Nothing is left of the path, or it has more than {MAX_PATH_BYTES} bytes.")
    return {
        "code": "storage_key_invalid",
        "message": replace_lone_surrogates(message[:_MAX_MESSAGE_CHARACTERS]),
        "status": None,
    }
