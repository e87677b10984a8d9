"""Stack whose functions die at the armed crash points, and the crash matrix."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path

import pytest

from infra.local.running_stack import RunningStack, running_stack
from tests.builders.crash.matrix import CaseResult, CrashMatrix


@pytest.fixture(scope="session")
def points(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the armed points."""
    return tmp_path_factory.mktemp("points")


@pytest.fixture(scope="session")
def stack(points: Path) -> Iterator[RunningStack]:
    """Run one stack for all cases."""
    with running_stack(PLATEN_CRASH_POINTS=str(points)) as running:
        yield running


@pytest.fixture(scope="session")
def matrix(stack: RunningStack, points: Path) -> CrashMatrix:
    """Return the matrix."""
    return CrashMatrix(stack, points)


@pytest.fixture(scope="session")
def outcomes(
    matrix: CrashMatrix, request: pytest.FixtureRequest
) -> Mapping[str, Future[CaseResult]]:
    """Run all selected cases concurrently."""
    chosen = [
        spec.params["case"]
        for spec in (getattr(item, "callspec", None) for item in request.session.items)
        if spec is not None and "case" in spec.params
    ]
    return matrix.run(chosen)
