"""Clear up after a render that is final: what it took, its body, what dead attempts left."""

from collections.abc import Iterator

from chalicelib.adapters.aws.objects import Objects
from chalicelib.features.renders.bodies import Bodies
from chalicelib.features.renders.model import Render
from chalicelib.features.workspaces.limits_repository import Limits


class ClearRender:
    """Repeatable; whoever finds a render final may do it."""

    def __init__(self, *, limits: Limits, bodies: Bodies, objects: Objects) -> None:
        """Build from the stores."""
        self._limits = limits
        self._bodies = bodies
        self._objects = objects

    def __call__(self, render: Render) -> None:
        """Settle the render and remove all objects that its row does not name."""
        assert render.is_final, render.status
        self._limits.settle(render.workspace_id, render.id, render.taken, billed=render.billed)
        if render.body_key is not None:
            self._bodies.delete(render.body_key)
        named = {file.key for file in render.files}
        for key in _keys_of_attempts(render):
            if key not in named:
                self._objects.delete(key)


def file_key(render: Render, attempt: int, n: int, extension: str) -> str:
    """Return where an attempt keeps its n-th file; no two attempts write to one place."""
    return f"ws/{render.workspace_id}/files/{render.id}/{attempt}-{n}.{extension}"


def _keys_of_attempts(render: Render) -> Iterator[str]:
    for attempt in range(1, render.attempt + 1):
        yield file_key(render, attempt, 0, render.output["format"])
