"""Runner with threads: one process serves a function's invocations, as many at once as it may."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest

from infra.local.functions import LambdaFunction
from infra.local.runner.frames import Channel
from infra.local.runner.pool import IDLE_TIMEOUT_S, WorkerPool
from infra.local.runner.process import InvocationAnswer
from tests.builders.gate import Gate
from tests.builders.waiting import PATIENCE_S
from tests.unit.infra.test_runner import (
    NOTHING,
    call,
    error,
    function,
    pool,
    wait_for_tickets,
)


def threaded(handler: str = "functions.act", **changed: Any) -> LambdaFunction:
    return function(handler, **({"concurrency": 64} | changed), serves_in_threads=True)


def pid(answer: InvocationAnswer) -> int:
    assert answer.error is None, answer.payload
    return int(json.loads(answer.payload)["pid"])


def send(
    threads: ThreadPoolExecutor, running: WorkerPool, gate: Gate, count: int
) -> list["Future[InvocationAnswer]"]:
    """Send invocations to a gate at once, and wait until all are there."""
    sent = [threads.submit(call, running, gate.event) for _ in range(count)]
    gate.wait_for(count)
    return sent


def has_ended(process_id: int) -> bool:
    """Tell whether a process ends."""
    try:
        psutil.Process(process_id).wait(PATIENCE_S)
    except psutil.TimeoutExpired:
        return False
    except psutil.NoSuchProcess:
        return True
    return True


@pytest.mark.parametrize("make", [function, threaded])
def test_process_that_is_not_ready_in_time_is_replaced(
    make: Callable[[], LambdaFunction], monkeypatch: pytest.MonkeyPatch
) -> None:
    def time_out(_channel: Channel, _deadline: float) -> NoReturn:
        raise TimeoutError

    with pool(make()) as running:
        with monkeypatch.context() as late_start:
            late_start.setattr(Channel, "receive", time_out)
            late = error(call(running, NOTHING))

        assert late["errorType"] == "Sandbox.StartFailed"
        assert "not ready" in late["errorMessage"]
        assert call(running, NOTHING).error is None


@pytest.mark.parametrize("make", [function, threaded])
def test_call_without_room_for_a_thread_fails_and_the_next_is_served(
    make: Callable[..., LambdaFunction], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with pool(make(concurrency=1)) as running:
        with monkeypatch.context() as full:
            full.setattr(threading.Thread, "start", refuse)
            refused = error(call(running, NOTHING))

        assert refused["errorType"] == "Sandbox.StartFailed"
        assert call(running, NOTHING).error is None


def test_many_invocations_share_a_process_and_each_gets_its_own_answer() -> None:
    with pool(threaded("functions.echo")) as running, ThreadPoolExecutor(64) as threads:
        events = [{"number": number, "text": "x" * 100_000} for number in range(256)]
        answers = list(threads.map(lambda event: call(running, event), events))

    results = [json.loads(answer.payload) for answer in answers]
    assert [result["event"] for result in results] == events
    assert len({result["pid"] for result in results}) == 1


def test_invocations_run_at_the_same_time_up_to_the_concurrency(gate: Gate) -> None:
    with pool(threaded(concurrency=8)) as running, ThreadPoolExecutor(16) as threads:
        pid(call(running, NOTHING))
        sent = [threads.submit(call, running, gate.event) for _ in range(16)]
        gate.wait_for(8)
        wait_for_tickets(running, 8)
        at_once, size = gate.count(), running.size()
        gate.open()

    assert (at_once, size) == (8, 8)
    assert [each.result().error for each in sent] == [None] * 16


def test_timeout_of_one_invocation_leaves_the_others_their_answers(
    gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others_run, hung = threading.Event(), Gate(tmp_path / "hung")

    def time_out(_deadline: float) -> NoReturn:
        others_run.wait(PATIENCE_S)
        raise TimeoutError

    with pool(threaded()) as running, ThreadPoolExecutor(4) as threads:
        first = pid(call(running, NOTHING))
        (idle,) = running._idle_workers
        monkeypatch.setattr(idle.channel, "receive", time_out)
        hangs = threads.submit(call, running, hung.event)
        hung.wait_for(1)
        others = send(threads, running, gate, 3)
        others_run.set()
        failure = error(hangs.result())
        later = pid(call(running, NOTHING))
        gate.open()

        assert failure["errorType"] == "Sandbox.Timedout"
        assert {pid(other.result()) for other in others} == {first}
        # A thread cannot be killed: its process ends with the invocations of the others.
        assert later != first
        assert has_ended(first)
        assert pid(call(running, NOTHING)) == later


def test_end_of_the_process_fails_all_its_invocations_once(gate: Gate) -> None:
    with pool(threaded()) as running, ThreadPoolExecutor(6) as threads:
        first = pid(call(running, NOTHING))
        others = send(threads, running, gate, 5)
        psutil.Process(first).kill()
        failures = [error(other.result())["errorType"] for other in others]
        second = pid(call(running, NOTHING))

    assert failures == ["Runtime.ExitError"] * 5
    assert second != first


def test_handler_that_leaves_is_answered() -> None:
    with pool(threaded("functions.leave")) as running, ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: call(running, {}), range(4)))

    assert [error(answer)["errorType"] for answer in answers] == ["SystemExit"] * 4


def test_kernel_ends_processes_of_one_invocation_before_those_of_many() -> None:
    def score(declared: LambdaFunction) -> int:
        with pool(declared) as running:
            process = pid(call(running, NOTHING))
            return int(Path(f"/proc/{process}/oom_score_adj").read_text())

    assert score(function()) > score(threaded()) > int(Path("/proc/self/oom_score_adj").read_text())


def test_context_of_an_invocation_does_not_reach_the_next_one() -> None:
    with pool(threaded("functions.bind", concurrency=1)) as running:
        seen = [
            json.loads(call(running, {"value": value}).payload)["before"] for value in ("a", "b")
        ]

    assert seen == [None, None]


def test_handler_that_cannot_be_imported_fails_every_invocation() -> None:
    with pool(threaded("broken_function.handler")) as running, ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: call(running, {}), range(8)))

    assert {error(answer)["errorType"] for answer in answers} == {"Runtime.ImportModuleError"}


@pytest.mark.parametrize("warm_count", [0, 1])
def test_process_ends_with_its_last_idle_thread(warm_count: int, gate: Gate) -> None:
    with pool(threaded(warm_count=warm_count)) as running, ThreadPoolExecutor(4) as threads:
        for thread in running.warm_up():
            thread.join()
        sent = send(threads, running, gate, 4)
        gate.open()
        (process,) = {pid(each.result()) for each in sent}
        for worker in running._idle_workers:
            worker.idle_since -= IDLE_TIMEOUT_S + 1
        running.reap()

        assert running.size() == warm_count
        assert (pid(call(running, NOTHING)) == process) is (warm_count == 1)
        assert warm_count or has_ended(process)


class _Launches:
    """Launcher of workers that raises the given errors first."""

    def __init__(self, launch: Any, *errors: Exception) -> None:
        self._launch = launch
        self._errors = list(errors)

    def __call__(self) -> Any:
        if self._errors:
            raise self._errors.pop(0)
        return self._launch()


def test_start_that_fails_is_answered_and_the_next_one_is_tried() -> None:
    with pool(threaded(concurrency=1)) as running:
        running._launch = _Launches(
            running._launch, OSError("no descriptor"), RuntimeError("can't start new thread")
        )
        failures = [error(call(running, NOTHING))["errorMessage"] for _ in range(2)]
        follows = call(running, NOTHING)

    assert failures == ["OSError: no descriptor", "RuntimeError: can't start new thread"]
    assert follows.error is None


def test_process_that_ends_while_it_starts_fails_its_invocation() -> None:
    with pool(threaded("dying_function.handler", concurrency=1)) as running:
        failures = [error(call(running, NOTHING))["errorType"] for _ in range(3)]

    assert failures == ["Runtime.ExitError"] * 3


def test_invocation_that_a_hanging_process_does_not_take_ends_at_its_timeout() -> None:
    with pool(threaded()) as running, ThreadPoolExecutor(2) as threads:
        first = pid(call(running, NOTHING))
        psutil.Process(first).suspend()
        running.function = threaded(timeout_s=1.5)
        # More than a socket holds.
        sent = threads.submit(call, running, {"do": "sleep", "s": 0, "text": "x" * 4_000_000})
        failure = error(sent.result(PATIENCE_S))["errorType"]
        running.function = threaded()

        assert failure == "Sandbox.Timedout"
        assert has_ended(first)
        assert pid(call(running, NOTHING)) != first
