"""Runner over real worker processes: one process per invocation, killed at its timeout."""

import contextlib
import gc
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import psutil
import pytest

from infra.local.functions import LambdaFunction
from infra.local.processes import Spawner
from infra.local.runner.environment import worker_environment
from infra.local.runner.invocation import Invocation, slot_deadline
from infra.local.runner.pool import IDLE_TIMEOUT_S, StillRunning, Throttled, WorkerPool
from infra.local.runner.process import InvocationAnswer, WorkerProcess
from infra.local.runner.threads import ThreadLauncher
from tests.builders.gate import Gate
from tests.builders.waiting import PATIENCE_S, eventually

NOTHING: Final = {"do": "sleep", "s": 0}


def function(handler: str = "functions.act", **changed: Any) -> LambdaFunction:
    declared: dict[str, Any] = {
        "logical_id": "Fake",
        "name": "stack-Fake",
        "handler": f"tests.fakes.{handler}",
        "timeout_s": PATIENCE_S,
        "memory_mb": 512,
        "environment": {"PLATEN_TABLE": "t"},
        "concurrency": 2,
        "warm_count": 0,
        "queues": (),
        "schedules": (),
    }
    return LambdaFunction(**(declared | changed))


@contextlib.contextmanager
def pool(
    declared: LambdaFunction, lines: list[str] | None = None, *, throttle: bool = False
) -> Iterator[WorkerPool]:
    spawner = Spawner()
    environment = worker_environment(declared, {})

    def launch() -> WorkerProcess:
        return WorkerProcess(
            declared, environment, spawner, (lines if lines is not None else []).append
        )

    launcher = ThreadLauncher(launch) if declared.serves_in_threads else launch
    running = WorkerPool(declared, launcher, report=lambda *_: None, throttle=throttle)
    try:
        yield running
    finally:
        running.close()
        spawner.close()


def call(running: WorkerPool, event: Any, **more: Any) -> InvocationAnswer:
    return running.invoke(Invocation(json.dumps(event).encode(), **more))


def wait_for_tickets(running: WorkerPool, count: int) -> None:
    """Wait until so many invocations wait for a slot."""
    eventually(lambda: len(running._tickets) == count)


def error(answer: InvocationAnswer) -> dict[str, str]:
    assert answer.error == "Unhandled"
    failure: dict[str, str] = json.loads(answer.payload)
    return failure


def test_process_is_reused_and_sees_lambda_variables() -> None:
    with pool(function("functions.echo")) as running:
        first = json.loads(call(running, {"a": 1}, request_id="r-1").payload)
        second = json.loads(call(running, {"a": 2}).payload)

    assert first["event"] == {"a": 1}
    assert first["request_id"] == "r-1"
    assert (first["name"], first["table"]) == ("stack-Fake", "t")
    assert 1_000 * (PATIENCE_S - 20) < first["remaining_ms"] <= 1_000 * PATIENCE_S
    assert (second["pid"], second["calls"]) == (first["pid"], 2)


def test_concurrent_invocations_run_in_separate_processes_up_to_the_limit(gate: Gate) -> None:
    with pool(function()) as running, ThreadPoolExecutor(4) as threads:
        for _ in range(2):
            call(running, NOTHING)
        sent = [threads.submit(call, running, gate.event) for _ in range(4)]
        gate.wait_for(2)
        wait_for_tickets(running, 2)
        size, at_once = running.size(), gate.count()
        gate.open()

    assert len({json.loads(each.result().payload)["pid"] for each in sent}) == 2
    assert (size, at_once) == (2, 2)


def test_timeout_kills_the_process_and_its_children(gate: Gate) -> None:
    with pool(function(concurrency=1)) as running:
        child = json.loads(call(running, {"do": "child"}).payload)["child"]
        running.function = function(concurrency=1, timeout_s=0.5)
        answer = call(running, gate.event, request_id="r-9")
        running.function = function(concurrency=1)
        follows = call(running, NOTHING)

    failure = error(answer)
    assert failure["errorType"] == "Sandbox.Timedout"
    assert failure["errorMessage"] == "RequestId: r-9 Error: Task timed out after 0.50 seconds"
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE
    assert follows.error is None


def test_a_process_that_ends_is_an_exit_error_and_is_replaced() -> None:
    with pool(function()) as running:
        answer = call(running, {"do": "exit", "code": 7})
        follows = call(running, NOTHING)

    assert error(answer)["errorType"] == "Runtime.ExitError"
    assert "exit status 7" in error(answer)["errorMessage"]
    assert follows.error is None


def test_exception_is_reported_with_its_traceback() -> None:
    with pool(function()) as running:
        failure = error(call(running, {"do": "raise", "message": "no"}))

    assert (failure["errorType"], failure["errorMessage"]) == ("ValueError", "no")
    assert any("fakes/functions.py" in line for line in failure["stackTrace"])


def test_a_handler_that_cannot_be_imported_fails_its_invocation() -> None:
    with pool(function("broken_function.handler")) as running:
        failure = error(call(running, {}))

    assert failure["errorType"] == "Runtime.ImportModuleError"
    assert failure["errorMessage"] == "no such setting"


def test_every_invocation_fails_if_no_process_starts() -> None:
    with (
        pool(function("broken_function.handler", concurrency=1)) as running,
        ThreadPoolExecutor(3) as threads,
    ):
        answers = list(threads.map(lambda _: call(running, {}), range(3)))

    assert {error(answer)["errorType"] for answer in answers} == {"Runtime.ImportModuleError"}


def test_an_answer_over_six_megabytes_is_an_error() -> None:
    with pool(function()) as running:
        failure = error(call(running, {"do": "answer", "bytes": 6_291_555}))
        fits = call(running, {"do": "answer", "bytes": 6_291_554})

    assert failure["errorType"] == "Function.ResponseSizeTooLarge"
    assert fits.error is None


@contextlib.contextmanager
def busy(running: WorkerPool, gate: Gate, **more: Any) -> Iterator[None]:
    """Let one invocation run during the block."""
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(call, running, gate.event, **more)
        try:
            gate.wait_for(1)
            yield
        finally:
            gate.open()
    assert answer.result().error is None


def test_waiting_for_a_slot_ends_at_the_callers_deadline(gate: Gate) -> None:
    with pool(function(concurrency=1)) as running:
        with busy(running, gate):
            began = time.monotonic()
            with pytest.raises(Throttled):
                call(running, NOTHING, slot_deadline=lambda: time.time() + 0.2)
            waited = time.monotonic() - began
        after = call(running, NOTHING)

    assert waited > 0.15
    assert after.error is None


def test_slots_are_assigned_in_request_order(gate: Gate) -> None:
    with pool(function(concurrency=1)) as running, ThreadPoolExecutor(6) as threads:
        with busy(running, gate):
            sent = []
            for number in range(1, 7):
                sent.append(threads.submit(call, running, NOTHING))
                wait_for_tickets(running, number)
        moments = [json.loads(each.result().payload)["began"] for each in sent]

    assert moments == sorted(moments)


def test_throttling_refuses_at_once_when_every_slot_is_busy(gate: Gate) -> None:
    with (
        pool(function(concurrency=1), throttle=True) as running,
        busy(running, gate),
        pytest.raises(Throttled),
    ):
        call(running, NOTHING)


def test_invocation_that_waits_for_a_slot_is_not_throttled(gate: Gate) -> None:
    with (
        pool(function(concurrency=1), throttle=True) as running,
        ThreadPoolExecutor(1) as thread,
    ):
        with busy(running, gate):
            waiting = thread.submit(call, running, NOTHING, waits_for_slot=True)
            wait_for_tickets(running, 1)
        answer = waiting.result()

    assert answer.error is None


def test_a_caller_that_stops_waiting_does_not_stop_the_invocation(gate: Gate) -> None:
    with pool(function(concurrency=1)) as running:
        call(running, NOTHING)
        with pytest.raises(StillRunning):
            call(running, gate.event, answer_deadline=time.time() + 0.2)
        gate.wait_for(1)
        gate.open()
        follows = call(running, NOTHING)

    assert follows.error is None


def test_warm_processes_start_early_and_surplus_idle_ones_end(gate: Gate) -> None:
    with pool(function(warm_count=1)) as running:
        for thread in running.warm_up():
            thread.join()
        early = running.size()
        with ThreadPoolExecutor(2) as threads:
            for _ in range(2):
                threads.submit(call, running, gate.event)
            gate.wait_for(2)
            gate.open()
        grown = running.size()
        for worker in running._idle_workers:
            worker.idle_since -= IDLE_TIMEOUT_S + 1
        running.reap()
        left = running.size()

    assert (early, grown, left) == (1, 2, 1)


def test_a_process_that_cannot_be_started_leaves_nothing_open() -> None:
    declared, spawner = function(), Spawner()
    spawner.close()
    with pytest.raises(RuntimeError, match="after shutdown"):
        WorkerProcess(declared, worker_environment(declared, {}), spawner, print)

    # An unclosed resource warns when it is collected, which fails the test.
    gc.collect()


def test_function_output_reaches_the_log() -> None:
    lines: list[str] = []
    with pool(function(), lines) as running:
        call(running, {"do": "print", "line": "hello"})
        eventually(lambda: "hello" in lines)


@pytest.mark.parametrize(
    ("payload", "expected"),
    [(b'{"deadline": 12.5}', 12.5), (b"{}", None), (b"[]", None), (b"no", None)],
)
def test_the_deadline_is_read_from_the_top_of_the_payload(
    payload: bytes, expected: float | None
) -> None:
    assert slot_deadline(payload) == expected
