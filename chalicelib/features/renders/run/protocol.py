"""Messages between the API function and the render function."""

from typing import Final, NamedTuple, Self

import msgspec

from chalicelib.adapters.aws.messages import text_fields
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.core.json import Json, JsonObject, OpaqueObject
from chalicelib.core.message_version import check_version
from chalicelib.engine.job import Job
from chalicelib.engine.remote.calls import MAX_INLINE_JOB_BYTES

# Of calls and their answers.
VERSION: Final = 3
_QUEUED_VERSION: Final = 1
# A job that fits into this call also fits into that of the engine.
MAX_BODY_BYTES: Final = MAX_INLINE_JOB_BYTES - 100_000


class RenderMessage(msgspec.Struct, frozen=True):
    """Call of the render function, or its answer."""

    def to_json(self) -> dict[str, Json]:
        """Return the payload."""
        return {"v": VERSION, **msgspec.to_builtins(self)}

    @classmethod
    def from_json(cls, payload: JsonObject) -> Self:
        """Parse the JSON that `to_json` returned; raises UnknownVersion."""
        check_version(payload, VERSION)
        return msgspec.convert(payload, cls)


class RunRenderCall(RenderMessage, frozen=True):
    """Call to run one attempt of a render now, with its job or with its body in the bucket.

    `row` is the new render, whose first attempt is promised to this invocation (decision 10);
    without it the attempt is claimed. From `ends_at` on (Unix seconds), if it is set, the document
    is useless. `deadline` bounds the wait for a free function.
    """

    workspace_id: WorkspaceId
    render_id: RenderId
    attempt: int
    job: Job | None
    row: OpaqueObject | None
    deadline: float
    return_body: bool
    ends_at: float | None
    request_id: str
    traceparent: str | None = None


class QueuedRender(NamedTuple):
    """Message to run the next attempt of a queued render; its body is in the bucket."""

    workspace_id: WorkspaceId
    render_id: RenderId
    request_id: str
    traceparent: str | None = None

    def to_json(self) -> dict[str, Json]:
        """Return the body of the queue message."""
        fields = {name: value for name, value in self._asdict().items() if value is not None}
        return {"v": _QUEUED_VERSION, **fields}

    @classmethod
    def from_json(cls, message: JsonObject) -> "QueuedRender":
        """Parse the JSON that `to_json` wrote; raises UnknownVersion or PoisonMessageError."""
        check_version(message, _QUEUED_VERSION)
        workspace_id, render_id, request_id = text_fields(
            message,
            workspace_id="ws_[0-9A-Z]{26}",
            render_id="rnd_[0-9A-Z]{26}",
            request_id=r"[A-Za-z0-9._-]{1,128}",
        )
        traceparent = message.get("traceparent")
        return cls(
            WorkspaceId(workspace_id),
            RenderId(render_id),
            request_id,
            traceparent if isinstance(traceparent, str) else None,
        )


class RunRenderAnswer(RenderMessage, frozen=True):
    """Row after the attempt, and its files in base64 if they were requested and fit."""

    row: OpaqueObject | None
    contents: tuple[str, ...] | None
