"""Fixture of the runner's tests."""

from pathlib import Path

import pytest

from tests.builders.gate import Gate


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """Give a closed gate for invocations."""
    return Gate(tmp_path / "gate")
