"""A render and the moves between its states."""

from typing import Any, Final, Literal, NamedTuple

from chalicelib.adapters.aws.messages import check_version
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.engine.templating.includes import Includes
from chalicelib.features.files.model import StoredFile
from chalicelib.features.workspaces.limits.model import Reservation

type RenderStatus = Literal["queued", "processing", "succeeded", "failed", "canceled"]
type RunMode = Literal["sync", "async"]
type DeliveryType = Literal["url", "binary", "base64", "none"]
type Priority = Literal["normal", "low"]
type RenderSource = Literal["api", "batch", "signed_link", "email_test"]

TRANSITIONS: Final[dict[RenderStatus, tuple[RenderStatus, ...]]] = {
    # A sync render is promised to one invocation, which writes its start together with its end.
    "queued": ("processing", "succeeded", "failed", "canceled"),
    # To itself: the next attempt takes over from one that died.
    "processing": ("processing", "succeeded", "failed", "canceled"),
    "succeeded": (),
    "failed": (),
    "canceled": (),
}
FINAL_STATUSES: Final = tuple(status for status, after in TRANSITIONS.items() if not after)
UNFINISHED_STATUSES: Final = tuple(status for status, after in TRANSITIONS.items() if after)
MAX_ATTEMPTS: Final = 3
_BODY_VERSION: Final = 4
# Those before knew no e-invoices and mean the same in all else: what waits during a deployment.
_PREVIOUS_BODY_VERSION: Final = 3


class Render(NamedTuple):
    """A render as its row says; `attempt` fences its writers, `excused` ones do not count."""

    id: RenderId
    workspace_id: WorkspaceId
    status: RenderStatus
    mode: RunMode
    test: bool
    input: dict[str, Any]
    output: dict[str, Any]
    delivery: DeliveryType
    expires_in_s: int
    max_pages: int
    engine: str
    reservation: Reservation
    created_at: str
    request_id: str
    attempt: int = 0
    waived_attempts: int = 0
    reference: str | None = None
    metadata: dict[str, Any] | None = None
    body_key: str | None = None
    files: tuple[StoredFile, ...] = ()
    warnings: tuple[dict[str, Any], ...] = ()
    error: dict[str, Any] | None = None
    billed: bool = False
    timings: dict[str, Any] | None = None
    logs: tuple[str, ...] = ()
    explain: dict[str, Any] | None = None
    # The conformance report, and the totals of an e-invoice.
    result: dict[str, Any] | None = None
    invoice: dict[str, Any] | None = None
    started_at: str | None = None
    completed_at: str | None = None
    expires_at: str | None = None
    files_purged_at: str | None = None

    priority: Priority = "normal"
    source: RenderSource = "api"
    # Whether the files are kept once they are delivered; never with zero retention.
    hosted: bool = True
    zero_retention: bool = False
    retention_days: int | None = None

    # Of later kinds of sources; a render of HTML has none.
    template_id: str | None = None
    template_version: int | None = None
    batch_id: str | None = None

    @property
    def extensions(self) -> tuple[str, ...]:
        """Return the extension of each file that a success has, in order."""
        if self.output["format"] == "zip":
            return ("zip",)
        return tuple(self.output["formats"] or [self.output["format"] or "pdf"])

    @property
    def returns_file(self) -> bool:
        """Tell whether the answer of the request is the file itself."""
        return self.delivery in {"binary", "base64"}

    @property
    def is_final(self) -> bool:
        """Tell whether nothing will change any more."""
        return self.status in FINAL_STATUSES


class RenderBody(NamedTuple):
    """What the document is made from: too large for a row. `input` and `output` as requested."""

    input: dict[str, Any]
    data: dict[str, Any] | None
    data_url: str | None
    output: dict[str, Any]
    includes: Includes = Includes()

    def to_json(self) -> dict[str, Any]:
        """Return the form in which it travels."""
        return {
            "v": _BODY_VERSION,
            "input": self.input,
            "data": self.data,
            "data_url": self.data_url,
            "output": self.output,
            "includes": self.includes.to_json(),
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "RenderBody":
        """Read what `to_json` wrote; raises UnknownVersion."""
        if value.get("v") != _PREVIOUS_BODY_VERSION:
            check_version(value, _BODY_VERSION, "a body")
        includes = Includes.from_json(value["includes"])
        return cls(value["input"], value["data"], value["data_url"], value["output"], includes)
