"""Settings of all tests: what Hypothesis draws, and which cases are breadth."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine generates inputs slowly; that is no fault of the test.
settings.register_profile("random", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The same inputs in every run: a suite that turns red was turned red by the change.
settings.register_profile("same", settings.get_profile("random"), derandomize=True)
settings.load_profile("same")

_HERE = Path(__file__).parent
_SAMPLED_FOLDERS = ("functional", "integration")
# Each of their cases stands for a process, or all are played together.
_WHOLE_FOLDERS = tuple(_HERE / "integration" / name for name in ("attacks", "crash"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark nine of ten cases of each functional and integration test as breadth."""
    cases: Counter[str] = Counter()
    for item in items:
        test = item.nodeid.partition("[")[0]
        if cases[test] % 10 and _is_sampled(item.path):
            item.add_marker("breadth")
        cases[test] += 1


def _is_sampled(path: Path) -> bool:
    is_whole = any(path.is_relative_to(folder) for folder in _WHOLE_FOLDERS)
    return not is_whole and any(path.is_relative_to(_HERE / each) for each in _SAMPLED_FOLDERS)
