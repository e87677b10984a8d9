"""Template, draft, version, dataset, and the transitions between template states."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypedDict

from chalicelib.core.ids import DatasetId, EmailRuleId, FileId, TemplateId, WorkspaceId
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.files.model import StoredFile

type TemplateType = Literal["html", "image_canvas"]
type TemplateStatus = Literal["creating", "active", "deleted", "purging"]

TRANSITIONS: Final[dict[TemplateStatus, tuple[TemplateStatus, ...]]] = {
    # Only for a source in the bucket; after a crash maintenance purges the row (decision 20).
    "creating": ("active", "purging"),
    "active": ("deleted",),
    "deleted": ("active", "purging"),
    "purging": (),
}
# The content fields of a template's source, by template type.
CONTENT_FIELDS: Final[dict[TemplateType, tuple[str, ...]]] = {
    "html": ("html", "head", "css", "header", "footer"),
    "image_canvas": ("scene",),
}


class Template(NamedTuple):
    """A template as stored; `published_revision` is the draft revision published last.

    `live_published_at`, `live_note` and `live_thumbnail` are those of the live version, shown
    without its row.
    `datasets` are in the order of creation, `email_rules` in that of sending. `unsettled` maps the
    names of objects in the bucket that no row names, or not yet, to the time since when (RFC 3339).
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
    live_published_at: str | None = None
    live_note: str | None = None
    draft_revision: int = 1
    published_revision: int = 0
    deleted_at: str | None = None
    datasets: Sequence[DatasetId] = ()
    default_dataset: DatasetId | None = None
    unsettled: Mapping[str, str] = {}
    email_rules: Sequence[EmailRuleId] = ()
    live_thumbnail: FileId | None = None


class StoredSource(TypedDict):
    """Stored form of a SourceBundle."""

    content: JsonObject
    options: JsonObject
    schema: JsonObject | None


class SourceBundle(NamedTuple):
    """Source of a draft or version as sent; `content` has the fields of the template type."""

    content: JsonObject
    options: Mapping[str, Json] = {}
    schema: JsonObject | None = None

    def to_json(self) -> StoredSource:
        """Return the stored form."""
        return {
            "content": dict(self.content),
            "options": dict(self.options),
            "schema": self.schema,
        }

    @classmethod
    def from_json(cls, value: StoredSource) -> "SourceBundle":
        """Read the form that `to_json` returns."""
        return cls(value["content"], value["options"], value["schema"])


class StoredText(NamedTuple):
    """Stored JSON of a source or dataset: inline `text`, or `object_name` in the bucket."""

    sha256: str
    text: str | None = None
    object_name: str | None = None


class Dataset(NamedTuple):
    """Sample data of a template; `revision` fences concurrent writers."""

    id: DatasetId
    name: str
    stored: StoredText
    created_at: str
    updated_at: str
    revision: int = 1


class Draft(NamedTuple):
    """The editable source of a template; each change increments `revision`."""

    revision: int
    stored: StoredText
    updated_at: str


class PublishedVersion(NamedTuple):
    """An immutable published source; `rollback_of` is the version that it repeats.

    `thumbnail` is a file of its own, which a rollback shares with the version that it repeats.
    """

    number: int
    stored: StoredText
    published_at: str
    note: str | None = None
    draft_revision: int | None = None
    rollback_of: int | None = None
    thumbnail: StoredFile | None = None

    @property
    def new_thumbnail(self) -> StoredFile | None:
        """Return the thumbnail that was made with this version."""
        return self.thumbnail if self.rollback_of is None else None
