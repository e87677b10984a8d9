"""The processes of one function: grows on demand up to its concurrency, gives slots in order."""

import json
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.functions import Function
from infra.local.runner.process import Answer, Worker, checked, failure, kill, timed_out

IDLE_S: Final = 60.0
INIT: Final = "init"
_STOPPED: Final = failure("Sandbox.Stopped", "The stack stops.")


class Throttled(Exception):  # noqa: N818 -- named as Lambda names it
    """No slot was free in time."""


class StillRunning(Exception):  # noqa: N818 -- an answer, not a fault
    """The invocation goes on, but its caller stopped waiting."""


@dataclass(slots=True)
class _Ticket:
    """A place in the queue for a slot."""

    called: threading.Event = field(default_factory=threading.Event)
    worker: Worker | None = None
    failure: Answer | None = None


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of a function; times are epoch seconds, `slot_by` is asked when all are busy.

    `patient`: waits for a slot where others are throttled.
    """

    payload: bytes
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    client_context: Mapping[str, Any] | None = None
    slot_by: Callable[[], float | None] = lambda: None
    answer_by: float | None = None
    patient: bool = False


class Pool:
    """Runs invocations of one function, each in a process of its own."""

    def __init__(
        self,
        function: Function,
        launch: Callable[[], Worker],
        *,
        report: Callable[[Function, Invocation, Answer, float], None],
        throttle: bool = False,
    ) -> None:
        """`launch` starts a process; `report` learns of every invocation's end and seconds."""
        self.function = function
        self._launch = launch
        self._report = report
        self._throttle = throttle
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._waiting: deque[_Ticket] = deque()
        self._starting = 0
        self._closed = False

    def warm_up(self) -> list[threading.Thread]:
        """Start the processes that are wanted early; each thread ends when one is ready."""
        with self._lock:
            self._starting += self.function.warm
        return [self._start_thread() for _ in range(self.function.warm)]

    def invoke(self, invocation: Invocation) -> Answer:
        """Run the function; raises Throttled without a slot, StillRunning past `answer_by`."""
        worker = self._take(invocation)
        if isinstance(worker, Answer):
            self._report(self.function, invocation, worker, 0.0)
            return worker
        started = time.monotonic()
        try:
            self._send(worker, invocation)
            return self._finish(worker, invocation, started, bounded=True)
        except TimeoutError:
            rest = threading.Thread(
                target=self._finish, args=(worker, invocation, started), daemon=True
            )
            rest.start()
            raise StillRunning from None

    def reap(self) -> None:
        """Let processes go that nobody needed for a minute, but never the warm ones."""
        with self._lock:
            spare = max(0, len(self._all) - self.function.warm)
            limit = time.monotonic() - IDLE_S
            leaving = [worker for worker in self._idle if worker.idle_since < limit][:spare]
            for worker in leaving:
                self._idle.remove(worker)
                self._all.discard(worker)
        for worker in leaving:
            worker.retire()

    def size(self) -> int:
        """Return how many processes there are."""
        return len(self._all)

    def close(self) -> None:
        """End every process."""
        with self._lock:
            self._closed = True
            workers, self._all = list(self._all), set()
            for ticket in self._waiting:
                ticket.failure = _STOPPED
                ticket.called.set()
            self._waiting.clear()
        kill(workers)

    def _take(self, invocation: Invocation) -> Worker | Answer:
        with self._lock:
            if self._closed:
                return _STOPPED
            while self._idle:
                worker = self._idle.pop()
                if worker.alive():
                    return worker
                self._all.discard(worker)
                worker.retire()
            room = len(self._all) + self._starting < self.function.concurrency
            throttled = self._throttle and not invocation.patient
            if throttled and not room and self._starting <= len(self._waiting):
                raise Throttled
            ticket = _Ticket()
            self._waiting.append(ticket)
            self._grow()
        slot_by = invocation.slot_by()
        timeout_s = None if slot_by is None else max(0.0, slot_by - time.time())
        if not ticket.called.wait(timeout_s):
            with self._lock:
                if not ticket.called.is_set():
                    self._waiting.remove(ticket)
                    raise Throttled
        taken = ticket.worker or ticket.failure
        assert taken is not None
        return taken

    def _send(self, worker: Worker, invocation: Invocation) -> None:
        head = {
            "request_id": invocation.request_id,
            "arn": f"arn:aws:lambda:us-east-1:000000000000:function:{self.function.name}",
            "deadline": time.time() + self.function.timeout_s,
            "client_context": invocation.client_context,
        }
        try:
            worker.channel.send(head, invocation.payload)
        except OSError:
            return  # The process has ended; the receive that follows says so.

    def _finish(
        self,
        worker: Worker,
        invocation: Invocation,
        started: float,
        *,
        bounded: bool = False,
    ) -> Answer:
        ends = started + self.function.timeout_s
        if bounded and invocation.answer_by is not None:
            ends = min(ends, time.monotonic() + invocation.answer_by - time.time())
        try:
            head, payload = worker.channel.receive(ends)
        except TimeoutError:
            if ends < started + self.function.timeout_s:
                raise
            answer = timed_out(invocation.request_id, self.function.timeout_s)
            self._discard(worker)
        except EOFError:
            answer = worker.died(invocation.request_id)
            self._discard(worker)
        else:
            answer = checked(head, payload)
            self._release(worker)
        self._report(self.function, invocation, answer, time.monotonic() - started)
        return answer

    def _release(self, worker: Worker) -> None:
        worker.idle_since = time.monotonic()
        with self._lock:
            if self._closed:
                return
            if self._waiting:
                ticket = self._waiting.popleft()
                ticket.worker = worker
                ticket.called.set()
            else:
                self._idle.append(worker)

    def _discard(self, worker: Worker) -> None:
        worker.kill()
        with self._lock:
            self._all.discard(worker)
            self._grow()
            if len(self._all) + self._starting < self.function.warm and not self._closed:
                self._starting += 1
                self._start_thread()

    def _grow(self) -> None:
        while (
            not self._closed
            and self._starting < len(self._waiting)
            and len(self._all) + self._starting < self.function.concurrency
        ):
            self._starting += 1
            self._start_thread()

    def _start_thread(self) -> threading.Thread:
        thread = threading.Thread(target=self._start, daemon=True)
        thread.start()
        return thread

    def _start(self) -> None:
        try:
            worker = self._launch()
        except RuntimeError:
            # What would start it has closed too.
            if self._closed:
                return
            raise
        problem = worker.wait_until_ready()
        with self._lock:
            self._starting -= 1
            if problem is None and not self._closed:
                self._all.add(worker)
            elif self._waiting:
                ticket = self._waiting.popleft()
                ticket.failure = problem or _STOPPED
                ticket.called.set()
        if problem is None and not self._closed:
            self._release(worker)
            return
        worker.kill()
        if problem is not None:
            self._report(self.function, Invocation(b"", INIT), problem, 0.0)


def slot_deadline(payload: bytes) -> float | None:
    """Return the caller's deadline (epoch seconds) that a payload carries at its top, if any."""
    try:
        event = json.loads(payload)
    except ValueError:
        return None
    deadline = event.get("deadline") if isinstance(event, dict) else None
    return float(deadline) if isinstance(deadline, int | float) else None
