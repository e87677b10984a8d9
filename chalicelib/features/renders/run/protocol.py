"""Messages between the API function and the render function."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from chalicelib.adapters.aws.messages import check_version, text_fields
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.renders.model import RenderBody

VERSION: Final = 1
# Lambda's response limit is 6 MB; base64 adds a third.
MAX_RETURNED_BYTES: Final = 4_300_000
# Lambda's request limit is 6 MB.
MAX_BODY_BYTES: Final = 5_900_000


class RunRenderCall(NamedTuple):
    """Call to run one attempt of a render now; `body` None: the body is in the bucket.

    `row`: the new render, whose first attempt is promised to this invocation (decision 10); None:
    claim the attempt. `ends_at`: the document is useless from then on (Unix seconds); None: never.
    """

    workspace_id: WorkspaceId
    render_id: RenderId
    attempt: int
    body: RenderBody | None
    row: dict[str, Any] | None
    deadline: float
    return_body: bool
    ends_at: float | None
    request_id: str

    def to_json(self) -> dict[str, Any]:
        """Return the invocation's payload; `deadline` bounds the wait for a free function."""
        return {
            "v": VERSION,
            "workspace_id": self.workspace_id,
            "render_id": self.render_id,
            "attempt": self.attempt,
            "body": self.body.to_json() if self.body else None,
            "row": self.row,
            "deadline": self.deadline,
            "return_body": self.return_body,
            "ends_at": self.ends_at,
            "request_id": self.request_id,
        }

    @classmethod
    def from_json(cls, event: dict[str, Any]) -> "RunRenderCall":
        """Parse the JSON that `to_json` wrote; raises UnknownVersion."""
        check_version(event, VERSION)
        return cls(
            WorkspaceId(event["workspace_id"]),
            RenderId(event["render_id"]),
            event["attempt"],
            RenderBody.from_json(event["body"]) if event["body"] else None,
            event["row"],
            event["deadline"],
            event["return_body"],
            event["ends_at"],
            event["request_id"],
        )


class QueuedRender(NamedTuple):
    """Message to run the next attempt of a queued render; its body is in the bucket."""

    workspace_id: WorkspaceId
    render_id: RenderId
    request_id: str

    def to_json(self) -> dict[str, Any]:
        """Return the body of the queue message."""
        return {
            "v": VERSION,
            "workspace_id": self.workspace_id,
            "render_id": self.render_id,
            "request_id": self.request_id,
        }

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> "QueuedRender":
        """Parse the JSON that `to_json` wrote; raises UnknownVersion or PoisonMessage."""
        check_version(message, VERSION)
        workspace_id, render_id, request_id = text_fields(
            message,
            workspace_id="ws_[0-9A-Z]{26}",
            render_id="rnd_[0-9A-Z]{26}",
            request_id=r"[A-Za-z0-9._-]{1,128}",
        )
        return cls(WorkspaceId(workspace_id), RenderId(render_id), request_id)


class RunRenderAnswer(NamedTuple):
    """Row after the attempt, and the file in base64 if it was requested and fits."""

    row: dict[str, Any] | None
    content: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the invocation's response."""
        return {"v": VERSION, "row": self.row, "content": self.content}

    @classmethod
    def from_json(cls, answer: dict[str, Any]) -> "RunRenderAnswer":
        """Parse the JSON that `to_json` wrote; raises UnknownVersion."""
        check_version(answer, VERSION)
        return cls(answer["row"], answer["content"])
