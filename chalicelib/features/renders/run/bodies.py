"""Bodies of renders that wait: what a document is made from, kept until the render is final.

They stand below `tmp/`, whose objects the bucket itself removes some days after the queue's longest
wait: a process that dies between keeping a body and naming it in a row leaves nothing for ever.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from chalicelib.adapters.aws.objects import Objects
from chalicelib.core import json
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.renders.model import RenderBody
from chalicelib.features.renders.run.protocol import MAX_BODY_BYTES


class RenderBodies:
    """Keeps bodies in the bucket."""

    def __init__(self, objects: Objects) -> None:
        """Keep them there."""
        self._objects = objects

    def store(self, workspace_id: WorkspaceId, render_id: RenderId, body: RenderBody) -> str:
        """Keep a body and return its key."""
        key = body_key(workspace_id, render_id)
        content = json.dumps(body.to_json()).encode()
        digest = hashlib.sha256(content).digest()
        self._objects.put(key, content, content_type="application/json", sha256=digest)
        return key

    @contextmanager
    def temporary_body(
        self, workspace_id: WorkspaceId, body_id: RenderId, body: RenderBody
    ) -> Iterator[str]:
        """Keep a body under a name of its own for as long as somebody else needs it."""
        key = self.store(workspace_id, body_id, body)
        try:
            yield key
        finally:
            self.delete(key)

    def get(self, key: str) -> RenderBody | None:
        """Return the body of an unfinished render, or None where it is gone.

        Raises UnknownVersion for one that another release has kept.
        """
        content = self._objects.get(key)
        return RenderBody.from_json(json.loads_own(content)) if content is not None else None

    def delete(self, key: str) -> None:
        """Remove a body, whether or not it is there."""
        self._objects.delete(key)


def is_large(body: RenderBody) -> bool:
    """Tell whether a body may not fit into an invocation; numbers can grow when rewritten."""
    return len(json.dumps(body.to_json()).encode()) > MAX_BODY_BYTES


def body_key(workspace_id: WorkspaceId, render_id: RenderId) -> str:
    """Return where the body of a render is kept, if it is."""
    return f"tmp/ws/{workspace_id}/bodies/{render_id}"
