"""Template bombs: each ends with its code soon, and the next render succeeds."""

import resource
import time
from collections.abc import Iterator
from typing import Any, Final

import psutil
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.templating import worker as template_worker
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.bombs import ALL_BOMBS
from tests.builders.bombs.snippets import FUEL
from tests.fakes import hasty_template_process

pytestmark = pytest.mark.integration

# Limit of processor time; wall clock time depends on the other load of the machine.
CPU_S: Final = 6.0
WALL_S: Final = 120.0
# Those that only their processor time ends, and the others.
SLOW: Final = {name: bomb for name, bomb in ALL_BOMBS.items() if name.startswith("slow: ")}
QUICK: Final = {name: bomb for name, bomb in ALL_BOMBS.items() if name not in SLOW}
DATA: Final[dict[str, Any]] = {
    "rows": [{"n": n % 7, "text": "x" * 50} for n in range(1000)],
    "text": "x" * 9999,
}


@pytest.fixture(scope="module")
def worker() -> Iterator[TemplateWorker]:
    worker = TemplateWorker()
    yield worker
    worker.close()


@pytest.fixture(scope="module")
def hasty() -> Iterator[TemplateWorker]:
    """Return a worker whose processes have less time than those of production."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(template_worker, "_CHILD_MODULE", hasty_template_process.__name__)
        worker = TemplateWorker()
    yield worker
    worker.close()


@pytest.mark.breadth
def test_slow_template_has_the_time_that_the_service_says(worker: TemplateWorker) -> None:
    source, _, includes = next(iter(SLOW.values()))

    with pytest.raises(RenderFailure, match=r"used more than 5 s of processor time"):
        _render(worker, source, includes)


@pytest.mark.parametrize(("source", "code", "includes"), SLOW.values(), ids=SLOW)
def test_slow_template_ends_in_its_time(
    hasty: TemplateWorker, source: str, code: str, includes: Includes
) -> None:
    bomb_ends(hasty, source, code, includes)


def test_there_are_at_least_80_bombs() -> None:
    assert len(ALL_BOMBS) >= 80


@pytest.mark.parametrize(("source", "code", "includes"), QUICK.values(), ids=QUICK)
def test_bomb_ends_with_its_code_and_the_next_render_succeeds(
    worker: TemplateWorker, source: str, code: str, includes: Includes
) -> None:
    bomb_ends(worker, source, code, includes)


def bomb_ends(worker: TemplateWorker, source: str, code: str, includes: Includes) -> None:
    """Assert that a template ends with its code soon, and that the next one is rendered."""
    _render(worker, "warm")
    child = _child(worker)
    before_s = sum(child.cpu_times()[:2]) + _ended_s()

    with pytest.raises(RenderFailure) as failure:
        _render(worker, source, includes)

    assert failure.value.code == code, failure.value.detail
    replaced = _child(worker).pid != child.pid
    assert replaced == (code == FUEL)
    if replaced:
        assert _ended_s() - before_s < CPU_S
    assert _render(worker, "{{ rows|length }}{{ rows[0].n + 1 }}") == "10001"


def _render(worker: TemplateWorker, source: str, includes: Includes | None = None) -> str:
    deadline = time.time() + WALL_S
    return worker.render(
        source, DATA, strict=False, deadline=deadline, includes=includes or Includes()
    )


def _child(worker: TemplateWorker) -> psutil.Process:
    assert worker._child is not None
    return psutil.Process(worker._child._process.pid)


def _ended_s() -> float:
    """Return the processor time in seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
