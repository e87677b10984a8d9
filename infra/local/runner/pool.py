"""Pool of a function's workers: grows up to its concurrency, grants slots in order."""

import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

from infra.local.functions import LambdaFunction
from infra.local.runner.invocation import Invocation, SlotTicket, owner_of
from infra.local.runner.process import (
    InvocationAnswer,
    Worker,
    kill_workers,
    lambda_failure,
    timeout_failure,
    worker_answer,
)

IDLE_TIMEOUT_S: Final = 180.0
INIT_REQUEST_ID: Final = "init"
# More processes would not start sooner together, and the first of them later.
MAX_STARTING: Final = max(2, os.cpu_count() or 1)
_STACK_STOPPED: Final = lambda_failure("Sandbox.Stopped", "The stack stops.")


class Throttled(Exception):  # noqa: N818 -- named as Lambda names it
    """No slot was free in time."""


class StillRunning(Exception):  # noqa: N818 -- an answer, not a fault
    """The invocation continues, but its caller stopped waiting."""


class PoolLoad(NamedTuple):
    """Invocations of a function now, its workers, and the ids of the processes that they are in."""

    running: int
    waiting: int
    workers: int
    processes: tuple[int, ...]

    @property
    def is_busy(self) -> bool:
        """Tell whether an invocation runs or waits for a worker."""
        return self.running + self.waiting > 0


class WorkerPool:
    """Pool that runs each concurrent invocation of one function in a worker of its own.

    A worker is a process, as on Lambda, or a thread of one. If the function isolates tenants, no
    process serves two: an idle process of another tenant ends when its slot is needed. If it has a
    share, so many workers at most serve one workspace, and those that wait take turns.
    """

    def __init__(
        self,
        function: LambdaFunction,
        launch: Callable[[], Worker],
        *,
        report: Callable[[LambdaFunction, Invocation, InvocationAnswer, float], None],
        throttle: bool = False,
    ) -> None:
        """Use `launch` to start a worker; call `report` at the end of every invocation."""
        self.function = function
        self._launch = launch
        self._report = report
        self._throttle = throttle
        self._lock = threading.Lock()
        self._idle_workers: list[Worker] = []
        self._workers: set[Worker] = set()
        self._tickets: list[SlotTicket] = []
        self._starting_count = 0
        self._is_closed = False

    def warm_up(self) -> list[threading.Thread]:
        """Start the warm workers; each returned thread ends when its worker is ready."""
        with self._lock:
            started = [self._start_worker_thread() for _ in range(self.function.warm_count)]
        return [thread for thread in started if thread is not None]

    def invoke(self, invocation: Invocation) -> InvocationAnswer:
        """Run the function; raises Throttled without a slot, StillRunning past its deadline."""
        worker = self._acquire_worker(invocation)
        if isinstance(worker, InvocationAnswer):
            self._report(self.function, invocation, worker, 0.0)
            return worker
        started = time.monotonic()
        try:
            self._send_invocation(worker, invocation, started)
            return self._receive_answer(worker, invocation, started, bounded=True)
        except TimeoutError:
            rest = threading.Thread(
                target=self._receive_answer, args=(worker, invocation, started), daemon=True
            )
            rest.start()
            raise StillRunning from None

    def reap(self) -> None:
        """End workers that were idle for a while, down to the warm count."""
        with self._lock:
            surplus = max(0, len(self._workers) - self.function.warm_count)
            limit = time.monotonic() - IDLE_TIMEOUT_S
            expired = [each for each in self._idle_workers if each.idle_since < limit][:surplus]
            for worker in expired:
                self._idle_workers.remove(worker)
                self._workers.discard(worker)
        for worker in expired:
            worker.retire()

    def size(self) -> int:
        """Return the number of workers."""
        return len(self._workers)

    def load(self) -> PoolLoad:
        """Return the load at this moment."""
        with self._lock:
            workers = len(self._workers)
            processes = {worker.process.pid for worker in self._workers}
            running = workers - len(self._idle_workers)
            return PoolLoad(running, len(self._tickets), workers, tuple(sorted(processes)))

    def close(self) -> None:
        """Kill all workers; waiting invocations fail."""
        with self._lock:
            self._is_closed = True
            workers, self._workers = list(self._workers), set()
            for ticket in self._tickets:
                ticket.fail(_STACK_STOPPED)
            self._tickets.clear()
        kill_workers(workers)

    def _acquire_worker(self, invocation: Invocation) -> Worker | InvocationAnswer:
        tenant = invocation.tenant if self.function.isolates_tenants else None
        assert tenant or not self.function.isolates_tenants, "the Invoke API lets no other pass"
        owner = None if self.function.share is None else owner_of(invocation.payload)
        with self._lock:
            if self._is_closed:
                return _STACK_STOPPED
            if self._has_share(owner) and (worker := self._take_idle_worker(tenant)):
                worker.tenant, worker.owner = tenant, owner
                return worker
            # Every ticket gets a worker of its own, even if that does not start yet. The slot of
            # an idle worker, which is another tenant's here, may be taken.
            promised = len(self._workers) + max(self._starting_count, len(self._tickets))
            can_grow = promised < self.function.concurrency or bool(self._idle_workers)
            may_throttle = self._throttle and not invocation.waits_for_slot
            # A worker that is starting for no ticket yet will serve this invocation.
            if may_throttle and not can_grow and self._starting_count <= len(self._tickets):
                raise Throttled
            ticket = SlotTicket(tenant, owner)
            self._tickets.append(ticket)
            self._grow()
        deadline = invocation.slot_deadline()
        timeout_s = None if deadline is None else max(0.0, deadline - time.time())
        if not ticket.granted.wait(timeout_s):
            with self._lock:
                if not ticket.granted.is_set():
                    self._tickets.remove(ticket)
                    raise Throttled
        granted = ticket.worker or ticket.failure
        assert granted is not None
        return granted

    def _take_idle_worker(self, tenant: str | None) -> Worker | None:
        """Return an idle worker that may serve the tenant: its own first, the last used first."""
        usable = [each for each in reversed(self._idle_workers) if each.may_serve(tenant)]
        for worker in sorted(usable, key=lambda each: each.tenant is None):
            self._idle_workers.remove(worker)
            if worker.is_alive():
                return worker
            self._workers.discard(worker)
            # Its process may have to be killed, which no other caller waits for.
            threading.Thread(target=worker.retire, daemon=True).start()
        return None

    def _send_invocation(self, worker: Worker, invocation: Invocation, started: float) -> None:
        head = {
            "request_id": invocation.request_id,
            "arn": f"arn:aws:lambda:us-east-1:000000000000:function:{self.function.name}",
            "deadline": time.time() + self.function.timeout_s,
            "client_context": invocation.client_context,
            "tenant_id": invocation.tenant,
        }
        try:
            deadline = started + self.function.timeout_s
            worker.channel.send(head, invocation.payload, deadline)
        except OSError:
            return  # The process has ended or hangs; the receive that follows reports it.

    def _receive_answer(
        self,
        worker: Worker,
        invocation: Invocation,
        started: float,
        *,
        bounded: bool = False,
    ) -> InvocationAnswer:
        deadline = started + self.function.timeout_s
        if bounded and invocation.answer_deadline is not None:
            deadline = min(deadline, time.monotonic() + invocation.answer_deadline - time.time())
        try:
            head, payload = worker.channel.receive(deadline)
        except TimeoutError:
            if deadline < started + self.function.timeout_s:
                raise
            answer = timeout_failure(invocation.request_id, self.function.timeout_s)
            self._discard_worker(worker)
        except EOFError:
            answer = worker.exit_failure(invocation.request_id)
            self._discard_worker(worker)
        else:
            answer = worker_answer(head, payload)
            self._release_worker(worker)
        self._report(self.function, invocation, answer, time.monotonic() - started)
        return answer

    def _release_worker(self, worker: Worker) -> None:
        if not worker.is_alive():
            self._discard_worker(worker)
            return
        worker.idle_since = time.monotonic()
        with self._lock:
            worker.owner = None
            self._assign(worker)

    def _assign(self, worker: Worker) -> None:
        """Give a free worker to a ticket, or else keep it; called with the lock held."""
        if self._is_closed:
            return
        if ticket := self._next_ticket(worker):
            self._tickets.remove(ticket)
            ticket.grant(worker)
            return
        self._idle_workers.append(worker)
        self._grow()

    def _next_ticket(self, worker: Worker) -> SlotTicket | None:
        """Return the first ticket that a worker may serve, unless it would overtake another.

        A ticket may overtake those for which workers are starting, because they lose nothing.
        """
        reachable = self._due_tickets()[: self._starting_count + 1]
        return next((ticket for ticket in reachable if worker.may_serve(ticket.tenant)), None)

    def _due_tickets(self) -> list[SlotTicket]:
        """Return the tickets within their owners' shares, those with the fewest workers first."""
        workers = Counter(worker.owner for worker in self._workers)
        ranked = []
        for ticket in self._tickets:
            rank = workers[ticket.owner]
            workers[ticket.owner] += 1
            if self._is_within_share(ticket.owner, rank):
                ranked.append((rank, ticket))
        return [ticket for _, ticket in sorted(ranked, key=lambda each: each[0])]

    def _has_share(self, owner: str | None) -> bool:
        return self._is_within_share(owner, sum(each.owner == owner for each in self._workers))

    def _is_within_share(self, owner: str | None, workers: int) -> bool:
        share = self.function.share
        return owner is None or share is None or workers < share

    def _discard_worker(self, worker: Worker) -> None:
        worker.kill()
        with self._lock:
            # With a thread that hangs, those of the same process are of no more use.
            ended = {idle for idle in self._idle_workers if not idle.is_alive()}
            self._idle_workers = [idle for idle in self._idle_workers if idle not in ended]
            self._workers -= {worker, *ended}
            self._grow()
            if self._planned_size() < self.function.warm_count and not self._is_closed:
                self._start_worker_thread()
        for idle in ended:
            idle.retire()

    def _planned_size(self) -> int:
        return len(self._workers) + self._starting_count

    def _grow(self) -> None:
        self._grant_idle_workers()
        wanted = min(len(self._due_tickets()), MAX_STARTING)
        while not self._is_closed and self._starting_count < wanted:
            replaced = None
            if self._planned_size() >= self.function.concurrency:
                if not self._idle_workers:
                    return
                # Only tenants whose tickets come later, if any, have idle workers now.
                replaced = self._idle_workers.pop(0)
                self._workers.discard(replaced)
            if self._start_worker_thread(replaced) is None:
                return

    def _grant_idle_workers(self) -> None:
        """Give idle workers to tickets whose owners have got room in their shares."""
        for worker in [each for each in self._idle_workers if each.is_alive()]:
            if ticket := self._next_ticket(worker):
                self._idle_workers.remove(worker)
                self._tickets.remove(ticket)
                ticket.grant(worker)

    def _start_worker_thread(self, replaced: Worker | None = None) -> threading.Thread | None:
        """Start a worker in a thread; called with the lock held.

        Without room for a thread, tickets that no worker will serve fail.
        """
        thread = threading.Thread(target=self._start_worker, args=(replaced,), daemon=True)
        self._starting_count += 1
        try:
            thread.start()
        except RuntimeError as error:
            self._starting_count -= 1
            if replaced is not None:
                self._workers.add(replaced)
                self._idle_workers.append(replaced)
            while self._tickets and not self._workers and not self._starting_count:
                self._tickets.pop().fail(lambda_failure("Sandbox.StartFailed", str(error)))
            return None
        return thread

    def _start_worker(self, replaced: Worker | None) -> None:
        if replaced is not None:
            replaced.kill()
        worker, problem = self._launch_worker()
        with self._lock:
            self._starting_count -= 1
            # The process of a thread may hang meanwhile; a ticket then gets another one.
            if worker and not problem and worker.is_alive() and not self._is_closed:
                self._workers.add(worker)
                self._assign(worker)
                self._grow()
                return
            if self._tickets and (problem or self._is_closed):
                self._tickets.pop(0).fail(problem or _STACK_STOPPED)
            self._grow()
        if worker:
            worker.kill()
        if problem and not self._is_closed:
            self._report(self.function, Invocation(b"", INIT_REQUEST_ID), problem, 0.0)

    def _launch_worker(self) -> tuple[Worker | None, InvocationAnswer | None]:
        """Return a worker, if one could be launched, and why it is not ready."""
        try:
            worker = self._launch()
        except Exception as error:  # noqa: BLE001 -- no process, memory or descriptor is left
            return None, lambda_failure("Sandbox.StartFailed", f"{type(error).__name__}: {error}")
        problem = worker.wait_until_ready()
        if problem is None and worker.process.poll() is not None:
            problem = worker.exit_failure(INIT_REQUEST_ID)
        return worker, problem
