"""Invocation of a function, as the runner passes it from its caller to a worker."""

import json
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from infra.local.runner.process import InvocationAnswer, Worker


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of a function; times are epoch seconds.

    `slot_deadline` is called when all workers are busy. With `waits_for_slot` the invocation
    waits for a slot even if the pool throttles.
    """

    payload: bytes
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    client_context: Mapping[str, Any] | None = None
    tenant: str | None = None
    slot_deadline: Callable[[], float | None] = lambda: None
    answer_deadline: float | None = None
    waits_for_slot: bool = False


@dataclass(slots=True)
class SlotTicket:
    """Ticket in the queue for a slot; `owner` is the workspace whose share it needs."""

    tenant: str | None
    owner: str | None = None
    granted: threading.Event = field(default_factory=threading.Event)
    worker: Worker | None = None
    failure: InvocationAnswer | None = None

    def grant(self, worker: Worker) -> None:
        """Give the slot of a worker, which is bound to the tenant from now on."""
        worker.tenant, worker.owner = self.tenant, self.owner
        self.worker = worker
        self.granted.set()

    def fail(self, answer: InvocationAnswer) -> None:
        """Answer the invocation without a slot."""
        self.failure = answer
        self.granted.set()


def slot_deadline(payload: bytes) -> float | None:
    """Return the top-level `deadline` or `until` (epoch seconds) of a payload, or None."""
    try:
        event = json.loads(payload)
    except ValueError:
        return None
    deadline = event.get("deadline", event.get("until")) if isinstance(event, dict) else None
    return float(deadline) if isinstance(deadline, int | float) else None


def owner_of(payload: bytes) -> str | None:
    """Return the workspace that a payload names for its function, or None."""
    try:
        event = json.loads(payload)
    except ValueError:
        return None
    owner = event.get("workspace_id", event.get("workspace")) if isinstance(event, dict) else None
    return owner if isinstance(owner, str) else None
