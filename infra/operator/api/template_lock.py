"""`template.lock.json` of a template folder: which template it is, in each service."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from infra.operator.api.render_request import read_object, write_file
from infra.operator.output import CommandError

_FILE: Final = "template.lock.json"


@dataclass(frozen=True, slots=True)
class LockEntry:
    """Template of a folder, the revision of its draft and a checksum of the files at that time."""

    id: str
    revision: int
    digest: str


def read_lock(folder: Path, base_url: str) -> LockEntry | None:
    """Return what was last pushed to or pulled from a service; raises CommandError."""
    entry = _entries(folder).get(base_url)
    if entry is None:
        return None
    try:
        return LockEntry(**entry)  # type: ignore[arg-type]  # checked by what reads them
    except TypeError:
        message = f"{folder / _FILE}: is damaged; take it from git, or delete it and name --id"
        raise CommandError("lock_unreadable", message) from None


def write_lock(folder: Path, base_url: str, entry: LockEntry) -> None:
    """Keep what was pushed or pulled."""
    entries = {**_entries(folder), base_url: asdict(entry)}
    if entries != _entries(folder):
        text = json.dumps(entries, indent=2, sort_keys=True) + "\n"
        write_file(folder / _FILE, text.encode())


def _entries(folder: Path) -> dict[str, dict[str, object]]:
    path = folder / _FILE
    entries = read_object(path) if path.is_file() else {}
    return {url: dict(entry) for url, entry in entries.items() if isinstance(entry, dict)}
