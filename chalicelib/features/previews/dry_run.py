"""Dry run: render a document without storing it, and return its failure, if any."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chalicelib.adapters.aws.messages import check_version
from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.core.ids import WorkspaceId
from chalicelib.engine.job import Job, RenderOutcome
from chalicelib.features.renders.model import RenderBody
from chalicelib.features.renders.run.bodies import RenderBodies
from chalicelib.features.renders.run.jobs import engine_job
from chalicelib.features.templates.schemas import CheckSchemas
from chalicelib.features.uploads.contents import UploadContents

if TYPE_CHECKING:
    # The API function only writes calls; the render function alone imports `execute`.
    from chalicelib.features.renders.run.execute import RunEngine

VERSION: Final = 1
_MAX_OUTPUT_BYTES: Final = 100_000_000


class DryRunCall(NamedTuple):
    """Call to render a document by `ends_at` (Unix seconds) and store nothing.

    A body that is too large for an invocation is in the bucket at `body_key`.
    """

    workspace_id: WorkspaceId
    request_id: str
    body: RenderBody | None
    body_key: str | None
    max_pages: int
    ends_at: float

    def to_json(self) -> dict[str, Any]:
        """Return the invocation's payload; `deadline` also bounds the wait for a free function."""
        return {
            "v": VERSION,
            "dry_run": True,
            "workspace_id": self.workspace_id,
            "request_id": self.request_id,
            "body": self.body.to_json() if self.body else None,
            "body_key": self.body_key,
            "max_pages": self.max_pages,
            "deadline": self.ends_at,
        }

    @classmethod
    def from_json(cls, event: Mapping[str, Any]) -> "DryRunCall":
        """Parse the JSON that `to_json` wrote; raises UnknownVersion."""
        check_version(event, VERSION)
        return cls(
            WorkspaceId(event["workspace_id"]),
            event["request_id"],
            RenderBody.from_json(event["body"]) if event["body"] else None,
            event["body_key"],
            event["max_pages"],
            event["deadline"],
        )


class RunDryRun:
    """Execution of dry runs in the render function."""

    def __init__(
        self,
        *,
        engine: "RunEngine",
        bodies: RenderBodies,
        uploads: UploadContents,
        schemas: CheckSchemas,
    ) -> None:
        """Build from the engine and the stores of bodies, uploads and schemas."""
        self._engine = engine
        self._bodies = bodies
        self._uploads = uploads
        self._schemas = schemas

    def __call__(self, call: DryRunCall) -> RenderFailure | None:
        """Render a document; return its failure, or None."""
        try:
            check_outcome(self._engine(self.job(call)), call.max_pages)
        except RenderFailure as failure:
            return failure
        return None

    def job(self, call: DryRunCall) -> Job:
        """Return the job of a dry run; raises `render_timeout` if its body is gone."""
        body = call.body
        if body is None and call.body_key is not None:
            body = self._bodies.get(call.body_key)
        if body is None:
            # Its caller deletes the body when it stops waiting.
            raise RenderFailure("render_timeout", "Nobody waits for this document any more.")
        uploads = partial(self._uploads.get, call.workspace_id)
        return engine_job(
            body, deadline=call.ends_at, uploads=uploads, schemas=self._schemas, test=False
        )


def check_outcome(outcome: RenderOutcome, max_pages: int) -> None:
    """Raise `page_limit_exceeded` or `output_too_large` for a file over the limits."""
    for produced in outcome.files:
        if produced.pages is not None and produced.pages > max_pages:
            message = f"The document has {produced.pages} pages; {max_pages} are allowed."
            raise RenderFailure("page_limit_exceeded", message)
        if len(produced.content) > _MAX_OUTPUT_BYTES:
            message = f"The {produced.format} has more than {_MAX_OUTPUT_BYTES} bytes."
            raise RenderFailure("output_too_large", message)


def dry_run_answer(failure: RenderFailure | None) -> dict[str, Any]:
    """Return the render function's answer to a dry run."""
    return {"v": VERSION, "failure": None if failure is None else _failure_json(failure)}


def lint_answer(failures: Sequence[RenderFailure]) -> dict[str, Any]:
    """Return the render function's answer to a lint call."""
    return {"v": VERSION, "failures": [_failure_json(failure) for failure in failures]}


def failure_from_answer(answer: Mapping[str, Any], subject: str) -> RenderFailure | None:
    """Return the failure in a `dry_run_answer`, with `subject` before its message, or None.

    Raises UnknownVersion.
    """
    check_version(answer, VERSION)
    failure = answer["failure"]
    if failure is None:
        return None
    errors = [FieldError(**entry) for entry in failure["errors"]]
    detail = f"{subject}: {failure['message']}"
    return RenderFailure(failure["code"], detail, errors=errors, **failure["members"])


def _failure_json(failure: RenderFailure) -> dict[str, Any]:
    # A trace is stored in a render's row, and a dry run has no row.
    members = {name: value for name, value in failure.members.items() if name != "trace"}
    errors = [entry._asdict() for entry in failure.errors]
    return {"code": failure.code, "message": failure.detail, "errors": errors, "members": members}
