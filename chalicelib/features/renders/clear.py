"""Clear up after a render that is final: what it took, its body, what dead attempts left.

A listener of the final facts; the function that ends a render settles it at once, since its place
in the concurrency is waited for.
"""

from collections.abc import Iterator, Sequence

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import Write
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.features.facts.model import Heard
from chalicelib.features.renders.bodies import Bodies
from chalicelib.features.renders.facts import FINAL_FACTS
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import render_of
from chalicelib.features.renders.settle import SettleRender


class ClearRender:
    """Repeatable; whoever finds a render final may do it."""

    def __init__(self, *, settle: SettleRender, bodies: Bodies, objects: Objects) -> None:
        """Build from the stores."""
        self._settle = settle
        self._bodies = bodies
        self._objects = objects

    def __call__(self, heard: Heard) -> Sequence[Write]:
        """Clear up after the render of a final fact; there is nothing to be done once only."""
        if heard.fact.type not in FINAL_FACTS:
            return ()
        render = render_of(heard.row)
        # A canceled render's function may still be running; it gives its place back itself.
        if not heard.settled and not (render.status == "canceled" and render.taken.leased):
            self._settle(render)
        here(CrashPoint.RELAY_SETTLED)
        self.objects(render)
        here(CrashPoint.RELAY_CLEARED)
        return ()

    def objects(self, render: Render) -> None:
        """Remove a final render's body and all objects of attempts that its row does not name."""
        if render.body_key is not None:
            self._bodies.delete(render.body_key)
        named = {key for file in render.files for key in keys_of_file(render, file.key)}
        for key in keys_of_attempts(render):
            if key not in named:
                self._objects.delete(key)


def file_key(render: Render, attempt: int, n: int, extension: str) -> str:
    """Return where an attempt keeps its n-th file; no two attempts write to one place."""
    return f"ws/{render.workspace_id}/files/{render.id}/{attempt}-{n}.{extension}"


def keys_of_attempts(render: Render) -> Iterator[str]:
    """Yield every place at which an attempt of this render may have kept a file."""
    for attempt in range(1, render.attempt + 1):
        for n, extension in enumerate(render.extensions):
            yield from keys_of_file(render, file_key(render, attempt, n, extension))


def keys_of_file(render: Render, key: str) -> tuple[str, ...]:
    """Return the places of a file's bodies: its own, and that of its base64 where it has one."""
    return (key, f"{key}.b64") if render.delivery == "base64" else (key,)
