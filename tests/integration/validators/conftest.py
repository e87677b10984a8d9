"""The installed validators, warm for all tests of a module."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.engine.conformance.checks import Check, Verdict
from chalicelib.engine.conformance.judge import Judge
from chalicelib.engine.deadline import Deadline

REPOSITORY = Path(__file__).parents[3]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/integration/validators/" in item.path.as_posix():
            item.add_marker(pytest.mark.integration)


def installed() -> Path:
    """Return the installed layer; what is missing is an error, never a skip."""
    found = Path(os.environ.get("PLATEN_VALIDATORS_DIR") or REPOSITORY / ".platen" / "validators")
    assert found.is_dir(), f"{found} is missing; install JDK 17 and Maven and run: make setup"
    return found


def proof(kind: str) -> bytes:
    name = "proof.pdf" if kind.startswith("pdf-") else f"{kind}.xml"
    return (installed() / "proof" / name).read_bytes()


def verdict(judge: Judge, content: bytes, check: Check, seconds: float = 120) -> Verdict:
    (answer,) = judge.judge(content, [check], Deadline.after(seconds))
    return answer


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    judge = Judge(installed())
    yield judge
    judge.close()
