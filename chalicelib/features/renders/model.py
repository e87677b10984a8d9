"""A render and the moves between its states."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from chalicelib.adapters.aws.messages import check_version
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.files.model import StoredFile
from chalicelib.features.workspaces.limits import Taken

type Status = Literal["queued", "processing", "succeeded", "failed", "canceled"]
type RunMode = Literal["sync", "async"]
type Delivery = Literal["url", "binary"]

TRANSITIONS: Final[dict[Status, tuple[Status, ...]]] = {
    # A sync render is promised to one invocation, which writes its start together with its end.
    "queued": ("processing", "succeeded", "failed", "canceled"),
    # To itself: the next attempt takes over from one that died.
    "processing": ("processing", "succeeded", "failed", "canceled"),
    "succeeded": (),
    "failed": (),
    "canceled": (),
}
FINAL: Final = tuple(status for status, after in TRANSITIONS.items() if not after)
UNFINISHED: Final = tuple(status for status, after in TRANSITIONS.items() if after)
MAX_ATTEMPTS: Final = 3
_BODY_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Render:
    """A render as its row says; `attempt` fences its writers, `excused` ones do not count."""

    id: RenderId
    workspace_id: WorkspaceId
    status: Status
    mode: RunMode
    test: bool
    input: dict[str, Any]
    output: dict[str, Any]
    delivery: Delivery
    expires_in_s: int
    max_pages: int
    engine: str
    taken: Taken
    created_at: str
    request_id: str
    attempt: int = 0
    excused: int = 0
    reference: str | None = None
    metadata: dict[str, Any] | None = None
    body_key: str | None = None
    files: tuple[StoredFile, ...] = ()
    warnings: tuple[dict[str, Any], ...] = ()
    error: dict[str, Any] | None = None
    billed: bool = False
    timings: dict[str, Any] | None = None
    logs: tuple[str, ...] = ()
    started_at: str | None = None
    completed_at: str | None = None
    expires_at: str | None = None
    files_purged_at: str | None = None

    # Of later kinds of sources; a render of HTML has neither.
    template_id: str | None = None
    batch_id: str | None = None

    @property
    def is_final(self) -> bool:
        """Tell whether nothing will change any more."""
        return self.status in FINAL


@dataclass(frozen=True, slots=True)
class Body:
    """What the document is made from: too large for a row."""

    html: str
    head: str | None
    templating: bool
    data: dict[str, Any]
    output: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the form in which it travels."""
        return {
            "v": _BODY_VERSION,
            "html": self.html,
            "head": self.head,
            "templating": self.templating,
            "data": self.data,
            "output": self.output,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Body":
        """Read what `to_json` wrote; raises UnknownVersion."""
        check_version(value, _BODY_VERSION, "a body")
        names = ("html", "head", "templating", "data", "output")
        return cls(**{name: value[name] for name in names})

    @property
    def shown_output(self) -> dict[str, Any]:
        """Return what was asked of the output, without the texts of header and footer."""
        pdf = dict(self.output["pdf"])
        for part in ("header", "footer"):
            pdf[part] = {"enabled": pdf[part]["enabled"]}
        return self.output | {"pdf": pdf}
