"""Storage targets of a render, and the paths that their templates gave."""

from typing import Literal

import msgspec

from chalicelib.core.json import OpaqueObject
from chalicelib.core.storage import DEFAULT_PATH

# Why no file goes to the workspace's default destination.
type StorageOmission = Literal["plan"]


class StorageTarget(msgspec.Struct, frozen=True, kw_only=True):
    """Destination of the files of a render, as it stood when the render was accepted.

    `path` is the template source of whole paths: that of the request, else of the destination.
    """

    destination_id: str
    path: str = DEFAULT_PATH


class StorageTargets(msgspec.Struct, frozen=True):
    """Targets of a render; `context` has its `render_id` and `reference`.

    With an `omission` there are none, because the default destination gets no file.
    """

    context: OpaqueObject
    targets: tuple[StorageTarget, ...]
    omission: StorageOmission | None = None

    @property
    def has_templates(self) -> bool:
        """Tell whether a path may use data."""
        return any("{" in each.path and each.path != DEFAULT_PATH for each in self.targets)


class RenderedPath(msgspec.Struct, frozen=True):
    """Text of a path, not cleaned yet.

    With a `fault` it could not be made, and `fault` says why, as the error of a template does.
    """

    text: str = ""
    fault: str | None = None
