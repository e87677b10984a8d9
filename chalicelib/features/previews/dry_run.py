"""Dry run: render a document without storing it, and return its failure, if any."""

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import JsonObject, OpaqueObject
from chalicelib.engine.job import Job, JobContext, PageJob, RenderOutcome
from chalicelib.engine.schemas.check_schemas import CheckSchemas
from chalicelib.features.renders.run.bodies import RenderBodies
from chalicelib.features.renders.run.jobs import job_context
from chalicelib.features.renders.run.protocol import RenderMessage
from chalicelib.features.uploads.contents import UploadContents

if TYPE_CHECKING:
    # The API function only writes calls; the render function alone imports `execute`.
    from chalicelib.features.renders.run.execute import RunEngine

_MAX_OUTPUT_BYTES: Final = 100_000_000


class DryRunCall(RenderMessage, frozen=True):
    """Call to render a document by `ends_at` (Unix seconds) and store nothing.

    A body that is too large for an invocation is in the bucket at `body_key`. `ends_at` also bounds
    the wait for a free function.
    """

    workspace_id: WorkspaceId
    request_id: str
    job: PageJob | None
    body_key: str | None
    max_pages: int
    ends_at: float = msgspec.field(name="deadline")
    dry_run: bool = True


class ReportedFailure(msgspec.Struct, frozen=True):
    """Failure of a document in an answer; `members` are those of RenderFailure."""

    code: str
    message: str
    errors: tuple[FieldError, ...] = ()
    members: OpaqueObject = {}

    @classmethod
    def of(cls, failure: RenderFailure) -> "ReportedFailure":
        """Return the report of a failure."""
        # A trace is stored in a render's row, and a dry run has no row.
        members = {name: value for name, value in failure.members.items() if name != "trace"}
        return cls(failure.code, failure.detail, failure.errors, members)


class DryRunAnswer(RenderMessage, frozen=True):
    """Answer of the render function to a dry run."""

    failure: ReportedFailure | None


class LintAnswer(RenderMessage, frozen=True):
    """Answer of the render function to a lint call."""

    failures: tuple[ReportedFailure, ...]


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
            check_outcome(self._engine(*self.load(call)), call.max_pages)
        except RenderFailure as failure:
            return failure
        return None

    def load(self, call: DryRunCall) -> tuple[PageJob, JobContext]:
        """Return the job of a call and its context; raises `render_timeout` if its body is gone."""
        job: Job | None = call.job
        if job is None and call.body_key is not None:
            job = self._bodies.get(call.body_key)
        if job is None:
            # Its caller deletes the body when it stops waiting.
            raise RenderFailure("render_timeout", "Nobody waits for this document any more.")
        assert isinstance(job, PageJob), "only pages have dry runs"
        uploads = partial(self._uploads.get, call.workspace_id)
        return job, job_context(
            job, deadline=call.ends_at, uploads=uploads, schemas=self._schemas, test=False
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


def failure_from_answer(answer: JsonObject, subject: str) -> RenderFailure | None:
    """Return the failure in a DryRunAnswer, with `subject` before its message, or None.

    Raises UnknownVersion.
    """
    failure = DryRunAnswer.from_json(answer).failure
    if failure is None:
        return None
    detail = f"{subject}: {failure.message}"
    members: dict[str, Any] = dict(failure.members)
    return RenderFailure(failure.code, detail, errors=failure.errors, **members)
