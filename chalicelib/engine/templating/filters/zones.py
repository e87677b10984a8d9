"""IANA time zones from the `tzdata` package, in a process that can open no file any more."""

import io
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import tzdata

_REMEMBERED: Final = 64


@cache
def hold() -> Mapping[str, bytes]:
    """Return every zone's data by its name; needed once, while files can be opened."""
    folder = Path(tzdata.__file__).parent
    names = (folder / "zones").read_text(encoding="ascii").split()
    return {name: (folder / "zoneinfo" / name).read_bytes() for name in names}


@lru_cache(_REMEMBERED)
def find_zone(name: str) -> ZoneInfo | None:
    """Return a zone by its name; None is unknown."""
    data = hold().get(name)
    return None if data is None else ZoneInfo.from_file(io.BytesIO(data), key=name)
