"""Invocation of a function, as the runner passes it from its caller to a worker process."""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of a function; times are epoch seconds.

    `slot_deadline` is called when all processes are busy. With `waits_for_slot` the invocation
    waits for a slot even if the pool throttles.
    """

    payload: bytes
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    client_context: Mapping[str, Any] | None = None
    tenant: str | None = None
    slot_deadline: Callable[[], float | None] = lambda: None
    answer_deadline: float | None = None
    waits_for_slot: bool = False


def slot_deadline(payload: bytes) -> float | None:
    """Return the top-level `deadline` (epoch seconds) of a payload, or None."""
    try:
        event = json.loads(payload)
    except ValueError:
        return None
    deadline = event.get("deadline") if isinstance(event, dict) else None
    return float(deadline) if isinstance(deadline, int | float) else None
