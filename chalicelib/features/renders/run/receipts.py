"""Receipts of the uploads of a render: their keys are made here from the engine's answer.

The engine is not trusted: no answer of it makes a key leave the prefix of its destination.
"""

from typing import Final

from chalicelib.core.json import JsonObject
from chalicelib.core.storage import MAX_KEY_BYTES, storage_key
from chalicelib.core.text import replace_lone_surrogates
from chalicelib.engine.delivery.storage import RenderedKey
from chalicelib.engine.job import Job, RenderOutcome
from chalicelib.features.renders.model import StorageReceipt

_MAX_MESSAGE_CHARACTERS: Final = 300
# Of all keys of a render, which one answer shows: 500 files at five targets may have the longest.
_MAX_KEYS_BYTES: Final = 2_600_000
_TOO_MANY_BYTES: Final = f"All keys of the render have more than {_MAX_KEYS_BYTES} bytes together."


def first_receipts(job: Job, outcome: RenderOutcome) -> tuple[StorageReceipt, ...]:
    """Return the receipts of uploads that are to come, target by target, file by file."""
    if job.storage is None:
        return ()
    keys = iter(outcome.storage_keys)
    missing = RenderedKey(fault="The service could not evaluate the key.")
    taken: dict[tuple[str, str], int] = {}
    bytes_left = _MAX_KEYS_BYTES
    receipts: list[StorageReceipt] = []
    for target in job.storage.targets:
        for n, file in enumerate(outcome.files):
            rendered = next(keys, missing)
            key = None if rendered.fault else storage_key(rendered.prefix, rendered.key)
            if key is not None:
                key = _distinct(key, target.destination_id, taken)
            fault = rendered.fault
            bytes_left -= len((key or "").encode())
            if bytes_left < 0:
                key, fault = None, fault or _TOO_MANY_BYTES
            error = None if key is not None else _key_error(fault)
            receipts.append(
                StorageReceipt(
                    target.destination_id,
                    n,
                    "pending" if error is None else "failed",
                    key,
                    bytes=len(file.content),
                    error=error,
                )
            )
    return tuple(receipts)


def has_targets(job: Job) -> bool:
    """Tell whether the files of a job go to storage destinations."""
    return job.storage is not None and bool(job.storage.targets)


def _distinct(key: str, destination_id: str, taken: dict[tuple[str, str], int]) -> str | None:
    """Return a key that no other file of the render has at the destination, made so by a number.

    `taken` has the last number of each key.
    """
    number, candidate = taken.get((destination_id, key), 1), key
    while (destination_id, candidate) in taken:
        number += 1
        folder, slash, name = key.rpartition("/")
        stem, dot, extension = name.rpartition(".")
        numbered = f"{stem}-{number}{dot}{extension}" if stem else f"{name}-{number}"
        candidate = f"{folder}{slash}{numbered}"
    if len(candidate.encode()) > MAX_KEY_BYTES:
        return None
    taken[destination_id, candidate] = 1
    taken[destination_id, key] = number
    return candidate


def _key_error(fault: str | None) -> JsonObject:
    message = fault or (
        f"Nothing is left of the key, or it has more than {MAX_KEY_BYTES} bytes with its prefix."
    )
    return {
        "code": "storage_key_invalid",
        "message": replace_lone_surrogates(message[:_MAX_MESSAGE_CHARACTERS]),
        "status": None,
    }
