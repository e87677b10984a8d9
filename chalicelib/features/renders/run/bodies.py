"""Stored bodies of renders, kept until the render is final.

They are objects below `tmp/`, which the bucket's lifecycle deletes some days after the longest
queue wait: a process that dies between storing a body and naming it in a row leaves no orphan.

The body of an item of a batch lies in an object that other items share.
"""

import hashlib
from collections.abc import Callable

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.core import json
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.engine.job import Job
from chalicelib.features.renders.model import BodyKey
from chalicelib.features.renders.run.jobs import job_from_json, job_to_json
from chalicelib.features.renders.run.protocol import MAX_BODY_BYTES


class RenderBodies(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Bodies of renders in the bucket.

    `read_item` returns the job of a batch's item by its key.
    """

    objects: Objects
    read_item: Callable[[BodyKey], Job | None]

    def store(self, workspace_id: WorkspaceId, render_id: RenderId, job: Job) -> BodyKey:
        """Store the body of a job and return its key."""
        key = body_key(workspace_id, render_id)
        content = json.dumps(job_to_json(job)).encode()
        digest = hashlib.sha256(content).digest()
        self.objects.put(key.object_key, content, content_type="application/json", sha256=digest)
        return key

    def get(self, key: BodyKey) -> Job | None:
        """Return the job of an unfinished render, or None if it is gone.

        Raises UnknownVersion for a body of another release.
        """
        if key.is_shared:
            return self.read_item(key)
        content = self.objects.get(key.object_key)
        return job_from_json(json.loads_own(content)) if content is not None else None

    def delete(self, key: BodyKey) -> None:
        """Delete a body that no other render shares; idempotent."""
        if not key.is_shared:
            self.objects.delete(key.object_key)


def is_large(job: Job) -> bool:
    """Return True if a job is too large for an invocation; rewritten numbers can be longer."""
    return len(json.dumps(job_to_json(job)).encode()) > MAX_BODY_BYTES


def body_key(workspace_id: WorkspaceId, render_id: RenderId) -> BodyKey:
    """Return the key of a render's own body."""
    return BodyKey(f"tmp/ws/{workspace_id}/bodies/{render_id}")


def engine_folder(workspace_id: WorkspaceId, name: str) -> str:
    """Return the prefix of the temporary objects of one call of the engine."""
    return f"tmp/ws/{workspace_id}/engine/{name}"
