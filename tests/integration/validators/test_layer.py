"""The layer of the validators: small enough for Lambda, and runs on a bare Amazon Linux 2023."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.validators.conftest import installed

# Libraries of the platform: glibc 2.34, and libstdc++ of GCC 11.
NEWEST = {"GLIBC_2": 34, "GLIBCXX_3.4": 29}
# Lambda allows 250 MB for layers and code; the rest is for the code and for growth.
LIMIT_BYTES = 120_000_000


def binaries() -> Iterator[Path]:
    for path in (installed() / "runtime").rglob("*"):
        if path.is_file() and path.read_bytes()[:4] == b"\x7fELF":
            yield path


@pytest.mark.parametrize("library", NEWEST)
def test_no_library_is_newer_than_the_platform(library: str) -> None:
    pattern = re.compile(re.escape(library.encode()) + rb"\.(\d+)\0")
    required = {
        path.name: max(map(int, pattern.findall(path.read_bytes())), default=0)
        for path in binaries()
    }

    assert len(required) > 10
    assert {name: version for name, version in required.items() if version > NEWEST[library]} == {}


def test_the_layer_leaves_room_for_the_function() -> None:
    size = sum(path.stat().st_size for path in installed().rglob("*") if path.is_file())

    assert size < LIMIT_BYTES
