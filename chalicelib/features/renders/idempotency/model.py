"""Idempotency-Key of a caller, what is known of its first request, and the errors of a repeat."""

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import Final

from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.renders.model import RenderStatus
from chalicelib.features.workspaces.model import Mode

RETENTION: Final = dt.timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """Idempotency-Key of a caller with its scope and the hash of the request body."""

    workspace_id: WorkspaceId
    mode: Mode
    route: str
    key: str
    body_sha256: str

    @property
    def partition(self) -> str:
        """Return the partition of the record; the key is hashed as it may hold any characters."""
        digest = hashlib.sha256(self.key.encode()).hexdigest()
        return f"IDEM#{self.workspace_id}#{self.mode}#{self.route}#{digest}"


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """Render of a key; `accepted` is its state in the 202 answer, None if there was none."""

    render_id: RenderId
    accepted: "Accepted202 | None"


@dataclass(frozen=True, slots=True)
class Accepted202:
    """State of an unfinished render in its first answer."""

    status: RenderStatus
    started_at: str | None


def in_progress_error(render_id: RenderId | None = None) -> ServiceError:
    """Return the error of a repeat that comes while the first request runs."""
    return ServiceError(
        "idempotency_in_progress",
        "The first request with this Idempotency-Key is still running. Send it again "
        "with the same key after a pause.",
        headers={"Retry-After": "1"},
        render_id=render_id,
    )


def key_reused_error() -> ServiceError:
    """Return the error of a key that came with another body."""
    return ServiceError(
        "idempotency_key_reused",
        "This Idempotency-Key came with another body before. Use a new key for a new "
        "request, and the same body for a repeat.",
    )
