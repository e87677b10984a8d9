"""A finished e-invoice that is to be validated: what is asked for, and what is answered."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from chalicelib.adapters.aws.messages import check_version
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import WorkspaceId

VERSION: Final = 1


class Examination(NamedTuple):
    """Validate a document by `deadline` (Unix seconds); `content` None: it is an upload."""

    workspace_id: WorkspaceId
    request_id: str
    content: bytes | None
    upload_id: str | None
    deadline: float

    def to_json(self) -> dict[str, Any]:
        """Return the invocation's event."""
        return {
            "v": VERSION,
            "examination": True,
            "workspace_id": self.workspace_id,
            "request_id": self.request_id,
            "content": None if self.content is None else b64encode(self.content).decode(),
            "upload_id": self.upload_id,
            "deadline": self.deadline,
        }

    @classmethod
    def from_json(cls, event: Mapping[str, Any]) -> "Examination":
        """Read what `to_json` wrote; raises UnknownVersion."""
        check_version(event, VERSION)
        content = event["content"]
        return cls(
            WorkspaceId(event["workspace_id"]),
            event["request_id"],
            None if content is None else b64decode(content),
            event["upload_id"],
            event["deadline"],
        )


def told(conformance: Mapping[str, Any], invoice: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what the render function answers."""
    return {"v": VERSION, "conformance": conformance, "invoice": invoice}


def refused(failure: RenderFailure) -> dict[str, Any]:
    """Return what the render function answers where nothing could be read."""
    return {"v": VERSION, "refusal": {"code": failure.code, "detail": failure.detail}}
