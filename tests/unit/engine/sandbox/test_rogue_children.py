"""Children that were taken over: the service neither hangs nor takes their word for another's."""

import time
from collections.abc import Iterator

import psutil
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.sandbox.sandboxed_worker import SandboxedWorker
from tests.builders import rogue_child
from tests.builders.waiting import PATIENCE_S, generous_deadline


@pytest.fixture
def worker(request: pytest.FixtureRequest) -> Iterator[SandboxedWorker]:
    made: SandboxedWorker = SandboxedWorker(
        "tests.builders.rogue_child", "The child", {"ROGUE": request.param}
    )
    yield made
    made.close()


@pytest.mark.parametrize(
    "worker",
    [*sorted(set(rogue_child.ANSWERS) - {"twice", "silent"}), "walls"],
    indirect=True,
)
def test_what_is_no_message_is_a_failure_of_the_child(worker: SandboxedWorker) -> None:
    for _ in range(2):
        with pytest.raises(RenderFailure) as failed:
            worker.call({}, generous_deadline())
        assert failed.value.code == "template_fuel_exhausted"


@pytest.mark.parametrize("worker", ["silent", "stopped"], indirect=True)
def test_a_child_that_does_not_move_ends_at_the_deadline(worker: SandboxedWorker) -> None:
    worker.prove_walls(generous_deadline())
    children = psutil.Process().children()

    # More than a pipe takes.
    with pytest.raises(RenderFailure) as late:
        worker.call({}, time.time() + 1, [bytes(10_000_000)])

    assert late.value.code == "render_timeout"
    assert not any(each.is_running() for each in children)


@pytest.mark.parametrize("worker", ["twice"], indirect=True)
def test_a_second_answer_is_not_that_to_the_next_request(worker: SandboxedWorker) -> None:
    answers = [worker.call({}, generous_deadline())["answer"] for _ in range(3)]

    assert answers == ["good"] * 3


def test_a_forked_child_that_stays_does_not_get_the_next_request() -> None:
    worker: SandboxedWorker = SandboxedWorker(
        "tests.builders.rogue_child", "The child", {"ROGUE": "stays"}, forks=True
    )
    try:
        worker.call({}, generous_deadline())
        processes = psutil.Process().children(recursive=True)
        worker.call({}, generous_deadline())

        # Both were ended before the next request went to others.
        assert len(processes) == 2
        _, alive = psutil.wait_procs(processes, timeout=PATIENCE_S)
        assert not [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]
    finally:
        worker.close()
