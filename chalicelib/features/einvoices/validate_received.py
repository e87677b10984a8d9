"""Validation of a received e-invoice in the render function: call, execution, answer."""

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Final, NamedTuple, TypedDict

import msgspec

from chalicelib.adapters.aws.remote_engine import EngineCallContext, RemoteEngine
from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import UploadId, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.core.message_version import check_version
from chalicelib.features.renders.run.bodies import engine_folder
from chalicelib.features.uploads.contents import UploadContents
from chalicelib.features.uploads.model import upload_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from chalicelib.engine.conformance.checks import Validator
    from chalicelib.engine.conformance.read_received_worker import EmbeddedFile
    from chalicelib.engine.report_section import ReportSection

VERSION: Final = 1


class ValidationEvent(TypedDict):
    """JSON of a ValidationCall; `content` is in base64."""

    v: int
    validation: bool
    workspace_id: str
    request_id: str
    content: str | None
    upload_id: str | None
    deadline: float


class ValidationCall(NamedTuple):
    """Call to validate a document, a `content` or an upload, by `deadline` (Unix seconds)."""

    workspace_id: WorkspaceId
    request_id: str
    content: bytes | None
    upload_id: str | None
    deadline: float

    def to_json(self) -> ValidationEvent:
        """Return the invocation's payload."""
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
    def from_json(cls, event: ValidationEvent) -> "ValidationCall":
        """Parse the JSON that `to_json` wrote; raises UnknownVersion."""
        check_version(event, VERSION)
        content = event["content"]
        return cls(
            WorkspaceId(event["workspace_id"]),
            event["request_id"],
            None if content is None else b64decode(content),
            event["upload_id"],
            event["deadline"],
        )


class ValidateReceived(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Validation of received documents, which the engine reads."""

    engine: RemoteEngine
    validator: "Callable[[WorkspaceId], Validator]"
    uploads: UploadContents
    clock: Clock

    def __call__(self, call: ValidationCall) -> JsonObject:
        """Return the conformance report and the invoice, or the refusal, as an answer.

        Raises FunctionBusy and EngineLost.
        """
        # Imported late: few calls of the render function need it (decision 7).
        from chalicelib.engine.conformance.validate_received import validate_received  # noqa: PLC0415
        from chalicelib.engine.deadline import Deadline  # noqa: PLC0415

        deadline = Deadline.after(call.deadline - self.clock.now().timestamp())
        try:
            content = self._content(call)
            result = validate_received(
                content,
                self.engine.read(_document(call, content), self._call_context(call)),
                self.validator(call.workspace_id),
                deadline,
                may_store=_may_store(call),
            )
        except RenderFailure as failure:
            return refusal_answer(failure)
        return validation_answer(result.conformance, result.invoice, result.embedded)

    def _content(self, call: ValidationCall) -> bytes:
        if call.content is not None:
            return call.content
        assert call.upload_id is not None, "a call has content or an upload"
        return self.uploads.get(call.workspace_id, call.upload_id)

    def _call_context(self, call: ValidationCall) -> EngineCallContext:
        return EngineCallContext(
            tenant=call.workspace_id,
            folder=engine_folder(call.workspace_id, call.request_id),
            ends_at=call.deadline,
            slot_ends_at=call.deadline,
            may_store=_may_store(call),
        )


def _may_store(call: ValidationCall) -> bool:
    # The content of a request must not be stored; an upload is stored already.
    return call.content is None


def _document(call: ValidationCall, content: bytes) -> bytes | str:
    """Return the document for the engine: the content, or the key of the upload."""
    if call.upload_id is None:
        return content
    return upload_key(call.workspace_id, UploadId(call.upload_id))


def validation_answer(
    conformance: "Mapping[str, ReportSection]",
    invoice: JsonObject | None,
    embedded: "Sequence[EmbeddedFile]" = (),
) -> JsonObject:
    """Return the render function's answer to a validation call."""
    return {
        "v": VERSION,
        "conformance": msgspec.to_builtins(conformance),
        "invoice": invoice,
        "embedded": msgspec.to_builtins(embedded),
    }


def refusal_answer(failure: RenderFailure) -> JsonObject:
    """Return the render function's answer for a document that cannot be read."""
    return {"v": VERSION, "refusal": {"code": failure.code, "detail": failure.detail}}
