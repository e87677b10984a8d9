"""A finished e-invoice that is to be validated: what is asked for, and what is answered."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chalicelib.adapters.aws.messages import check_version
from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.uploads.contents import UploadContents

if TYPE_CHECKING:
    from collections.abc import Callable

    from chalicelib.engine.conformance.checks import Validator

VERSION: Final = 1


class ValidationCall(NamedTuple):
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
            "validation": True,
            "workspace_id": self.workspace_id,
            "request_id": self.request_id,
            "content": None if self.content is None else b64encode(self.content).decode(),
            "upload_id": self.upload_id,
            "deadline": self.deadline,
        }

    @classmethod
    def from_json(cls, event: Mapping[str, Any]) -> "ValidationCall":
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


def validation_answer(
    conformance: Mapping[str, Any], invoice: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return what the render function answers."""
    return {"v": VERSION, "conformance": conformance, "invoice": invoice}


def refusal_answer(failure: RenderFailure) -> dict[str, Any]:
    """Return what the render function answers where nothing could be read."""
    return {"v": VERSION, "refusal": {"code": failure.code, "detail": failure.detail}}


class ValidateReceived:
    """Reads and judges; the validators are wanted when somebody asks."""

    def __init__(
        self, validator: "Callable[[], Validator]", uploads: UploadContents, clock: Clock
    ) -> None:
        """Ask the validators that this returns, about uploads from there."""
        self._validator = validator
        self._uploads = uploads
        self._clock = clock

    def __call__(self, call: ValidationCall) -> dict[str, Any]:
        """Return the render function's answer."""
        # Few documents come from others.
        from chalicelib.engine.conformance.validate_received import validate_received  # noqa: PLC0415
        from chalicelib.engine.deadline import Deadline  # noqa: PLC0415

        deadline = Deadline.after(call.deadline - self._clock.now().timestamp())
        try:
            content = self._content(call)
            # What was sent along is stored nowhere; an upload is stored already.
            keep = call.content is None
            found = validate_received(content, self._validator(), deadline, may_store=keep)
        except RenderFailure as failure:
            return refusal_answer(failure)
        return validation_answer(found.conformance, found.invoice)

    def _content(self, call: ValidationCall) -> bytes:
        if call.content is not None:
            return call.content
        assert call.upload_id is not None, "nothing is named"
        return self._uploads.get(call.workspace_id, call.upload_id)
