"""Dry run: make a document, keep nothing of it, and answer why it cannot be made."""

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
    # The API function reads and writes calls; only the render function executes renders.
    from chalicelib.features.renders.run.execute import RunEngine

VERSION: Final = 1
_MAX_OUTPUT_BYTES: Final = 100_000_000


class DryRunCall(NamedTuple):
    """Make a document by `ends_at` (Unix seconds) and keep nothing; a large body is in the bucket.

    `deadline` bounds the wait for a free function.
    """

    workspace_id: WorkspaceId
    request_id: str
    body: RenderBody | None
    body_key: str | None
    max_pages: int
    ends_at: float

    def to_json(self) -> dict[str, Any]:
        """Return the invocation's event."""
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
        """Read what `to_json` wrote; raises UnknownVersion."""
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
    """Makes documents of which nothing is kept."""

    def __init__(
        self,
        *,
        engine: "RunEngine",
        bodies: RenderBodies,
        uploads: UploadContents,
        schemas: CheckSchemas,
    ) -> None:
        """Build from the engine and the stores of what a document is made from."""
        self._engine = engine
        self._bodies = bodies
        self._uploads = uploads
        self._schemas = schemas

    def __call__(self, call: DryRunCall) -> RenderFailure | None:
        """Make a document; return why it cannot be made."""
        try:
            check_outcome(self._engine(self.job(call)), call.max_pages)
        except RenderFailure as failure:
            return failure
        return None

    def job(self, call: DryRunCall) -> Job:
        """Return the job of a dry run; raises RenderFailure where its caller has gone."""
        body = call.body
        if body is None and call.body_key is not None:
            body = self._bodies.get(call.body_key)
        if body is None:
            raise RenderFailure("render_timeout", "Nobody waits for this document any more.")
        uploads = partial(self._uploads.get, call.workspace_id)
        return engine_job(
            body, deadline=call.ends_at, uploads=uploads, schemas=self._schemas, test=False
        )


def check_outcome(outcome: RenderOutcome, max_pages: int) -> None:
    """Refuse what no render may be; raises `page_limit_exceeded` or `output_too_large`."""
    for produced in outcome.files:
        if produced.pages is not None and produced.pages > max_pages:
            message = f"The document has {produced.pages} pages; {max_pages} are allowed."
            raise RenderFailure("page_limit_exceeded", message)
        if len(produced.content) > _MAX_OUTPUT_BYTES:
            message = f"The {produced.format} has more than {_MAX_OUTPUT_BYTES} bytes."
            raise RenderFailure("output_too_large", message)


def dry_run_answer(failure: RenderFailure | None) -> dict[str, Any]:
    """Return what the render function answers."""
    return {"v": VERSION, "failure": None if failure is None else _failure_json(failure)}


def lint_answer(failures: Sequence[RenderFailure]) -> dict[str, Any]:
    """Return what the render function answers where texts are only tried."""
    return {"v": VERSION, "failures": [_failure_json(failure) for failure in failures]}


def failure_from_answer(answer: Mapping[str, Any], subject: str) -> RenderFailure | None:
    """Read what `answer_of` wrote, and name what failed; raises UnknownVersion."""
    check_version(answer, VERSION)
    told = answer["failure"]
    if told is None:
        return None
    errors = [FieldError(**entry) for entry in told["errors"]]
    detail = f"{subject}: {told['message']}"
    return RenderFailure(told["code"], detail, errors=errors, **told["members"])


def _failure_json(failure: RenderFailure) -> dict[str, Any]:
    members = {name: value for name, value in failure.members.items() if name != "trace"}
    errors = [entry._asdict() for entry in failure.errors]
    return {"code": failure.code, "message": failure.detail, "errors": errors, "members": members}
