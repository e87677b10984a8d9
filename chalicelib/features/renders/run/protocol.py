"""What the API function and the render function say to each other."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from chalicelib.adapters.aws.messages import check_version, text_fields
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.renders.model import RenderBody

VERSION: Final = 1
# A Lambda answers with 6 MB at most; what travels in base64 grows by a third.
MAX_RETURNED_BYTES: Final = 4_300_000
# A Lambda is called with 6 MB at most.
MAX_BODY_BYTES: Final = 5_900_000


class RunRenderCall(NamedTuple):
    """Run one attempt of a render now, and say how it ended; `body` None: it is in the bucket.

    `row`: the render as it was made, whose first attempt is this invocation's; None: claim it.
    `ends_at`: when nobody needs the document any more (Unix seconds); None: it is always needed.
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
        """Return the invocation's event; `deadline` bounds the wait for a free function."""
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
        """Read what `to_json` wrote; raises UnknownVersion."""
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
    """Run the next attempt of a queued render; its body is in the bucket."""

    workspace_id: WorkspaceId
    render_id: RenderId
    request_id: str

    def to_json(self) -> dict[str, Any]:
        """Return the queue's message."""
        return {
            "v": VERSION,
            "workspace_id": self.workspace_id,
            "render_id": self.render_id,
            "request_id": self.request_id,
        }

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> "QueuedRender":
        """Read what `to_json` wrote; raises UnknownVersion or Poison."""
        check_version(message, VERSION)
        workspace_id, render_id, request_id = text_fields(
            message,
            workspace_id="ws_[0-9A-Z]{26}",
            render_id="rnd_[0-9A-Z]{26}",
            request_id=r"[A-Za-z0-9._-]{1,128}",
        )
        return cls(WorkspaceId(workspace_id), RenderId(render_id), request_id)


class RunRenderAnswer(NamedTuple):
    """The row as the attempt left it, and the file in base64 where it was asked for and fits."""

    row: dict[str, Any] | None
    content: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the invocation's answer."""
        return {"v": VERSION, "row": self.row, "content": self.content}

    @classmethod
    def from_json(cls, answer: dict[str, Any]) -> "RunRenderAnswer":
        """Read what `to_json` wrote; raises UnknownVersion."""
        check_version(answer, VERSION)
        return cls(answer["row"], answer["content"])
