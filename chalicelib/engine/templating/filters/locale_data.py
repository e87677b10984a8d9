"""Locales (CLDR, through Babel) and time zones, for a process that can open no files.

Babel reads a locale's file at its first use. Here each file is mapped into memory ahead, and Babel
reads from there: an unused locale takes neither time nor memory (decision 21).
"""

import io
import mmap
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import BinaryIO, Final
from zoneinfo import ZoneInfo

import tzdata
from babel import Locale, UnknownLocaleError, localedata
from babel.core import get_global

DEFAULT_LOCALE: Final = "en"

_TAG: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,4}")
_ROOT: Final = "root"
_MAX_CACHED_TAGS: Final = 64

# The zero of each numbering system that is a locale's default; nine digits follow it.
_ZERO_DIGITS: Final[Mapping[str, int]] = {
    "adlm": 0x1E950,
    "arab": 0x0660,
    "arabext": 0x06F0,
    "beng": 0x09E6,
    "cakm": 0x11136,
    "deva": 0x0966,
    "hmnp": 0x1E140,
    "latn": 0x0030,
    "mtei": 0xABF0,
    "mymr": 0x1040,
    "nkoo": 0x07C0,
    "olck": 0x1C50,
    "tibt": 0x0F20,
}


_MAX_CACHED_ZONES: Final = 64


@cache
def preload_locales() -> None:
    """Map all locales into memory and make Babel read from there.

    Call it once, while files can be opened.
    """
    mapped_files: dict[str, mmap.mmap] = {}
    for name in (_ROOT, *localedata.locale_identifiers()):
        path = localedata.resolve_locale_filename(name)
        with Path(path).open("rb") as file:
            # trackfd=False: the mappings would otherwise hold 1 083 file descriptors open.
            mapped_files[path] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ, trackfd=False)

    def open_mapped(path: str, _mode: str) -> BinaryIO:
        return io.BytesIO(mapped_files[path])

    vars(localedata)["open"] = open_mapped
    get_global("likely_subtags")


@lru_cache(_MAX_CACHED_TAGS)
def find_locale(tag: str) -> Locale | None:
    """Return the locale of a BCP 47 tag or of its longest known prefix, else None."""
    if _TAG.fullmatch(tag) is None:
        return None
    preload_locales()
    subtags = tag.replace("_", "-").split("-")
    prefixes = ("-".join(subtags[:length]) for length in range(len(subtags), 0, -1))
    return next(filter(None, map(_parse_locale, prefixes)), None)


@cache
def digit_translation(numbering_system: str) -> dict[int, int]:
    """Return the translation table from ASCII digits to those of a numbering system."""
    return {ord("0") + n: _ZERO_DIGITS[numbering_system] + n for n in range(10)}


def _parse_locale(tag: str) -> Locale | None:
    try:
        return Locale.parse(tag, sep="-")
    except (UnknownLocaleError, ValueError):
        return None


@cache
def preload_time_zones() -> Mapping[str, bytes]:
    """Return the data of all time zones by name; call it once, while files can be opened."""
    folder = Path(tzdata.__file__).parent
    names = (folder / "zones").read_text(encoding="ascii").split()
    return {name: (folder / "zoneinfo" / name).read_bytes() for name in names}


@lru_cache(_MAX_CACHED_ZONES)
def find_time_zone(name: str) -> ZoneInfo | None:
    """Return a time zone by its name, or None where it is unknown."""
    data = preload_time_zones().get(name)
    return None if data is None else ZoneInfo.from_file(io.BytesIO(data), key=name)
