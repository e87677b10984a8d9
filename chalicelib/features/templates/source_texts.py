"""Source texts of templates: small ones in their rows, others in the bucket under a new name.

Thumbnails are in the bucket, too.

A name is written into the template's row (`unsettled`) before its object is created, so
maintenance finds the object after a crash (decision 20).
"""

import hashlib
from collections.abc import Iterable
from typing import Final

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.core import json
from chalicelib.core.ids import TemplateId, WorkspaceId
from chalicelib.features.files.model import StoredFile
from chalicelib.features.templates.model import SourceBundle, StoredText

# A DynamoDB item holds 400 KB; one batch reads a hundred versions.
MAX_ROW_BYTES: Final = 100_000
# One transaction, which holds 4 MB, creates up to fifty datasets.
MAX_DATASET_ROW_BYTES: Final = 40_000


class SourceTexts(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reads and writes source texts."""

    objects: Objects

    def put(self, workspace_id: WorkspaceId, template_id: TemplateId, name: str, text: str) -> None:
        """Store a large text under a name that is already announced."""
        content = text.encode()
        key = object_key(workspace_id, template_id, name)
        self._put(key, content, "application/json")

    def put_thumbnail(self, file: StoredFile, content: bytes) -> None:
        """Store a thumbnail under a name that is already announced."""
        self._put(file.key, content, file.content_type)

    def _put(self, key: str, content: bytes, content_type: str) -> None:
        digest = hashlib.sha256(content).digest()
        self.objects.put(key, content, content_type=content_type, sha256=digest)

    def text(self, workspace_id: WorkspaceId, template_id: TemplateId, stored: StoredText) -> str:
        """Return a stored text; raises LookupError if its object is missing or altered."""
        if stored.text is not None:
            return stored.text
        assert stored.object_name is not None
        content = self.objects.get(object_key(workspace_id, template_id, stored.object_name))
        if content is None or hashlib.sha256(content).hexdigest() != stored.sha256:
            message = f"the source {stored.object_name} of {template_id} is missing or altered"
            raise LookupError(message)
        return content.decode()

    def source(
        self, workspace_id: WorkspaceId, template_id: TemplateId, stored: StoredText
    ) -> SourceBundle:
        """Return a stored source; raises as `text`."""
        return parse_source(self.text(workspace_id, template_id, stored))

    def delete(
        self, workspace_id: WorkspaceId, template_id: TemplateId, names: Iterable[str]
    ) -> None:
        """Remove texts from the bucket; idempotent."""
        for name in names:
            self.objects.delete(object_key(workspace_id, template_id, name))


def serialize_source(source: SourceBundle) -> str:
    """Return the JSON of a source."""
    return json.dumps(source.to_json())


def parse_source(text: str) -> SourceBundle:
    """Return the source of a JSON that `serialize_source` returned."""
    return SourceBundle.from_json(json.loads_own(text))


def is_too_large_for_row(text: str, max_bytes: int = MAX_ROW_BYTES) -> bool:
    """Return whether a text does not fit into a row."""
    return len(text.encode()) > max_bytes


def stored_text(text: str, name: str | None) -> StoredText:
    """Return the stored form of a text: `name` in the bucket, or inline if None."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return StoredText(digest, text if name is None else None, name)


def object_key(workspace_id: WorkspaceId, template_id: TemplateId, name: str) -> str:
    """Return the key of a named text in the bucket."""
    return f"ws/{workspace_id}/templates/{template_id}/{name}"
