"""Sources of templates: in their rows while they are small, else in the bucket under a new name.

A name is written into the template's row before its object is made (`unsettled`), so whoever dies
in between leaves nothing that the upkeep does not find.
"""

import hashlib
from collections.abc import Iterable
from typing import Final

from chalicelib.adapters.aws.objects import Objects
from chalicelib.core import json
from chalicelib.core.ids import TemplateId, WorkspaceId
from chalicelib.features.templates.model import SourceBundle, StoredText

# An item holds 400 KB; a page of a hundred versions is read at once.
MAX_ROW_BYTES: Final = 100_000
# Fifty of them are made in one transaction, which holds 4 MB.
MAX_DATASET_ROW_BYTES: Final = 40_000


class SourceTexts:
    """Writes and reads sources."""

    def __init__(self, objects: Objects) -> None:
        """Keep what is large in this bucket."""
        self._objects = objects

    def put(self, workspace_id: WorkspaceId, template_id: TemplateId, name: str, text: str) -> None:
        """Keep a large source under a name that is announced already."""
        content = text.encode()
        self._objects.put(
            object_key(workspace_id, template_id, name),
            content,
            content_type="application/json",
            sha256=hashlib.sha256(content).digest(),
        )

    def text(self, workspace_id: WorkspaceId, template_id: TemplateId, stored: StoredText) -> str:
        """Return the JSON of a source; raises where the bucket has another one than was kept."""
        if stored.text is not None:
            return stored.text
        assert stored.object_name is not None
        content = self._objects.get(object_key(workspace_id, template_id, stored.object_name))
        if content is None or hashlib.sha256(content).hexdigest() != stored.sha256:
            message = f"the source {stored.object_name} of {template_id} is not as it was kept"
            raise LookupError(message)
        return content.decode()

    def source(
        self, workspace_id: WorkspaceId, template_id: TemplateId, stored: StoredText
    ) -> SourceBundle:
        """Return a source."""
        return parse_source(self.text(workspace_id, template_id, stored))

    def delete(
        self, workspace_id: WorkspaceId, template_id: TemplateId, names: Iterable[str]
    ) -> None:
        """Remove sources from the bucket, whether or not they are there."""
        for name in names:
            self._objects.delete(object_key(workspace_id, template_id, name))


def serialize_source(source: SourceBundle) -> str:
    """Return the JSON of a source."""
    return json.dumps(source.to_json())


def parse_source(text: str) -> SourceBundle:
    """Read what `text_of` wrote."""
    return SourceBundle.from_json(json.loads_own(text))


def is_too_large_for_row(text: str, max_bytes: int = MAX_ROW_BYTES) -> bool:
    """Tell whether a source has no room in a row."""
    return len(text.encode()) > max_bytes


def stored_text(text: str, name: str | None) -> StoredText:
    """Return how a source is kept: under a name in the bucket, or else in its row."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return StoredText(digest, text if name is None else None, name)


def object_key(workspace_id: WorkspaceId, template_id: TemplateId, name: str) -> str:
    """Return where a named source is kept."""
    return f"ws/{workspace_id}/templates/{template_id}/{name}"
