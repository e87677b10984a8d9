"""Runner with threads: one process serves a function's invocations, as many at once as it may."""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from infra.local.functions import LambdaFunction
from infra.local.runner import process
from infra.local.runner.pool import IDLE_TIMEOUT_S, WorkerPool
from infra.local.runner.process import InvocationAnswer
from tests.unit.infra.test_runner import call, error, function, pool

NOTHING = {"do": "sleep", "s": 0}


def threaded(handler: str = "functions.act", **changed: Any) -> LambdaFunction:
    return function(handler, **({"concurrency": 64} | changed), serves_in_threads=True)


def pid(answer: InvocationAnswer) -> int:
    assert answer.error is None, answer.payload
    return int(json.loads(answer.payload)["pid"])


def send(
    threads: ThreadPoolExecutor, running: WorkerPool, *events: dict[str, Any]
) -> list["Future[InvocationAnswer]"]:
    """Send events at once, and wait until all are being served."""
    sent = [threads.submit(call, running, event) for event in events]
    while running.size() < len(events):
        time.sleep(0.01)
    time.sleep(0.2)
    return sent


def has_ended(process_id: int) -> bool:
    """Tell whether a process ends within five seconds."""
    try:
        psutil.Process(process_id).wait(5)
    except psutil.TimeoutExpired:
        return False
    except psutil.NoSuchProcess:
        return True
    return True


@pytest.mark.parametrize("make", [function, threaded])
def test_process_that_is_not_ready_in_time_is_replaced(
    make: Callable[[], LambdaFunction], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pool(make()) as running:
        with monkeypatch.context() as hurried:
            hurried.setattr(process, "_START_TIMEOUT_S", 0.01)
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


def test_invocations_run_at_the_same_time_up_to_the_concurrency() -> None:
    with pool(threaded(concurrency=8)) as running, ThreadPoolExecutor(16) as threads:
        pid(call(running, NOTHING))
        began = time.monotonic()
        list(threads.map(lambda _: pid(call(running, {"do": "sleep", "s": 0.5})), range(16)))
        took = time.monotonic() - began
        size = running.size()

    assert 1 <= took < 4
    assert size == 8


def test_timeout_of_one_invocation_leaves_the_others_their_answers() -> None:
    with pool(threaded(timeout_s=1.0)) as running, ThreadPoolExecutor(4) as threads:
        first = pid(call(running, NOTHING))
        call(running, NOTHING)
        hangs = threads.submit(call, running, {"do": "child"})
        time.sleep(0.6)
        others = send(threads, running, *[{"do": "sleep", "s": 0.7}] * 3)
        failure = error(hangs.result())
        later = pid(call(running, NOTHING))

        assert failure["errorType"] == "Sandbox.Timedout"
        assert {pid(other.result()) for other in others} == {first}
        # A thread cannot be killed: its process ends with the invocations of the others.
        assert later != first
        assert has_ended(first)
        assert pid(call(running, NOTHING)) == later


def test_end_of_the_process_fails_all_its_invocations_once() -> None:
    with pool(threaded()) as running, ThreadPoolExecutor(6) as threads:
        first = pid(call(running, NOTHING))
        others = send(threads, running, *[{"do": "sleep", "s": 30}] * 5)
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
def test_process_ends_with_its_last_idle_thread(warm_count: int) -> None:
    with pool(threaded(warm_count=warm_count)) as running, ThreadPoolExecutor(4) as threads:
        for thread in running.warm_up():
            thread.join()
        (process,) = {
            pid(each.result()) for each in send(threads, running, *[{"do": "sleep", "s": 0.5}] * 4)
        }
        for worker in running._idle_workers:
            worker.idle_since -= IDLE_TIMEOUT_S + 1
        running.reap()

        assert running.size() == warm_count
        assert has_ended(process) is (warm_count == 0)
        assert pid(call(running, NOTHING)) != process or warm_count == 1


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
    with pool(threaded(timeout_s=1.5)) as running, ThreadPoolExecutor(2) as threads:
        first = pid(call(running, NOTHING))
        psutil.Process(first).suspend()
        # More than a socket holds.
        sent = threads.submit(call, running, {"do": "sleep", "s": 0, "text": "x" * 4_000_000})
        failure = error(sent.result(10))["errorType"]

        assert failure == "Sandbox.Timedout"
        assert has_ended(first)
        assert pid(call(running, NOTHING)) != first
