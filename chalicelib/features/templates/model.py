"""A template, what its draft and its versions hold, and the moves between its states."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from chalicelib.core.ids import DatasetId, TemplateId, WorkspaceId

type TemplateType = Literal["html", "image_canvas"]
type TemplateStatus = Literal["creating", "active", "deleted", "purging"]

TRANSITIONS: Final[dict[TemplateStatus, tuple[TemplateStatus, ...]]] = {
    # Only one whose source went into the bucket first; whoever dies there leaves it to the upkeep.
    "creating": ("active", "purging"),
    "active": ("deleted",),
    "deleted": ("active", "purging"),
    "purging": (),
}
# The fields that a template's source is made of, by its type.
CONTENT_FIELDS: Final[dict[TemplateType, tuple[str, ...]]] = {
    "html": ("html", "head", "css", "header", "footer"),
    "image_canvas": ("scene",),
}


class Template(NamedTuple):
    """A template as its row says; `published_revision`: of the draft that was published last.

    `datasets` are in the order in which they were made. `unsettled` names what is in the bucket and
    no row names, or not yet, with the time since when.
    """

    id: TemplateId
    workspace_id: WorkspaceId
    name: str
    description: str | None
    type: TemplateType
    status: TemplateStatus
    created_at: str
    updated_at: str
    locked: bool = False
    live_version: int | None = None
    draft_revision: int = 1
    published_revision: int = 0
    deleted_at: str | None = None
    datasets: Sequence[DatasetId] = ()
    default_dataset: DatasetId | None = None
    unsettled: Mapping[str, str] = {}


class SourceBundle(NamedTuple):
    """What a draft or a version holds, as it was sent; `content` has the fields of its type."""

    content: Mapping[str, Any]
    options: Mapping[str, Any] = {}
    schema: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the form in which it is kept."""
        return {
            "content": dict(self.content),
            "options": dict(self.options),
            "schema": self.schema,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "SourceBundle":
        """Read what `to_json` wrote."""
        return cls(value["content"], value["options"], value["schema"])


class StoredText(NamedTuple):
    """Where a source is kept: in the row itself, or by name in the bucket."""

    sha256: str
    text: str | None = None
    object_name: str | None = None


class Dataset(NamedTuple):
    """Data that a template is tried with; `revision` fences its writers."""

    id: DatasetId
    name: str
    stored: StoredText
    created_at: str
    updated_at: str
    revision: int = 1


class Draft(NamedTuple):
    """What is worked on; each change has the next revision."""

    revision: int
    stored: StoredText
    updated_at: str


class PublishedVersion(NamedTuple):
    """What was published; it never changes. `rollback_of`: the version that it repeats."""

    number: int
    stored: StoredText
    created_at: str
    note: str | None = None
    draft_revision: int | None = None
    rollback_of: int | None = None
