"""A document that is made to see whether it can be: what is asked for, and what is answered."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from chalicelib.adapters.aws.messages import check_version
from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.core.ids import WorkspaceId
from chalicelib.engine.job import Outcome
from chalicelib.features.renders.model import Body

VERSION: Final = 1
_MAX_OUTPUT_BYTES: Final = 100_000_000


class Rehearsal(NamedTuple):
    """Make a document by `ends_at` (Unix seconds) and keep nothing; a large body is in the bucket.

    `deadline` bounds the wait for a free function.
    """

    workspace_id: WorkspaceId
    request_id: str
    body: Body | None
    body_key: str | None
    max_pages: int
    ends_at: float

    def to_json(self) -> dict[str, Any]:
        """Return the invocation's event."""
        return {
            "v": VERSION,
            "rehearsal": True,
            "workspace_id": self.workspace_id,
            "request_id": self.request_id,
            "body": self.body.to_json() if self.body else None,
            "body_key": self.body_key,
            "max_pages": self.max_pages,
            "deadline": self.ends_at,
        }

    @classmethod
    def from_json(cls, event: Mapping[str, Any]) -> "Rehearsal":
        """Read what `to_json` wrote; raises UnknownVersion."""
        check_version(event, VERSION)
        return cls(
            WorkspaceId(event["workspace_id"]),
            event["request_id"],
            Body.from_json(event["body"]) if event["body"] else None,
            event["body_key"],
            event["max_pages"],
            event["deadline"],
        )


def check_made(outcome: Outcome, max_pages: int) -> None:
    """Refuse what no render may be; raises `page_limit_exceeded` or `output_too_large`."""
    for produced in outcome.files:
        if produced.pages is not None and produced.pages > max_pages:
            message = f"The document has {produced.pages} pages; {max_pages} are allowed."
            raise RenderFailure("page_limit_exceeded", message)
        if len(produced.content) > _MAX_OUTPUT_BYTES:
            message = f"The {produced.format} has more than {_MAX_OUTPUT_BYTES} bytes."
            raise RenderFailure("output_too_large", message)


def answer_of(failure: RenderFailure | None) -> dict[str, Any]:
    """Return what the render function answers."""
    return {"v": VERSION, "failure": None if failure is None else _told(failure)}


def lint_answer_of(failures: Sequence[RenderFailure]) -> dict[str, Any]:
    """Return what the render function answers where texts are only tried."""
    return {"v": VERSION, "failures": [_told(failure) for failure in failures]}


def failure_of(answer: Mapping[str, Any], whose: str) -> RenderFailure | None:
    """Read what `answer_of` wrote, and name what failed; raises UnknownVersion."""
    check_version(answer, VERSION)
    told = answer["failure"]
    if told is None:
        return None
    errors = [FieldError(**entry) for entry in told["errors"]]
    detail = f"{whose}: {told['message']}"
    return RenderFailure(told["code"], detail, errors=errors, **told["members"])


def _told(failure: RenderFailure) -> dict[str, Any]:
    members = {name: value for name, value in failure.members.items() if name != "trace"}
    errors = [entry._asdict() for entry in failure.errors]
    return {"code": failure.code, "message": failure.detail, "errors": errors, "members": members}
